internal import SecureStorage

/// The place of a subtask in its task: a list of digits, each with the stamp of its maker. One always fits between two others (LSEQ,
/// Nédelec et al., 2013), and two devices never make the same one.
package struct Position: Hashable, Comparable, Sendable {
    /// One digit.
    package struct Digit: Hashable, Comparable, Sendable {
        let number: UInt32
        let stamp: Stamp

        package static func < (left: Digit, right: Digit) -> Bool {
            (left.number, left.stamp) < (right.number, right.stamp)
        }
    }

    /// Numbers of digits are below this one.
    private static let base: UInt32 = 1 << 31
    private static let low = Digit(number: 0, stamp: .zero)
    private static let high = Digit(number: base, stamp: .zero)

    private let digits: [Digit]

    /// A new position.
    ///
    /// - Parameters:
    ///   - lower: The position before it; nil for the beginning.
    ///   - upper: The position after it, above `lower`; nil for the end.
    ///   - stamp: The stamp of the record that has it.
    /// - Returns: The position.
    package static func between(
        _ lower: Position?, _ upper: Position?, stamp: Stamp
    ) -> Position {
        var digits: [Digit] = []
        var upper = upper
        while true {
            let place = digits.count
            let left = lower.flatMap { place < $0.digits.count ? $0.digits[place] : nil } ?? low
            let right = upper.flatMap { place < $0.digits.count ? $0.digits[place] : nil } ?? high
            // Positions that a damaged program made equal leave no room; the result is after both.
            if left.number < right.number, right.number - left.number > 1 {
                let middle = left.number + (right.number - left.number) / 2
                return Position(digits: digits + [Digit(number: middle, stamp: stamp)])
            }
            digits.append(left)
            if left != right { upper = nil }
        }
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter()
        for digit in digits {
            writer.integer(digit.number)
            writer.stamp(digit.stamp)
        }
        return writer.bytes
    }

    package static func < (left: Position, right: Position) -> Bool {
        left.digits.lexicographicallyPrecedes(right.digits)
    }
}

extension Position {
    /// Parses the content of ``RecordField/subtaskPosition(_:)``; nil for any other.
    package init?(_ content: [UInt8]) {
        let digits = ByteReader.reading(content) { reader -> [Digit]? in
            var digits: [Digit] = []
            while !reader.isAtEnd {
                guard let number = reader.integer(UInt32.self), number < Self.base,
                    let stamp = reader.stamp()
                else { return nil }
                digits.append(Digit(number: number, stamp: stamp))
            }
            return digits
        }
        guard let digits, !digits.isEmpty else { return nil }
        self.init(digits: digits)
    }
}

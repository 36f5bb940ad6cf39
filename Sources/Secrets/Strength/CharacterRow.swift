/// Characters that follow each other in an order everybody knows.
enum CharacterRow: Int, CaseIterable {
    /// `abcd`, `1234`.
    case ascending
    /// `dcba`, `4321`.
    case descending
    /// `qwerty`.
    case keyboard
    /// `ytrewq`.
    case keyboardBackwards

    private static let keyboardRows: [[UInt8]] = [
        "1234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "qsdfghjklm",
        "zxcvbnm", "yxcvbnm", "wxcvbn",
    ].map { Array($0.utf8) }

    /// Whether `next` stands after `previous` in such a row, capital or not.
    func continues(from previous: UInt8, to next: UInt8) -> Bool {
        let (previous, next) = (previous.lowercased, next.lowercased)
        guard previous.isLetterOrDigit, next.isLetterOrDigit else { return false }
        return switch self {
        case .ascending: next == previous + 1
        case .descending: previous == next + 1
        case .keyboard: Self.areNeighbours(previous, next)
        case .keyboardBackwards: Self.areNeighbours(next, previous)
        }
    }

    private static func areNeighbours(_ left: UInt8, _ right: UInt8) -> Bool {
        keyboardRows.contains { row in
            guard let index = row.firstIndex(of: left), index + 1 < row.count else { return false }
            return row[index + 1] == right
        }
    }
}

extension UInt8 {
    /// The small letter of an ASCII capital; any other byte as it is.
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }

    /// Whether it is a small ASCII letter or a digit.
    fileprivate var isLetterOrDigit: Bool {
        (0x61...0x7A).contains(self) || (0x30...0x39).contains(self)
    }
}

internal import Platform
internal import TextCoding

/// Finds the cheapest description of a passphrase from left to right.
///
/// The cost of a position is the number of bits of the cheapest description of everything before it. Each pattern offers a cost to the position
/// of its end. Patterns of any length (repetitions, rows, runs of one class) are continued byte by byte, so a window of costs suffices.
struct PassphraseScan {
    private static let window = 32
    private static let unreachable = Double.infinity

    /// The bits for the beginning, the kind and the length of a pattern.
    private static let repetitionStart = 5.0
    private static let rowStart = 4.0
    private static let classRunStart = 2.0

    private var costs = InlineArray<32, Double>(repeating: unreachable)
    /// The cost of a continued repetition, by its period of 1 to 16 bytes.
    private var repetitions = InlineArray<17, Double>(repeating: unreachable)
    private var rows = InlineArray<4, Double>(repeating: unreachable)
    private var classRuns = InlineArray<4, Double>(repeating: unreachable)
    private let characterBits: Double

    static func bits(of passphrase: RawSpan) -> Double {
        var scan = PassphraseScan(characterBits: CharacterClass.bits(in: passphrase))
        return scan.run(over: passphrase)
    }

    private init(characterBits: Double) {
        self.characterBits = characterBits
    }

    private mutating func run(over bytes: RawSpan) -> Double {
        costs[0] = 0
        for position in 0..<bytes.byteCount {
            let cost = costs[position % Self.window]
            costs[position % Self.window] = Self.unreachable  // Free for `position + window`.
            carryOn(at: position, cost, in: bytes)
            // No pattern begins inside a character.
            guard cost < Self.unreachable else { continue }
            let character = CharacterClass.character(at: position, in: bytes)
            // A character of three or more bytes is one of at least a thousand.
            offer(
                position + character,
                cost + (character > 2 ? max(10, characterBits) : characterBits), bytes)
            for match in WordMatcher.matches(at: position, in: bytes) {
                offer(position + match.size, cost + match.bits, bytes)
            }
            for match in DateMatcher.matches(at: position, in: bytes) {
                offer(position + match.size, cost + match.bits, bytes)
            }
        }
        return costs[bytes.byteCount % Self.window]
    }

    private mutating func offer(_ position: Int, _ cost: Double, _ bytes: RawSpan) {
        guard position <= bytes.byteCount else { return }
        costs[position % Self.window] = min(costs[position % Self.window], cost)
    }

    /// Continues the patterns of any length with the byte at `position`, or ends them.
    private mutating func carryOn(at position: Int, _ cost: Double, in bytes: RawSpan) {
        let byte = bytes[position]
        for period in 1...16 {
            let goesOn = period <= position && bytes[position - period] == byte
            repetitions[period] =
                goesOn
                ? min(repetitions[period], cost + Self.repetitionStart) : Self.unreachable
            offer(position + 1, repetitions[period], bytes)
        }
        for row in CharacterRow.allCases {
            let goesOn = position > 0 && row.continues(from: bytes[position - 1], to: byte)
            rows[row.rawValue] =
                goesOn ? min(rows[row.rawValue], cost + Self.rowStart) : Self.unreachable
            offer(position + 1, rows[row.rawValue], bytes)
        }
        for kind in CharacterClass.allCases {
            classRuns[kind.rawValue] =
                kind.contains(byte)
                ? min(classRuns[kind.rawValue], cost + Self.classRunStart) + kind.bits
                : Self.unreachable
            offer(position + 1, classRuns[kind.rawValue], bytes)
        }
    }
}

/// The kinds of ASCII characters.
enum CharacterClass: Int, CaseIterable {
    case lower, upper, digit, symbol

    private var size: Double {
        switch self {
        case .lower, .upper: 26
        case .digit: 10
        case .symbol: 33
        }
    }

    /// The bits of one character of this class.
    var bits: Double { log2(size) }

    func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): self == .lower
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self == .upper
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self == .digit
        case 0..<0x80: self == .symbol
        default: false
        }
    }

    /// The bits of one character of all classes that occur in `bytes`.
    static func bits(in bytes: RawSpan) -> Double {
        var size = 0.0
        for kind in allCases
        where (0..<bytes.byteCount).contains(where: { kind.contains(bytes[$0]) }) {
            size += kind.size
        }
        // Letters beyond ASCII count as one more alphabet.
        if (0..<bytes.byteCount).contains(where: { bytes[$0] >= 0x80 }) { size += 100 }
        return log2(max(size, 1))
    }

    /// The number of bytes of the character at `position`; 1 for invalid UTF-8.
    static func character(at position: Int, in bytes: RawSpan) -> Int {
        let size =
            switch bytes[position] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        return min(size, bytes.byteCount - position)
    }
}

/// A well-known order of characters.
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

    /// Whether `next` follows `previous` in this order, ignoring case.
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
    /// The small letter of an ASCII capital; any other byte unchanged.
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }

    /// Whether it is a small ASCII letter or a digit.
    fileprivate var isLetterOrDigit: Bool {
        (0x61...0x7A).contains(self) || (0x30...0x39).contains(self)
    }
}

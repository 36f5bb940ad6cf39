internal import Platform
internal import TextCoding

/// Finds the cheapest description of a passphrase from left to right.
///
/// `cost` of a position is the number of bits of the cheapest way to describe all that stands before it. Each pattern that begins at a position
/// offers a cost to the position where it ends. Patterns without a limit (repetitions, rows, runs of one class) are carried from byte to byte
/// instead, so a window of costs is all the memory that is needed.
struct PassphraseScan {
    private static let window = 32
    private static let unreachable = Double.infinity

    /// Bits to say that a pattern begins, of which kind it is and how long.
    private static let repetitionStart = 5.0
    private static let rowStart = 4.0
    private static let classRunStart = 2.0

    private var costs = InlineArray<32, Double>(repeating: unreachable)
    /// By period, 1 to 16 bytes: the cost of a repetition that goes on.
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
            // Inside of a character no pattern begins.
            guard cost < Self.unreachable else { continue }
            let character = CharacterClass.character(at: position, in: bytes)
            // Beyond two bytes a character is one of some thousand, whatever else the passphrase consists of.
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

    /// Lengthens the patterns without a limit by the byte at `position`, or ends them.
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

/// A pattern that begins at some position.
struct PatternMatch {
    /// Its length in bytes, less than the scan's window.
    let size: Int
    let bits: Double
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

    /// The bits of one character, when it can be of any class that occurs in `bytes`.
    static func bits(in bytes: RawSpan) -> Double {
        var size = 0.0
        for kind in allCases
        where (0..<bytes.byteCount).contains(where: { kind.contains(bytes[$0]) }) {
            size += kind.size
        }
        // Letters beyond ASCII: an alphabet's worth.
        if (0..<bytes.byteCount).contains(where: { bytes[$0] >= 0x80 }) { size += 100 }
        return log2(max(size, 1))
    }

    /// The number of bytes of the character at `position`; 1 for what is not UTF-8.
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

/// What a person calls a task: six letters and digits that never change, such as `k7m2qx`.
///
/// The alphabet is that of Crockford's Base32 in lower case, without `i`, `l`, `o` and `u`; whoever reads `O` for `0` or `l` for `1` is
/// understood. Ids are random and not secret; a repository makes sure that none is given twice.
public struct TaskID: Sendable, Hashable, Comparable {
    /// The number of characters.
    public static let length = 6

    /// The characters, in ascending order.
    static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// The characters of this id.
    public let text: String

    /// Reads an id as it is stored or typed.
    ///
    /// - Returns: nil for anything that is no id.
    public init?(_ text: String) {
        guard let canonical = TaskIDPrefix(text)?.text, canonical.utf8.count == Self.length else {
            return nil
        }
        self.text = canonical
    }

    /// Makes an id of a random number; the id may be taken.
    public init(number: UInt64 = .random(in: .min ... .max)) {
        text = Self.characters(Self.length, of: number)
    }

    /// So many characters of the alphabet, 12 at most, each of five bits of a number.
    static func characters(_ count: Int, of number: UInt64) -> String {
        var number = number
        var characters: [UInt8] = []
        for _ in 0..<count {
            characters.append(alphabet[Int(number & 31)])
            number >>= 5
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Orders by the characters.
    public static func < (left: TaskID, right: TaskID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

/// The beginning of an id, as somebody typed it: one to six characters.
public struct TaskIDPrefix: Sendable, Hashable {
    /// The characters as ids have them.
    public let text: String

    /// Reads what somebody typed; nil for what no id begins with.
    public init?(_ typed: String) {
        guard (1...TaskID.length).contains(typed.utf8.count) else { return nil }
        var characters: [UInt8] = []
        for byte in typed.utf8 {
            let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            let meant =
                switch lower {
                case UInt8(ascii: "o"): UInt8(ascii: "0")
                case UInt8(ascii: "i"), UInt8(ascii: "l"): UInt8(ascii: "1")
                default: lower
                }
            guard TaskID.alphabet.contains(meant) else { return nil }
            characters.append(meant)
        }
        text = String(decoding: characters, as: UTF8.self)
    }
}

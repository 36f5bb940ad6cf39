/// The id of a task: six letters and digits that never change, such as `k7m2qx`.
///
/// The alphabet is that of Crockford's Base32 in lower case, without `i`, `l`, `o` and `u`. `O` is read as `0`, `I` and `L` as `1`. Ids are
/// random and not secret. A repository refuses an id that is taken.
public struct TaskID: Sendable, Hashable, Comparable {
    /// The number of characters.
    public static let length = 6

    /// The characters, in ascending order.
    static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// The characters of this id.
    public let text: String

    /// Reads an id as it is stored; nil for any other text.
    init?(stored text: String) {
        guard text.utf8.count == Self.length, text.utf8.allSatisfy({ Self.alphabet.contains($0) })
        else { return nil }
        self.text = text
    }

    /// Reads an id as it is stored or typed; nil for any other text.
    public init?(_ text: String) {
        guard let canonical = TaskIDPrefix(text)?.text, canonical.utf8.count == Self.length else {
            return nil
        }
        self.text = canonical
    }

    /// Makes an id of a random number. The id may be taken.
    public init(number: UInt64 = .random(in: .min ... .max)) {
        text = Self.characters(Self.length, of: number)
    }

    /// Characters of the alphabet, 12 at most, each of five bits of a number.
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

extension TaskID {
    /// The id as a number of 30 bits.
    public var number: UInt32 {
        text.utf8.reduce(0) { number, character in
            number << 5 | UInt32(Self.alphabet.firstIndex(of: character) ?? 0)
        }
    }

    /// Makes the id of a number; nil for more than 30 bits.
    public init?(number: UInt32) {
        guard number < 1 << 30 else { return nil }
        self.init(lowBitsOf: number)
    }

    /// The id to try after this one. The sequence is fixed and visits every id.
    var next: TaskID {
        // A linear congruential generator of full period (Knuth, The Art of Computer Programming, volume 2, 3.2.1.2, theorem A).
        TaskID(lowBitsOf: number &* 1_664_525 &+ 1_013_904_223)
    }

    private init(lowBitsOf number: UInt32) {
        let characters = stride(from: 25, through: 0, by: -5).map { shift in
            Self.alphabet[Int(number >> UInt32(shift) & 31)]
        }
        text = String(decoding: characters, as: UTF8.self)
    }
}

/// The prefix of an id, as typed: one to six characters.
public struct TaskIDPrefix: Sendable, Hashable {
    /// The characters in the alphabet of ids.
    public let text: String

    /// Reads typed text; nil if no id has this prefix.
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

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
        let characters = stride(from: 25, through: 0, by: -5).map { shift in
            Self.alphabet[Int(number >> UInt32(shift) & 31)]
        }
        self.init(String(decoding: characters, as: UTF8.self))
    }
}

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

    /// The id that follows on this one for who needs another: the same each time, and at last each that there is.
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

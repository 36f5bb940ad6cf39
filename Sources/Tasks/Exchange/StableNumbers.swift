/// Numbers that look random and follow from a text, the same in every version: ids made of them are the same at every import.
///
/// FNV-1a over the UTF-8, then SplitMix64.
struct StableNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ text: String) {
        state = text.utf8.reduce(0xCBF2_9CE4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
        }
    }

    /// The next id that nobody has taken, which is taken then.
    mutating func id(_ taken: inout Set<TaskID>) -> TaskID {
        while true {
            let id = TaskID(number: next())
            if taken.insert(id).inserted { return id }
        }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

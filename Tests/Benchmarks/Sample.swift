internal import SecretMemory
internal import SecureStorage

/// Items with a short secret: a service of 20 bytes, an account of 10, a password of 16.
enum Sample {
    static let valueSize = 16

    static func name(_ number: Int) throws -> SecretName {
        let digits = String(number)
        let padded = String(repeating: "0", count: 7 - digits.count) + digits
        return try SecretName(service: "service-\(padded).test", account: "alice-smit")
    }

    /// Overwrites a secret of ``valueSize`` bytes with that of an item.
    static func fill(_ value: inout SecretBytes, for number: Int) {
        value.withMutableBytes { bytes in
            for offset in 0..<valueSize {
                let byte = UInt8(truncatingIfNeeded: (number &* 31 &+ offset) % 93 + 33)
                bytes.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
    }
}

/// The same numbers in each run, in an order that no cache foresees.
struct Shuffle: RandomNumberGenerator {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

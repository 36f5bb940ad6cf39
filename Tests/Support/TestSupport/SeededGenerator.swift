package import SecretMemory
internal import Synchronization

/// Pseudorandom numbers, reproducible by their seed: SplitMix64 (Steele, Lea, Flood, 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The seed, which failures report for reproduction.
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// A generator with a random seed.
    package init() {
        self.init(seed: .random(in: .min ... .max))
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Bytes of the generator.
    package mutating func bytes(count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

extension RandomSource {
    /// A reproducible source of bytes for a seed.
    package static func seeded(_ seed: UInt64) -> RandomSource {
        let generator = SharedGenerator(seed: seed)
        return RandomSource { span in
            for offset in 0..<span.byteCount {
                span.storeBytes(
                    of: UInt8(truncatingIfNeeded: generator.next()), toByteOffset: offset,
                    as: UInt8.self)
            }
        }
    }
}

/// A generator that several threads can share.
private final class SharedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}

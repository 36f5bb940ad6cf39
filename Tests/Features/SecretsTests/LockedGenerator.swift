import SecretMemory
import Synchronization

/// A seeded generator for `Sendable` closures.
final class LockedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    /// A random source with the same bytes for the same seed.
    static func source(seed: UInt64) -> RandomSource {
        let generator = LockedGenerator(seed: seed)
        return RandomSource { span in
            for index in 0..<span.byteCount {
                span.storeBytes(of: generator.byte(), toByteOffset: index, as: UInt8.self)
            }
        }
    }

    func byte() -> UInt8 {
        generator.withLock { UInt8(truncatingIfNeeded: $0.next() >> 32) }
    }
}

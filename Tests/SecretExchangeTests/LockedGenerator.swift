import Synchronization

/// A seeded generator that a `Sendable` closure can draw from.
final class LockedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    func byte() -> UInt8 {
        generator.withLock { UInt8(truncatingIfNeeded: $0.next() >> 32) }
    }
}

internal import Synchronization

/// A way to end what waits for a server, from another thread. For good: connections that have it are of no more use. Thread-safe.
public final class Interruption: Sendable, Hashable {
    private let isRequested = Atomic(false)

    /// Makes one that has not happened.
    public init() {}

    /// Ends every wait within a fifth of a second.
    public func interrupt() {
        isRequested.store(true, ordering: .releasing)
    }

    /// Whether it has happened.
    public var hasHappened: Bool { isRequested.load(ordering: .acquiring) }

    /// Each one is equal to itself only.
    public static func == (left: Interruption, right: Interruption) -> Bool { left === right }

    /// Feeds its identity to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

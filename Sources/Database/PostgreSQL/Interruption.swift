internal import Synchronization

/// Cancels waiting calls from another thread. Permanent: connections with this interruption cannot be used again. Thread-safe.
public final class Interruption: Sendable, Hashable {
    private let isRequested = Atomic(false)

    /// Creates an interruption that is not requested yet.
    public init() {}

    /// Ends every waiting call within 0.2 s.
    public func interrupt() {
        isRequested.store(true, ordering: .releasing)
    }

    /// Whether it was requested.
    public var hasHappened: Bool { isRequested.load(ordering: .acquiring) }

    /// Compares identities.
    public static func == (left: Interruption, right: Interruption) -> Bool { left === right }

    /// Feeds its identity to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

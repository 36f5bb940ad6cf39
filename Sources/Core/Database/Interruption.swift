internal import Synchronization

/// Ends waiting and running calls from another thread. Permanent: connections with this interruption cannot be used again. Thread-safe.
public final class Interruption: Sendable, Hashable {
    private let isRequested = Atomic(false)
    private let connections = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

    /// Creates an interruption that is not requested yet.
    public init() {}

    /// Ends every call that waits within 20 ms, and refuses further statements. A commit that is being written ends as it would have.
    public func interrupt() {
        isRequested.store(true, ordering: .releasing)
        connections.withLock { connections in
            for end in connections.values { end() }
        }
    }

    /// Whether it was requested.
    public var hasHappened: Bool { isRequested.load(ordering: .acquiring) }

    /// Has the interruption call `end`, which must not wait, from another thread. Until ``forget(_:)`` returns, the call may be running.
    func register(_ connection: AnyObject, end: @escaping @Sendable () -> Void) {
        connections.withLock { $0[ObjectIdentifier(connection)] = end }
    }

    /// Ends a registration. Allowed without one.
    func forget(_ connection: AnyObject) {
        connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Compares identities.
    public static func == (left: Interruption, right: Interruption) -> Bool { left === right }

    /// Feeds its identity to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

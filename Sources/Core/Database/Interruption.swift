internal import Synchronization

/// Ends waiting and running calls from another thread, permanently: the connections cannot be used again. Thread-safe.
public final class Interruption: Sendable, Hashable {
    private let isRequested = Atomic(false)
    private let connections = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

    /// Creates an interruption that is not requested yet.
    public init() {}

    /// Ends waiting calls within 20 ms, and rejects further statements. A running commit is not cut short.
    public func interrupt() {
        isRequested.store(true, ordering: .releasing)
        connections.withLock { connections in
            for end in connections.values { end() }
        }
    }

    /// Whether an interruption was requested.
    public var hasHappened: Bool { isRequested.load(ordering: .acquiring) }

    /// Registers a connection: an interruption calls `end` from another thread, which must not block. Until ``forget(_:)`` returns, `end`
    /// may be running.
    func register(_ connection: AnyObject, end: @escaping @Sendable () -> Void) {
        connections.withLock { $0[ObjectIdentifier(connection)] = end }
    }

    /// Removes a registration, if there is one.
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

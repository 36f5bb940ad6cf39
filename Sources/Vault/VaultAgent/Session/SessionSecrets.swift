internal import SecureStorage
internal import Synchronization
internal import VaultCore

/// Secrets that other programs store until the agent locks: in guarded memory, never in the vault.
/// Thread-safe.
final class SessionSecrets: Sendable {
    /// The largest number of secrets.
    static let most = 1_000

    private struct State {
        var store = SessionSecrets.empty()
        // A random start keeps a client from mistaking another process's generation for this one.
        var generation = UInt64.random(in: 0..<1 << 63)
    }

    private let state = Mutex(State())

    /// A number that differs after each change and each lock.
    var generation: UInt64 { state.withLock { $0.generation } }

    /// The secrets for reading.
    var store: any SecureStore { state.withLock { $0.store } }

    /// The secrets for changes.
    ///
    /// - Parameter isAdding: Whether the change adds a secret.
    /// - Returns: The store.
    /// - Throws: `unavailable(.full)` at the largest number.
    func changing(adding isAdding: Bool) throws -> any SecureStore {
        try state.withLock { state in
            guard try !isAdding || state.store.count() < Self.most else {
                throw SecureStoreError.unavailable(
                    .full, detail: "the session has \(Self.most) secrets already")
            }
            state.generation += 1
            return state.store
        }
    }

    func list() throws -> [SecretItem] { try state.withLock { try $0.store.list() } }

    func forget() {
        state.withLock { state in
            state.store = Self.empty()
            state.generation += 1
        }
    }

    private static func empty() -> MemorySecureStore {
        // This store takes only names of the session service, and a vault refuses them: no secret can be in both.
        let store = MemorySecureStore(
            of: SecretName.sessionService,
            retention: EarlierRetention(values: 0, days: 1, removedDays: 0),
            now: VaultEnvironment.systemTime)
        // A verification does not reach it: it has no protected secret.
        store.endVerification()
        return store
    }
}

internal import SecureStorage
internal import Synchronization
internal import VaultCore

/// Secrets that other programs keep until the agent locks: in guarded memory, never in the vault. Thread-safe.
final class SessionSecrets: Sendable {
    /// The largest number of secrets.
    static let most = 1_000

    private struct State {
        var store = SessionSecrets.empty()
        // No client takes those of another process for these.
        var generation = UInt64.random(in: 0..<1 << 63)
    }

    private let state = Mutex(State())

    /// Changes with each change, and with each lock.
    var generation: UInt64 { state.withLock { $0.generation } }

    /// The secrets, to be read.
    var store: any SecureStore { state.withLock { $0.store } }

    /// The secrets, to be changed.
    ///
    /// - Parameter isAdding: Whether there will be one more.
    /// - Returns: The store.
    /// - Throws: `unavailable(.full)` if there are too many already.
    func changing(adding isAdding: Bool) throws -> any SecureStore {
        try state.withLock { state in
            guard try !isAdding || state.store.list().count < Self.most else {
                throw SecureStoreError.unavailable(
                    .full, detail: "the session has \(Self.most) secrets already")
            }
            state.generation += 1
            return state.store
        }
    }

    /// Describes all of them.
    func list() throws -> [SecretItem] { try state.withLock { try $0.store.list() } }

    /// Refuses a new name that would move a secret between vault and memory.
    ///
    /// - Throws: `invalidName`.
    func admit(_ edit: SecretEdit, of name: SecretName) throws {
        guard edit.name.map({ $0.isSessionOnly == name.isSessionOnly }) ?? true else {
            throw SecureStoreError.invalidName(field: "service", .repeated)
        }
    }

    /// Erases all.
    func forget() {
        state.withLock { state in
            state.store = Self.empty()
            state.generation += 1
        }
    }

    private static func empty() -> MemorySecureStore {
        MemorySecureStore(
            retention: EarlierRetention(values: 0, days: 1, removedDays: 0),
            now: VaultEnvironment.systemTime)
    }
}

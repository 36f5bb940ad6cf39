import SecretMemory
import SecureStorage
import Synchronization
import Tasks
import TestSupport

/// A process that ends after so many steps: from then on none of its stores does anything.
final class Life: Sendable {
    private let left: Mutex<Int>

    init(steps: Int) {
        left = Mutex(steps)
    }

    /// Whether the next step is still taken. A step that is taken is durable.
    func takesStep() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }

    /// Whether it ended before the work did.
    var hasEnded: Bool { left.withLock { $0 < 0 } }
}

/// A database whose program can end between two transactions.
struct MortalRepository: ForwardingTaskRepository {
    let base: any TaskRepository
    let life: Life
    /// Whether what is asked for after the end is done, and said to have failed: a commit that could not be synced.
    var commitsAndFails = false

    func change<Result, Failure: Error>(
        _ body: (any TaskWriter) throws(Failure) -> Result
    ) throws(TaskRepositoryFailure<Failure>) -> Result {
        if life.takesStep() { return try base.change(body) }
        guard commitsAndFails else { throw .repository(.closed) }
        _ = try base.change(body)
        throw .repository(.failed(detail: "fsync"))
    }

    func eraseOldBytes() throws(TaskRepositoryError) -> Bool? {
        guard life.takesStep() else { throw .closed }
        return try base.eraseOldBytes()
    }
}

/// A vault whose program can end between two changes.
struct MortalVault: ForwardingStore {
    let base: any SecureStore
    let life: Life

    private func live() throws(SecureStoreError) {
        guard life.takesStep() else { throw .unavailable(.failed, detail: "ended") }
    }

    @discardableResult
    func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        try live()
        return try base.save(value, as: name, attributes)
    }

    @discardableResult
    func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try live()
        return try base.update(name, to: value, edit, expecting: revision)
    }

    @discardableResult
    func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try live()
        return try base.edit(name, edit, expecting: revision)
    }

    func remove(_ name: SecretName, expecting revision: UInt64?) throws(SecureStoreError) {
        try live()
        try base.remove(name, expecting: revision)
    }
}

/// A database that tells whether it was erased since something was changed.
final class ErasableRepository: ForwardingTaskRepository {
    let base: any TaskRepository = MemoryTaskRepository()
    private let erased = Mutex(false)
    private let canErase = Mutex(true)

    /// Whether nothing of what it had is left.
    var isErased: Bool { erased.withLock { $0 } }

    /// Whether erasing works.
    func allowErasing(_ isAllowed: Bool) { canErase.withLock { $0 = isAllowed } }

    func eraseOldBytes() throws(TaskRepositoryError) -> Bool? {
        guard canErase.withLock({ $0 }) else { return false }
        erased.withLock { $0 = true }
        return true
    }
}

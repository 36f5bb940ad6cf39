import Database
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

/// Tasks in memory, of a program that can end between two transactions.
struct MortalTasks: Sendable {
    let repository: TaskRepository
    private let fate = Fate()

    init() throws {
        var options = DatabaseOptions()
        options.wrap = { [fate] in MortalDatabase($0, fate) }
        repository = try TaskRepository.openOrCreate(.memory, options)
    }

    /// Whether old bytes were erased.
    var isErased: Bool { fate.state.withLock { $0.isErased } }

    /// Sets whether old bytes can be erased.
    func allowErasing(_ isAllowed: Bool) { fate.state.withLock { $0.canErase = isAllowed } }

    /// Runs `body` in a program that ends after some steps.
    ///
    /// - Parameters:
    ///   - life: The steps.
    ///   - commitsAndFails: Whether a transaction after the end is committed and reported as failed, as when a sync fails.
    ///   - body: Uses the tasks.
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`.
    func live<Result>(
        _ life: Life, commitsAndFails: Bool = false, _ body: () throws -> Result
    ) rethrows -> Result {
        fate.state.withLock { ($0.life, $0.commitsAndFails) = (life, commitsAndFails) }
        defer { fate.state.withLock { $0.life = nil } }
        return try body()
    }
}

/// The event of a database.
private final class Fate: Sendable {
    struct State {
        var life: Life?
        var commitsAndFails = false
        var canErase = true
        var isErased = false
    }

    let state = Mutex(State())
}

/// A database whose program can end between two transactions.
private final class MortalDatabase: ForwardingDatabase {
    let base: any Database
    private let fate: Fate
    private var failsAfterCommit = false

    init(_ base: any Database, _ fate: Fate) {
        self.base = base
        self.fate = fate
    }

    func begin(_ kind: TransactionKind) throws -> Bool {
        if kind == .writing {
            let state = fate.state.withLock { $0 }
            let lives = state.life?.takesStep() ?? true
            guard lives || state.commitsAndFails else { throw DatabaseError.closed }
            failsAfterCommit = !lives
        }
        return try base.begin(kind)
    }

    func commit(_ isCommitted: CommitCheck?) throws {
        try base.commit(isCommitted)
        if failsAfterCommit { throw DatabaseError.inputOutput(operation: "fsync", code: 5) }
    }

    func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, lockTimeout: Duration
    ) throws -> Bool? {
        let state = fate.state.withLock { $0 }
        guard state.life?.takesStep() ?? true else { throw DatabaseError.closed }
        guard state.canErase else { return false }
        fate.state.withLock { $0.isErased = true }
        return try base.eraseOldBytes(
            rewriting: isRewriting, attempts: attempts, lockTimeout: lockTimeout)
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

    func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        try live()
        try base.remove(name, expecting: revision, permanently: isPermanent)
    }
}

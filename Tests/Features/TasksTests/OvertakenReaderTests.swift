import SecretMemory
import SecureStorage
import Synchronization
import Tasks
import Testing
import TestSupport

@Suite("A reader of protected text, overtaken between row and vault")
struct OvertakenReaderTests {
    /// The change of the task by another program.
    enum Change: CaseIterable {
        case remove, unprotect, protectAnew
    }

    /// A database and a vault with two protected tasks.
    private struct Stores {
        let repository: TaskRepository
        let vault = MemorySecureStore { 0 }
        let task: TodoTask

        init() throws {
            repository = try .inMemory()
            let list = TaskList(repository) { PointInTime(seconds: 0) }
            task = try list.addProtected(TaskText(name: "garden"), in: vault)
            try list.addProtected(TaskText(name: "other"), in: vault)
        }

        var list: TaskList { TaskList(repository) { PointInTime(seconds: 0) } }

        func make(_ change: Change) throws {
            let task = try #require(try repository.task(task.id))
            switch change {
            case .remove: try list.remove(task, from: vault)
            case .unprotect: try list.unprotect(task, from: vault)
            case .protectAnew: try list.protect(list.unprotect(task, from: vault), in: vault)
            }
        }

        /// The vault, before whose first answers about text the change is made, so many times.
        func vault(_ change: Change, times: Int = 1) -> OvertakenVault {
            OvertakenVault(base: vault, times: times) { try make(change) }
        }

        /// Removes the text from the vault, although the row still names it.
        func removeText() throws {
            let textID = try #require(task.textID)
            try vault.remove(ProtectedText.name(of: textID))
        }
    }

    @Test("continues with the task as it is now", arguments: Change.allCases)
    func show(change: Change) throws {
        let stores = try Stores()
        let vault = stores.vault(change)
        guard change != .remove else {
            #expect(throws: TaskListError.missing(stores.task.id)) {
                try stores.list.reveal(stores.task, from: vault)
            }
            return
        }
        let shown = try stores.list.reveal(stores.task, from: vault)
        #expect(shown.text?.name == "garden")
        #expect(shown.task == (try stores.repository.task(stores.task.id)))
    }

    @Test("lists the present tasks, and reports none as missing", arguments: Change.allCases)
    func list(change: Change) throws {
        let stores = try Stores()
        let shown = try stores.list.reveal(TaskSelection(by: .name), from: stores.vault(change))
        #expect(
            shown.map { $0.text?.name } == (change == .remove ? ["other"] : ["garden", "other"]))
    }

    @Test("finds text that was moved meanwhile", arguments: Change.allCases)
    func search(change: Change) throws {
        let stores = try Stores()
        let found = try stores.list.find(
            TaskSelection(), containing: "gard", in: stores.vault(change))
        #expect(found.tasks.count == (change == .remove ? 0 : 1))
        #expect(found.unsearched == 0)
    }

    @Test("that changes the text gets a conflict", arguments: Change.allCases)
    func change(change: Change) throws {
        for isReading in [true, false] {
            let stores = try Stores()
            let stored = try stores.list.text(of: stores.task, from: stores.vault)
            let vault = stores.vault(change)
            let error = #expect(throws: TaskListError.self) {
                if isReading {
                    _ = try stores.list.text(of: stores.task, from: vault)
                } else {
                    try stores.list.edit(
                        stores.task, stored, to: TaskText(name: "mine"), in: vault)
                }
            }
            let row = try stores.repository.task(stores.task.id)
            #expect(
                error
                    == row.map { .conflict($0.id, found: $0.revision) } ?? .missing(stores.task.id))
        }
    }

    @Test("tries again a few times only")
    func patience() throws {
        let stores = try Stores()
        let shown = try stores.list.reveal(
            stores.task, from: stores.vault(.protectAnew, times: 7))
        #expect(shown.text?.name == "garden")
        let error = #expect(throws: TaskListError.self) {
            try stores.list.reveal(shown.task, from: stores.vault(.protectAnew, times: 8))
        }
        guard case .conflict = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("reports missing text that no program took out")
    func missing() throws {
        let stores = try Stores()
        let stored = try stores.list.text(of: stores.task, from: stores.vault)
        try stores.removeText()
        let missing = TaskListError.textMissing(stores.task.id)
        #expect(throws: missing) { try stores.list.reveal(stores.task, from: stores.vault) }
        #expect(throws: missing) { try stores.list.text(of: stores.task, from: stores.vault) }
        #expect(throws: missing) {
            try stores.list.edit(stores.task, stored, to: TaskText(name: "mine"), in: stores.vault)
        }
        let shown = try stores.list.reveal(TaskSelection(by: .name), from: stores.vault)
        #expect(shown.map(\.visibility) == [.shown(TaskText(name: "other")), .missing])
    }

    @Test("calls no text missing that another program wrote")
    func unreadable() throws {
        let stores = try Stores()
        let textID = try #require(stores.task.textID)
        try stores.vault.update(ProtectedText.name(of: textID), to: SecretBytes(count: 3))
        let unreadable = TaskListError.textUnreadable(stores.task.id)
        #expect(throws: unreadable) { try stores.list.reveal(stores.task, from: stores.vault) }
        let shown = try stores.list.reveal(TaskSelection(by: .name), from: stores.vault)
        #expect(shown.map(\.visibility) == [.shown(TaskText(name: "other")), .unreadable])
    }
}

/// A vault before whose first answers about text something happens.
private final class OvertakenVault: ForwardingStore {
    let base: any SecureStore
    private let left: Mutex<Int>
    private let happening: @Sendable () throws -> Void

    init(base: any SecureStore, times: Int, _ happening: @escaping @Sendable () throws -> Void) {
        self.base = base
        left = Mutex(times)
        self.happening = happening
    }

    private func happen() {
        let isNow = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isNow else { return }
        #expect(throws: Never.self) { try happening() }
    }

    func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        happen()
        return try base.read(name, body)
    }

    @discardableResult
    func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        try base.save(value, as: name, attributes)
    }

    @discardableResult
    func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        happen()
        return try base.update(name, to: value, edit, expecting: revision)
    }
}

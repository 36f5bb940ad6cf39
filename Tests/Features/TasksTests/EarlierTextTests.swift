import SecureStorage
import Tasks
import Testing
import TestSupport

/// Earlier texts of protected tasks, in the vault.
@Suite("Earlier texts of tasks")
struct EarlierTextTests {
    private let vault = MemorySecureStore { 0 }
    private let list: TaskList

    init() throws {
        list = TaskList(try .inMemory()) { PointInTime(seconds: 1_800_000_000) }
    }

    private func edit(_ task: TodoTask, _ name: String) throws -> TodoTask {
        try list.edit(
            task, list.text(of: task, from: vault), to: TaskText(name: name), in: vault)
    }

    @Test("come back, and a program that read the other text notices")
    func restore() throws {
        let task = try list.addProtected(TaskText(name: "first"), in: vault)
        #expect(try list.history(of: task, from: vault).isEmpty)
        let second = try edit(task, "second")
        let history = try list.history(of: second, from: vault)
        #expect(history.map(\.item.revision) == [1])
        let restored = try list.restore(second, toRevision: 1, in: vault)
        #expect(restored.revision > second.revision)
        #expect(try list.text(of: restored, from: vault).text.name == "first")
        #expect(try list.history(of: restored, from: vault).map(\.item.revision) == [2, 1])
        #expect(throws: TaskListError.conflict(task.id, found: restored.revision)) {
            try list.unprotect(second, from: vault)
        }
        #expect(throws: SecureStoreError.notFound) {
            try list.restore(restored, toRevision: 9, in: vault)
        }
        #expect(try list.find(task.id.text).revision == restored.revision)
    }

    @Test("are none of a task that is not protected")
    func plain() throws {
        let task = try list.add(TaskText(name: "plain"))
        #expect(throws: TaskListError.notProtected(task.id)) {
            _ = try list.history(of: task, from: vault)
        }
        #expect(throws: TaskListError.notProtected(task.id)) {
            try list.restore(task, toRevision: 1, in: vault)
        }
    }

    @Test("of a removed or unprotected task stay in the vault, and need verification")
    func leftBehind() throws {
        let removed = try edit(
            list.addProtected(TaskText(name: "first"), in: vault), "second")
        let unprotected = try edit(
            list.addProtected(TaskText(name: "third"), in: vault), "fourth")
        try list.remove(removed, from: vault)
        try list.unprotect(unprotected, from: vault)
        #expect(try vault.list().isEmpty)
        vault.endVerification()
        let left = try vault.removed()
        #expect(left.count == 2)
        for secret in left {
            #expect(secret.item.attributes.accessClass == .afterVerification)
            #expect(secret.item.name.service == ProtectedText.service)
            try vault.restore(removed: secret.id, as: nil)
            #expect(throws: SecureStoreError.notVerified) {
                _ = try vault.value(of: secret.item.name)
            }
            #expect(throws: SecureStoreError.notVerified) {
                try vault.restore(secret.item.name, toRevision: 1)
            }
        }
    }
}

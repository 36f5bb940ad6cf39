import SecretMemory
import SecureStorage
@testable import Tasks
import Testing
import TestSupport

@Suite("Tasks that two programs import at once")
struct SameTasksTests {
    private let repository: TaskRepository
    private let vault = MemorySecureStore { 0 }
    private let task = TodoTask(
        id: TaskID(number: 7), content: .plain(TaskText(name: "paint")),
        created: PointInTime(seconds: 0))
    private var list: TaskList { TaskList(repository) { PointInTime(seconds: 0) } }

    init() throws { repository = try .inMemory() }

    private func isSame(_ task: TodoTask, _ row: TodoTask) -> Bool { task.created == row.created }

    private func count() throws -> Int { try repository.count(TaskFilter()) }

    @Test("are stored once, beside a different task with the same id")
    func plain() throws {
        var other = task
        other.created = PointInTime(seconds: 9)
        #expect(try list.insert([task], unless: isSame) == 1)
        #expect(try list.insert([task], unless: isSame) == 0)
        #expect(try list.insert([other], unless: isSame) == 1)
        // It is known again under the id that it got.
        #expect(try list.insert([other], unless: isSame) == 0)
        #expect(try repository.task(task.id)?.created == task.created)
        #expect(try count() == 2)
        // Without a comparison, every task is added.
        #expect(try list.insert([task]) == 1)
        #expect(try count() == 3)
    }

    @Test("find another id from any id")
    func ids() throws {
        var seen: Set<TaskID> = []
        var id = task.id
        for _ in 0..<100_000 {
            #expect(seen.insert(id).inserted)
            id = id.next
        }
    }

    @Test("are not imported if a task to be replaced has changed meanwhile")
    func allOrNone() throws {
        var cleared = try list.add(TaskText(name: "sweep"))
        try list.replace(cleared)
        #expect(throws: TaskListError.conflict(cleared.id, found: 2)) {
            try list.insert([task], replacing: [cleared])
        }
        #expect(try count() == 1)
        cleared.revision = 2
        cleared.reminder = .moment(PointInTime(seconds: 5))
        #expect(try list.insert([task], replacing: [cleared]) == 1)
        #expect(try count() == 2)
        #expect(try repository.task(cleared.id)?.reminder == .moment(PointInTime(seconds: 5)))
    }

    @Test("are stored once although both programs began to save the text")
    func protected() throws {
        let text = TaskText(name: "paint")
        let overtaken = OvertakenSaving(base: vault) {
            let first = try list.insert(task, text: text, in: vault) { isSame(task, $0) }
            #expect(first.isNew)
        }
        let second = try list.insert(task, text: text, in: overtaken) { isSame(task, $0) }
        #expect(!second.isNew)
        #expect(second.task.id == task.id)
        #expect(try count() == 1)
        #expect(try vault.list().count == 1)
        #expect(try repository.intents().isEmpty)
        #expect(try list.text(of: second.task, from: vault).text == text)
        var other = task
        other.created = PointInTime(seconds: 9)
        #expect(try list.insert(other, text: text, in: vault) { isSame(other, $0) }.isNew)
        #expect(try !list.insert(other, text: text, in: vault) { isSame(other, $0) }.isNew)
        #expect(try count() == 2)
    }
}

/// A vault into which another program saves first.
private struct OvertakenSaving: ForwardingStore {
    let base: any SecureStore
    let happening: @Sendable () throws -> Void

    @discardableResult
    func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        #expect(throws: Never.self) { try happening() }
        return try base.save(value, as: name, attributes)
    }
}

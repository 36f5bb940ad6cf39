import SecureStorage
import Tasks
import Testing
import TestSupport

@Suite("A task that comes after another")
struct DependencyTests {
    private let repository: TaskRepository
    private let list: TaskList

    init() throws {
        repository = try .inMemory()
        list = TaskList(repository, on: "machine") { PointInTime(seconds: 1_800_000_000) }
    }

    private func task(_ number: Int, after others: Int...) -> TodoTask {
        var task = TaskSamples.plain(number, "task \(number)")
        task.dependencies = others.map { TaskSamples.id($0) }
        return task
    }

    private func stored(_ number: Int) throws -> TodoTask {
        try #require(try repository.task(TaskSamples.id(number)))
    }

    private func names(blocked isBlocked: Bool) throws -> [String] {
        var filter = TaskFilter(.open)
        filter.isBlocked = isBlocked
        let found = try list.tasks(TaskSelection(filter, by: .name)).compactMap(\.plainText?.name)
        #expect(try list.count(filter) == found.count)
        return found
    }

    @Test("is blocked until the other is done or gone")
    func blocked() throws {
        try list.insert([task(1), task(2, after: 1), task(3, after: 2, 1), task(4, after: 99)])
        #expect(try names(blocked: true) == ["task 2", "task 3"])
        #expect(try names(blocked: false) == ["task 1", "task 4"])
        let blockers = try list.blockers(of: try (1...4).map { try stored($0) })
        #expect(
            blockers == [
                TaskSamples.id(2): [TaskSamples.id(1)],
                TaskSamples.id(3): [TaskSamples.id(2), TaskSamples.id(1)],
            ])
        #expect(try list.dependents(of: TaskSamples.id(1)).map(\.text) == ["000002", "000003"])
        try list.finish([try stored(1)], in: RuleCalendar.utc)
        #expect(try names(blocked: true) == ["task 3"])
        try list.reopen([try stored(1)])
        #expect(try names(blocked: true) == ["task 2", "task 3"])
        try list.remove(try stored(2), from: nil)
        try list.remove(try stored(1), from: nil)
        #expect(try names(blocked: true) == [])
        #expect(try stored(3).dependencies == [TaskSamples.id(2), TaskSamples.id(1)])
    }

    @Test("never comes after itself")
    func circle() throws {
        try list.insert([task(1), task(2, after: 1), task(3, after: 2)])
        let before = try stored(1)
        for others in [[1], [2], [4, 3]] {
            var edited = before
            edited.dependencies = others.map { TaskSamples.id($0) }
            #expect(throws: TaskListError.circular(before.id)) { try list.edit(before, to: edited) }
        }
        #expect(try stored(1) == before)
    }

    @Test("no longer waits for a task that was done and repeats")
    func repeated() throws {
        var weekly = task(1)
        weekly.due = .moment(PointInTime(seconds: 1_800_000_000))
        weekly.repetition = RepeatRule(.weekly)
        try list.insert([weekly, task(2, after: 1), task(3, after: 1)])
        // One of them is done by the same call.
        let later = TaskList(repository, on: "machine") { PointInTime(seconds: 1_800_000_100) }
        try later.finish([try stored(1), try stored(3)], in: RuleCalendar.utc)
        #expect(try stored(1).completion == nil)
        #expect(try stored(2).dependencies == [])
        _ = try later.undo(in: nil)
        #expect(try stored(2).dependencies == [TaskSamples.id(1)])
        #expect(try stored(3).completion == nil)
    }

    @Test("keeps its order if an import gives the other a new id")
    func renamed() throws {
        try list.add(TaskSamples.plain(1, "another task"))
        try list.insert([task(1), task(2, after: 1)])
        let all = try list.tasks(TaskSelection(by: .name))
        let first = try #require(all.first { $0.plainText?.name == "task 1" })
        #expect(first.id != TaskSamples.id(1))
        #expect(try stored(2).dependencies == [first.id])
    }
}

@Suite("Many tasks at once")
struct ManyTasksTests {
    private let repository: TaskRepository
    private let list: TaskList
    private let vault = MemorySecureStore { 0 }

    init() throws {
        repository = try .inMemory()
        list = TaskList(repository, on: "machine") { PointInTime(seconds: 1_800_000_000) }
        try TaskList(repository) { PointInTime(seconds: 1_800_000_000) }
            .insert((1...5).map { TaskSamples.plain($0, "call \($0)") })
    }

    private func all() throws -> [TodoTask] { try list.tasks(TaskSelection(by: .name)) }

    @Test("are changed together or not at all, and by one step of undo")
    func edit() throws {
        let before = try all()
        let edits = before.map { task -> (before: TodoTask, edited: TodoTask) in
            var edited = task
            edited.list = "phone"
            return (task, edited)
        }
        // Another program changes the last one the other way.
        var other = before[4]
        other.list = "other"
        let others = TaskList(repository) { PointInTime(seconds: 1_800_000_000) }
        try others.replace(other)
        #expect(throws: TaskListError.self) { try list.edit(edits) }
        #expect(try all().map(\.list) == [nil, nil, nil, nil, "other"])
        // Without that one they change, with what another program changed besides.
        var note = before[0]
        note.changeText { $0.notes = "kept" }
        try others.replace(note)
        try list.edit(Array(edits.dropLast()))
        #expect(try all().map(\.list) == ["phone", "phone", "phone", "phone", "other"])
        #expect(try all()[0].plainText?.notes == "kept")
        _ = try list.undo(in: nil)
        #expect(try all().map(\.list) == [nil, nil, nil, nil, "other"])
    }

    @Test("are protected and removed together or not at all")
    func protectAndRemove() throws {
        let before = try all()
        var stale = before
        stale[4].revision += 1
        #expect(throws: TaskListError.self) { try list.protect(stale, in: vault) }
        #expect(try all() == before)
        #expect(try vault.list().isEmpty)
        #expect(try list.interrupted().isEmpty)
        let protected = try list.protect(before, in: vault).tasks
        #expect(protected.map(\.isProtected) == [true, true, true, true, true])
        #expect(try vault.list().count == 5)
        #expect(throws: TaskListError.self) {
            var late = protected[4]
            late.revision += 1
            try list.remove(protected.dropLast() + [late], from: vault)
        }
        #expect(try vault.list().count == 5)
        let removing = TaskList(repository, on: "machine") { PointInTime(seconds: 1_800_000_100) }
        try removing.remove(protected, from: vault)
        #expect(try all().isEmpty && vault.list().isEmpty)
        #expect(try list.interrupted().isEmpty)
        #expect(try removing.undo(in: vault).restored.count == 5)
        #expect(try vault.list().count == 5)
    }

    @Test("are those that words mean among the ones of a filter")
    func narrowed() throws {
        var tasks =
            try all() + [TaskSamples.plain(40, "write to call centre"), TaskSamples.protected(41)]
        tasks[6].nickname = "Call the doctor"
        func ids(_ typed: String...) throws -> [String] {
            try TaskList.narrow(tasks, to: typed).map(\.id.text)
        }
        #expect(try ids("CALL").count == 7)
        #expect(try ids("doctor", "centre") == [tasks[5].id.text, tasks[6].id.text])
        #expect(try ids("call 1", "call 1") == ["000001"])
        #expect(try ids("000002") == ["000002"])
        #expect(throws: TaskListError.unknownTask) { try ids("call", "nothing") }
        #expect(throws: TaskListError.unknownTask) { try ids("") }
    }
}

extension TodoTask {
    fileprivate mutating func changeText(_ change: (inout TaskText) -> Void) {
        guard var text = plainText else { return }
        change(&text)
        content = .plain(text)
    }
}

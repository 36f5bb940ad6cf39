import SecureStorage
import Synchronization
import Tasks
import Testing
import TestSupport

@Suite("The to-do list")
struct TaskListTests {
    /// A list with a clock that is set by hand.
    private final class Desk: Sendable {
        let repository: TaskRepository
        let vault = MemorySecureStore { 0 }
        private let time = Mutex(PointInTime(seconds: 1_800_000_000))

        init() throws { repository = try .inMemory() }

        var list: TaskList { TaskList(repository) { [self] in time.withLock { $0 } } }

        func wait(_ duration: Duration) {
            time.withLock { $0 = $0.advanced(by: duration) }
        }

        func names(_ state: TaskFilter.State = .openOrDone) throws -> [String] {
            try list.tasks(TaskSelection(TaskFilter(state), by: .name)).map {
                $0.plainText?.name ?? "?"
            }
        }
    }

    private let day: Duration = .seconds(86_400)

    @Test("clears a completed task a day after it was marked, and not before")
    func clearing() throws {
        let desk = try Desk()
        let task = try desk.list.add(TaskText(name: "done"))
        try desk.list.add(TaskText(name: "open"))
        try desk.list.mark([task], done: true)
        desk.wait(day - .seconds(1))
        #expect(try desk.list.clearOld(after: day) == 0)
        desk.wait(.seconds(1))
        #expect(try desk.list.clearOld(after: nil) == 0)
        desk.wait(.milliseconds(1))
        #expect(try desk.list.clearOld(after: day) == 1)
        #expect(try desk.names() == ["open"])
        #expect(throws: TaskListError.unknownTask) { try desk.list.find(task.id.text) }
    }

    @Test("keeps a completed task that is unmarked in time")
    func unmarked() throws {
        let desk = try Desk()
        let task = try desk.list.add(TaskText(name: "again"))
        let done = try desk.list.mark([task], done: true)
        desk.wait(day / 2)
        try desk.list.mark(done, done: false)
        desk.wait(day)
        #expect(try desk.list.clearOld(after: day) == 0)
        #expect(try desk.names() == ["again"])
    }

    @Test(
        "shows cleared tasks again within a day, keeps them for another day, and removes them after that"
    )
    func undo() throws {
        let desk = try Desk()
        let task = try desk.list.add(TaskText(name: "cleared"))
        try desk.list.mark([task], done: true)
        desk.wait(day + .seconds(1))
        #expect(try desk.list.clearOld(after: day) == 1)
        desk.wait(day - .seconds(1))
        #expect(try desk.list.undoClearing() == 1)
        #expect(try desk.names() == ["cleared"])
        desk.wait(day)
        #expect(try desk.list.clearOld(after: day) == 0)
        desk.wait(.seconds(1))
        #expect(try desk.list.clearOld(after: day) == 1)
        desk.wait(day)
        #expect(try desk.list.clearOld(after: day) == 0)
        #expect(try desk.names(.cleared) == ["cleared"])
        desk.wait(.seconds(1))
        try desk.list.clearOld(after: day)
        #expect(try desk.names(.cleared) == ["cleared"], "a second command has to see it")
        desk.wait(day - .seconds(1))
        try desk.list.clearOld(after: day)
        #expect(try desk.names(.cleared) == ["cleared"])
        desk.wait(.seconds(1))
        try desk.list.clearOld(after: day)
        #expect(try desk.names(.cleared) == [])
        #expect(try desk.list.undoClearing() == 0)
        #expect(try desk.repository.completions(from: PointInTime(seconds: 0)).count == 1)
    }

    @Test("survives a clock that was a year ahead")
    func clockAhead() throws {
        let desk = try Desk()
        let task = try desk.list.add(TaskText(name: "done"))
        try desk.list.mark([task], done: true)
        desk.wait(day * 365)
        #expect(try desk.list.clearOld(after: day) == 1)
        desk.wait(.zero - day * 365)
        try desk.list.clearOld(after: day)
        #expect(try desk.list.undoClearing() == 1)
        #expect(try desk.names() == ["done"])
    }

    @Test("keeps cleared tasks while commands under the right clock come between those far ahead")
    func twoClocks() throws {
        let desk = try Desk()
        let task = try desk.list.add(TaskText(name: "done"))
        try desk.list.mark([task], done: true)
        #expect(try desk.list.clear() == 1)
        for _ in 0..<23 {
            try desk.list.clearOld(after: day)
            desk.wait(day * 365)
            try desk.list.clearOld(after: day)
            desk.wait(.zero - day * 365 + .seconds(3_600))
        }
        #expect(try desk.list.undoClearing() == 1)
        #expect(try desk.names() == ["done"])
    }

    @Test("finds a task by any unique prefix of its id")
    func finding() throws {
        let desk = try Desk()
        // No id has these letters.
        let tasks = try (0..<200).map { _ in try desk.list.add(TaskText(name: "ölü")) }
        for task in tasks {
            #expect(try desk.list.find(task.id.text.uppercased()).id == task.id)
        }
        // Of 200 ids at least two begin with the same character of 32.
        let shared = try #require(
            Dictionary(grouping: tasks, by: { $0.id.text.prefix(1) }).first { $0.value.count > 1 })
        let error = #expect(throws: TaskListError.self) {
            try desk.list.find(String(shared.key))
        }
        guard case .ambiguousTask(let ids) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(ids.count == min(6, shared.value.count))
        for typed in ["", "u", "abcdefg", "a b", "ä"] {
            #expect(throws: TaskListError.unknownTask) { try desk.list.find(typed) }
        }
    }

    @Test("takes digits for the position of a subtask, never for the beginning of an id")
    func subtaskPosition() throws {
        let text = TaskText(
            name: "paint",
            subtasks: [
                TodoSubtask(id: try #require(TaskID("6aaaaa")), name: "a"),
                TodoSubtask(id: try #require(TaskID("123456")), name: "b"),
            ])
        let task = TaskID()
        for (typed, index) in [("1", 0), ("2", 1), ("6a", 0), ("123456", 1)] {
            #expect(try text.subtaskIndex(typed, of: task) == index)
        }
        for typed in ["0", "3", "6", "12", "12345", "-1", ""] {
            #expect(throws: TaskListError.unknownSubtask(task)) {
                try text.subtaskIndex(typed, of: task)
            }
        }
    }

    @Test("searches text in any case and spelling, and protected text only while verified")
    func searching() throws {
        let desk = try Desk()
        try desk.list.add(TaskText(name: "STRASSE fegen"))
        try desk.list.add(TaskText(name: "other", notes: "the Straße"))
        var steps = TaskText(name: "steps")
        steps.addSubtask("cafe\u{301} strasse")
        try desk.list.add(steps)
        try desk.list.add(TaskText(name: "nothing"))
        try desk.list.addProtected(TaskText(name: "geheime Strasse"), in: desk.vault)
        func found(_ needle: String) throws -> [Int] {
            let found = try desk.list.find(TaskSelection(), containing: needle, in: desk.vault)
            return [found.tasks.count, found.unsearched]
        }
        #expect(try found("straße") == [4, 0])
        #expect(try found("CAF\u{C9}") == [1, 0])
        #expect(try found("nowhere") == [0, 0])
        let hidden = try desk.list.find(TaskSelection(), containing: "geheim", in: desk.vault)
        #expect(hidden.tasks.map(\.visibility) == [.hidden])
        desk.vault.endVerification()
        #expect(try found("straße") == [3, 1])
        desk.vault.lock()
        #expect(try found("straße") == [3, 1])
    }

    @Test("reveals all text in the order of the names, or none")
    func revealing() throws {
        let desk = try Desk()
        for name in ["b", "d"] { try desk.list.add(TaskText(name: name)) }
        for name in ["c", "a"] { try desk.list.addProtected(TaskText(name: name), in: desk.vault) }
        func names(_ order: TaskOrder, _ limit: Int? = nil) throws -> [String?] {
            try desk.list.reveal(TaskSelection(by: order, limit: limit), from: desk.vault).map {
                $0.text?.name
            }
        }
        #expect(try names(.name) == ["a", "b", "c", "d"])
        #expect(try names(.nameReversed) == ["d", "c", "b", "a"])
        #expect(try names(.name, 2) == ["a", "b"])
        #expect(Set(try names(.created)) == ["a", "b", "c", "d"])
        desk.vault.endVerification()
        #expect(throws: SecureStoreError.notVerified) { try names(.created) }
    }

    @Test("counts completions by the days of the calendar, also after clearing")
    func statistics() throws {
        let desk = try Desk()
        let berlin = RuleCalendar.centralEurope
        for hours in [0, 1, 23, 24] {
            let task = try desk.list.add(TaskText(name: "\(hours)"), due: PointInTime(seconds: 0))
            try desk.list.mark([task], done: true)
            desk.wait(.seconds(3_600 * (hours + 1)))
        }
        try desk.list.addProtected(
            TaskText(name: "late"), due: PointInTime(seconds: 0), in: desk.vault)
        try desk.list.add(TaskText(name: "open"))
        #expect(try desk.list.clear() == 4)
        let statistics = try desk.list.statistics(days: 7, in: berlin)
        #expect(statistics.days.count == 7)
        #expect(statistics.days.map(\.completed).reduce(0, +) == 4)
        #expect(zip(statistics.days, statistics.days.dropFirst()).allSatisfy { $0.date < $1.date })
        #expect(statistics.open == 2)
        #expect(statistics.overdue == 1)
        #expect(statistics.protected == 1)
        // The last one was completed 25 hours ago.
        #expect(statistics.completedLately == 0)
        #expect(try desk.list.completedLately() == 0)
        try desk.list.mark([try desk.list.add(TaskText(name: "now"))], done: true)
        #expect(try desk.list.completedLately() == 1)
    }

    @Test("a change of a task changes the digest of its group, and no other")
    func digests() throws {
        let desk = try Desk()
        for number in 0..<300 { try desk.list.add(TaskText(name: "\(number)")) }
        let first = try desk.list.groups()
        #expect(first.count > 100)
        #expect(
            try first.values.flatMap(\.ids).sorted()
                == desk.list.tasks(TaskSelection()).map(\.id)
                .sorted())
        #expect(
            first.allSatisfy { prefix, group in
                group.ids.allSatisfy { $0.text.hasPrefix(prefix) }
                    && group.digest.utf8.count == TaskGroup.digestLength
            })
        #expect(try desk.list.groups() == first, "they are those of the same tasks")
        func changed(since old: [String: TaskGroup]) throws -> [String] {
            let new = try desk.list.groups()
            return Set(old.keys).union(new.keys).filter { old[$0]?.digest != new[$0]?.digest }
                .sorted()
        }
        // Two tasks of one group: their changes do not make up for each other.
        let pair = try #require(first.values.first { $0.ids.count > 1 }).ids.prefix(2)
        let tasks = try Array(desk.list.existing(Array(pair)).values)
        try desk.list.mark(tasks, done: true)
        #expect(try changed(since: first) == [String(pair[0].text.prefix(2))])
        let second = try desk.list.groups()
        // What is cleared or removed is in no group.
        #expect(try desk.list.clear() == 2)
        #expect(try changed(since: second) == [String(pair[0].text.prefix(2))])
        let third = try desk.list.groups()
        let lone = try #require(third.values.first { $0.ids.count == 1 }).ids[0]
        try desk.list.remove(try #require(try desk.list.existing([lone])[lone]), from: nil)
        #expect(try changed(since: third) == [String(lone.text.prefix(2))])
        #expect(try desk.list.groups()[String(lone.text.prefix(2))] == nil)
    }

    @Test("copies everything into another database, if that is empty")
    func copying() throws {
        let desk = try Desk()
        let first = try desk.list.add(TaskText(name: "first", notes: "notes"))
        try desk.list.addProtected(TaskText(name: "second"), in: desk.vault)
        try desk.list.mark([first], done: true)
        let removed = try desk.list.add(TaskText(name: "removed"))
        let done = try desk.list.mark([removed], done: true)
        try desk.list.remove(done[0], from: nil)
        let textID = try #require(ProtectedTextID("abcdef.01234567"))
        try desk.repository.change { writer in
            try writer.put(VaultIntent(.discarding, textID))
        }
        let target = try TaskRepository.inMemory()
        #expect(try TaskCopy(of: desk.repository).write(to: target) == 2)
        func strip(_ tasks: [TodoTask]) -> [TodoTask] {
            tasks.map { task in
                var task = task
                task.revision = 1
                return task
            }
        }
        #expect(
            strip(try target.tasks(TaskSelection()))
                == strip(try desk.repository.tasks(TaskSelection())))
        #expect(try target.intents() == desk.repository.intents())
        let start = PointInTime(milliseconds: .min)
        #expect(try target.completions(from: start) == desk.repository.completions(from: start))
        #expect(throws: TaskListError.notEmpty) {
            try TaskCopy(of: desk.repository).write(to: target)
        }
        // A list without tasks that moves back counts each completion once.
        let (here, there) = (try TaskRepository.inMemory(), try TaskRepository.inMemory())
        try here.change { writer in
            try writer.countCompletion(of: TaskID(), at: PointInTime(seconds: 7))
        }
        for (source, target) in [(here, there), (there, here), (here, there)] {
            #expect(try TaskCopy(of: source).write(to: target) == 0)
            #expect(try target.completions(from: start).count == 1)
        }
    }

    @Test("refuses text that cannot be stored, plain or protected")
    func refused() throws {
        let desk = try Desk()
        let tooMany = (0..<501).map { _ in
            return TodoSubtask(id: TaskID(), name: "x")
        }
        let cases: [(TaskText, TaskTextRule.Violation)] = [
            (TaskText(name: ""), .emptyName(.name)),
            (TaskText(name: " \t\u{3000}"), .emptyName(.name)),
            (
                TaskText(name: String(repeating: "x", count: 100_000)),
                .tooLong(.name, maximum: 4_096)
            ),
            (TaskText(name: "a\0b"), .nullCharacter(.name)),
            (
                TaskText(name: "a", notes: String(repeating: "x", count: 300_000)),
                .tooLong(.notes, maximum: 262_144)
            ),
            (TaskText(name: "a", subtasks: tooMany), .tooManySubtasks),
        ]
        for (text, violation) in cases {
            #expect(throws: TaskListError.invalidText(violation)) { try desk.list.add(text) }
            #expect(throws: TaskListError.invalidText(violation)) {
                try desk.list.addProtected(text, in: desk.vault)
            }
        }
        #expect(try desk.names() == [])
        #expect(try desk.vault.list().isEmpty)
    }
}

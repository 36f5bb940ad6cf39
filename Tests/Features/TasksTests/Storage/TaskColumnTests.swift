@testable import Database
@testable import Tasks
import Testing
import TestSupport

/// The features that follow from a row of the table of columns.
@Suite("A column of a task that edits change")
struct TaskColumnTests {
    /// One of two values that a new task does not have.
    private static func value(of column: TaskColumn, _ number: Int = 0) -> DatabaseValue {
        switch column.kind {
        case .integer, .time: .integer(86_400_000 + Int64(number))
        // A day for the first value, except for a snooze.
        case .dayOrTime:
            .integer(column.name != "snooze" && number == 0 ? 172_799_999 : Int64(2 * number + 2))
        case .choice(let names): .integer(Int64(names.count - 1 - number))
        // Tags and ids.
        case .tags: .text("000009 00000\(number + 5)")
        case .text:
            switch column.name {
            case "repetition": .text("FREQ=DAILY;INTERVAL=\(number + 2)")
            case "occurrence": .text("2026120\(number + 1)")
            default: .text("\(number)")
            }
        case .bytes: .bytes([UInt8(number)])
        }
    }

    @Test(
        "is stored, kept beside another change, undone and exported", arguments: TaskColumn.editable
    )
    func column(column: TaskColumn) throws {
        let repository = try TaskRepository.inMemory()
        defer { repository.close() }
        func list() -> TaskList { TaskList(repository, on: "machine") { TaskSamples.time(1) } }
        func stored() throws -> TodoTask { try #require(try repository.task(TaskSamples.id(1))) }
        try repository.insert([TaskSamples.protected(1)])
        let before = try stored()
        let value = Self.value(of: column)
        #expect(column.value(before) != value)
        var edited = before
        try edited.set(column, to: value)
        // Another program changes the task first.
        var other = before
        other.completion = TaskCompletion(time: TaskSamples.time(5))
        try list().replace(other)
        try list().edit(before, to: edited)
        #expect(column.value(try stored()) == value)
        #expect(try stored().completion == other.completion)
        let file = try written(
            [ExchangedTask(try stored(), text: TaskText(name: "n"))], as: .taskVault)
        #expect(column.value(try #require(try read(file).tasks.first).task) == value)
        _ = try list().undo(in: nil)
        #expect(column.value(try stored()) == column.value(before))
        #expect(try stored().completion == other.completion)
    }

    @Test("cannot be changed by two programs, except for a snooze", arguments: TaskColumn.editable)
    func conflict(column: TaskColumn) throws {
        let repository = try TaskRepository.inMemory()
        defer { repository.close() }
        let list = TaskList(repository) { TaskSamples.time(1) }
        try repository.insert([TaskSamples.protected(1)])
        let before = try #require(try repository.task(TaskSamples.id(1)))
        var (first, second) = (before, before)
        try first.set(column, to: Self.value(of: column))
        try second.set(column, to: Self.value(of: column, 1))
        try list.edit(before, to: first)
        let error = taskListError { try list.edit(before, to: second) }
        #expect(error == (column.name == "snooze" ? nil : .conflict(before.id, found: 2)))
    }

    private func taskListError(_ body: () throws -> Void) -> TaskListError? {
        do {
            try body()
            return nil
        } catch {
            return error as? TaskListError
        }
    }
}

extension TaskColumn: CustomTestStringConvertible {
    /// The name.
    public var testDescription: String { name }
}

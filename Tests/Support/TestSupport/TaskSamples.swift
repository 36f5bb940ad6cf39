package import Tasks

/// Tasks for many tests.
package enum TaskSamples {
    /// The id of six characters for a number.
    package static func id(_ number: Int) -> TaskID {
        let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")
        let characters = (0..<TaskID.length).reversed().map { digits[(number >> (5 * $0)) & 31] }
        guard let id = TaskID(String(characters)) else {
            preconditionFailure("these are characters of ids")
        }
        return id
    }

    /// The id of a task's text in the vault.
    package static func textID(_ number: Int, _ suffix: String = "00000000") -> ProtectedTextID {
        guard let textID = ProtectedTextID(id(number).text + "." + suffix) else {
            preconditionFailure("these are characters of ids")
        }
        return textID
    }

    /// The times from the first to the last year that a task may have.
    package static let years = time(-62_135_596_800_000)...time(253_402_300_799_999)

    /// A point in time by its milliseconds.
    package static func time(_ milliseconds: Int64) -> PointInTime {
        PointInTime(milliseconds: milliseconds)
    }

    /// A task that is not protected.
    package static func plain(
        _ number: Int, _ name: String = "a task", notes: String = "",
        _ subtasks: [TodoSubtask] = [], due: PointInTime? = nil, created: Int64 = 1_000,
        completion: TaskCompletion? = nil
    ) -> TodoTask {
        TodoTask(
            id: id(number),
            content: .plain(TaskText(name: name, notes: notes, subtasks: subtasks)),
            due: due.map { .moment($0) }, created: time(created), completion: completion)
    }

    /// A protected task.
    package static func protected(
        _ number: Int, due: PointInTime? = nil, created: Int64 = 1_000,
        completion: TaskCompletion? = nil
    ) -> TodoTask {
        TodoTask(
            id: id(number), content: .protected(textID(number)), due: due.map { .moment($0) },
            created: time(created), completion: completion)
    }

    /// Subtasks of these names, with ids in descending order, to expose an order by id.
    package static func subtasks(_ names: String...) -> [TodoSubtask] {
        subtasks(contentsOf: names)
    }

    /// Subtasks of these names, with ids in descending order.
    package static func subtasks(contentsOf names: [String]) -> [TodoSubtask] {
        names.enumerated().map { index, name in
            TodoSubtask(
                id: id(1_000 - index), name: name, isDone: index % 2 == 1,
                due: index % 3 == 1 ? .moment(time(Int64(index))) : nil,
                reminder: index % 3 == 2 ? .moment(time(Int64(index))) : nil)
        }
    }
}

extension TodoTask {
    /// Gives a task something in each of its public parts.
    package mutating func fillPublicPart() {
        wait = .moment(TaskSamples.time(11))
        reminder = .moment(TaskSamples.time(12))
        snooze = TaskSamples.time(13)
        repetition = RepeatRule(.weekly, interval: 2)
        priority = .medium
        list = "Hôme "
        tags = ["b", "A", "ß"]
        if isProtected { nickname = "the one" }
    }
}

/// A task whose texts are compared byte by byte, unlike Swift's strings.
package struct ExactTask: Hashable {
    private let task: TodoTask
    private let texts: [[UInt8]]

    package init(_ task: TodoTask) {
        self.task = task
        let text = task.plainText
        let labels = [task.list, task.nickname] + task.tags
        texts =
            (labels + [text?.name, text?.notes, text?.further] + (text?.subtasks ?? []).map(\.name))
            .map {
                Array(($0 ?? "").utf8)
            }
    }
}

extension TaskRepository {
    /// Adds tasks in one transaction.
    package func insert(_ tasks: [TodoTask]) throws {
        try change { writer in for task in tasks { try writer.insert(task) } }
    }

    /// The task, byte for byte.
    package func exactTask(_ id: TaskID) throws -> ExactTask? {
        try task(id).map(ExactTask.init)
    }

    /// All tasks, including cleared ones, in the order of their ids, byte for byte.
    package func everything() throws -> [ExactTask] {
        let shown = try tasks(TaskSelection(TaskFilter(.openOrDone)))
        let cleared = try tasks(TaskSelection(TaskFilter(.cleared)))
        return (shown + cleared).sorted { $0.id < $1.id }.map(ExactTask.init)
    }
}

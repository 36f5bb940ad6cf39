/// All of a database of tasks: tasks, completions and intents.
public struct TaskCopy: Sendable {
    private let tasks: [TodoTask]
    private let completions: [PointInTime]
    private let intents: [VaultIntent]

    /// Reads a database.
    ///
    /// - Throws: `DatabaseError`.
    public init(of source: TaskRepository) throws {
        tasks =
            try source.tasks(TaskSelection(TaskFilter(.openOrDone)))
            + source.tasks(TaskSelection(TaskFilter(.cleared)))
        completions = try source.completions(from: PointInTime(milliseconds: .min))
        intents = try source.intents()
    }

    /// Writes the copy into an empty database in one transaction.
    ///
    /// - Returns: The number of tasks, including cleared ones.
    /// - Throws: ``TaskListError/notEmpty`` if there are tasks or intents; `DatabaseError`.
    public func write(to target: TaskRepository) throws -> Int {
        let count = try target.count(TaskFilter()) + target.count(TaskFilter(.cleared))
        guard try count == 0 && target.intents().isEmpty else { throw TaskListError.notEmpty }
        // A list that returns to an earlier database finds the completions of that time there.
        let known = try target.completions(from: PointInTime(milliseconds: .min))
        let past = completions(without: tasks.compactMap(\.completion?.time) + known)
        try target.change { writer in
            for task in tasks { try writer.insert(task) }
            for time in past { try writer.countCompletion(of: TaskID(), at: time) }
            // The copy has no bytes that are to be erased.
            for intent in intents where intent.kind != .erasing { try writer.put(intent) }
        }
        return tasks.count
    }

    /// The completions that are not counted with their tasks, or in the target already.
    private func completions(without others: [PointInTime]) -> [PointInTime] {
        var counts: [PointInTime: Int] = [:]
        for time in others { counts[time, default: 0] += 1 }
        return completions.filter { time in
            guard let count = counts[time], count > 0 else { return true }
            counts[time] = count - 1
            return false
        }
    }
}

/// A reminder of an open task.
public struct DueReminder: Sendable, Hashable {
    /// The task.
    public let task: TaskID
    /// The subtask, if the reminder is one's.
    public let subtask: TaskID?
    /// The time at which it fires.
    public let time: PointInTime
    /// The due time of the task.
    public let due: PointInTime?
    /// The name of the task or subtask; nil if the task is protected.
    public let name: String?
    /// For a subtask, the name of its task; nil if that is protected.
    public let taskName: String?
    /// Whether the text of the task is in the vault.
    public let isProtected: Bool
    /// The list of the task.
    public let list: String?

    /// Makes a reminder.
    public init(
        task: TaskID, subtask: TaskID? = nil, time: PointInTime, due: PointInTime? = nil,
        name: String?, taskName: String? = nil, isProtected: Bool = false, list: String? = nil
    ) {
        self.task = task
        self.subtask = subtask
        self.time = time
        self.due = due
        self.name = name
        self.taskName = taskName
        self.isProtected = isProtected
        self.list = list
    }
}

// The reminder of a task is at its due time.
extension TaskList {
    /// The reminders of open tasks after one time and up to another.
    ///
    /// - Parameters:
    ///   - start: The time before the first.
    ///   - end: The time of the last.
    ///   - limit: The most reminders that are returned.
    /// - Returns: The first ones, oldest first, and the number of all.
    /// - Throws: `DatabaseError`.
    public func reminders(
        after start: PointInTime, through end: PointInTime, limit: Int
    ) throws -> (first: [DueReminder], count: Int) {
        let all = try waitingReminders(before: end.advanced(by: .milliseconds(1)))
            .filter { start < $0.time }
        return (Array(all.prefix(max(limit, 0))), all.count)
    }

    /// The time of the next reminder after a time; nil if there is none.
    public func nextReminder(after time: PointInTime) throws -> PointInTime? {
        try waitingReminders(before: nil).first { time < $0.time }?.time
    }

    /// Marks the task or subtask of a reminder as done.
    ///
    /// - Returns: Whether it was; `false`, without a change, if the task is gone or done, or its reminder was moved.
    public func finish(_ reminder: DueReminder) throws -> Bool {
        guard let task = try task(of: reminder) else { return false }
        do {
            try mark([task], done: true)
            return true
        } catch TaskListError.conflict, TaskListError.missing {
            return false
        }
    }

    /// Moves a reminder to a later time.
    ///
    /// - Returns: Whether the task still has it.
    public func snooze(_ reminder: DueReminder, until time: PointInTime) throws -> Bool {
        try task(of: reminder) != nil
    }

    private func task(of reminder: DueReminder) throws -> TodoTask? {
        guard let task = try existing([reminder.task])[reminder.task],
            task.hasReminder, !task.isDone, task.due == reminder.time
        else { return nil }
        return task
    }

    private func waitingReminders(before end: PointInTime?) throws -> [DueReminder] {
        try tasks(TaskSelection(TaskFilter(.open, dueBefore: end), by: .due)).compactMap { task in
            guard task.hasReminder, let due = task.due else { return nil }
            return DueReminder(
                task: task.id, time: due, due: due, name: task.plainText?.name,
                isProtected: task.isProtected)
        }
    }
}

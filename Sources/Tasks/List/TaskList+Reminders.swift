internal import Database

/// A reminder of an open task, or of an open subtask of one.
public struct DueReminder: Sendable, Hashable {
    /// The task.
    public let task: TaskID
    /// The subtask; nil for a reminder of the task.
    public let subtask: TaskID?
    /// When it is announced.
    public let time: PointInTime
    /// When the task or subtask is due.
    public let due: PointInTime?
    /// The name of the task or subtask; of a protected one nil, or its nickname for the task.
    public let name: String?
    /// The name of the subtask's task, as ``name``.
    public let taskName: String?
    /// Whether the task is protected.
    public let isProtected: Bool
    /// The name of the task's list.
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

extension TaskList {
    /// The reminders in `(start, end]`, the earliest first.
    ///
    /// - Parameters:
    ///   - start: Earlier reminders are left out, and those at this time.
    ///   - end: The last time.
    ///   - limit: The most reminders.
    /// - Returns: The first reminders, and the number of all.
    /// - Throws: `DatabaseError`.
    public func reminders(
        after start: PointInTime, through end: PointInTime, limit: Int
    ) throws -> (first: [DueReminder], count: Int) {
        let (found, count) = try repository.reminders(after: start, through: end, limit: limit)
        let tasks = try existing(Array(Set(found.map(\.task))))
        let reminders = found.compactMap { place -> DueReminder? in
            guard let task = tasks[place.task] else { return nil }
            return DueReminder(place, of: task)
        }
        return (reminders, count)
    }

    /// The time of the first reminder after a time; nil if there is none.
    public func nextReminder(after time: PointInTime) throws -> PointInTime? {
        let end = PointInTime(milliseconds: .max)
        return try repository.reminders(after: time, through: end, limit: 1).found.first?.time
    }

    /// Marks what a reminder is about as done.
    ///
    /// - Returns: `false`, with nothing changed, if the task or subtask is gone or done, or has another reminder now.
    @discardableResult
    public func finish(_ reminder: DueReminder) throws -> Bool {
        try unlessChanged {
            guard let task = try waiting(reminder) else { return false }
            if let subtask = reminder.subtask {
                try replace(task.changing(subtask) { $0.isDone = true })
            } else {
                try finish([task], in: SystemCalendar())
            }
            return true
        }
    }

    /// Puts a reminder off.
    ///
    /// - Returns: As ``finish(_:)``.
    @discardableResult
    public func snooze(_ reminder: DueReminder, until time: PointInTime) throws -> Bool {
        try unlessChanged {
            guard var task = try waiting(reminder) else { return false }
            if let subtask = reminder.subtask {
                task = task.changing(subtask) { $0.reminder = time }
            } else {
                task.snooze = time
            }
            try replace(task)
            return true
        }
    }

    private func unlessChanged(_ body: () throws -> Bool) throws -> Bool {
        do {
            return try body()
        } catch TaskListError.conflict, TaskListError.missing {
            return false
        }
    }

    /// The task of a reminder that was not changed since.
    private func waiting(_ reminder: DueReminder) throws -> TodoTask? {
        guard let task = try repository.task(reminder.task), !task.isDone else { return nil }
        guard let subtask = reminder.subtask else {
            return task.announcement == reminder.time ? task : nil
        }
        let step = task.allSteps.first { $0.id == subtask }
        return step?.isDone == false && step?.reminder == reminder.time ? task : nil
    }
}

extension DueReminder {
    fileprivate init(_ place: ReminderPlace, of task: TodoTask) {
        let title = task.plainText?.name ?? task.nickname
        let step = place.subtask.flatMap { id in task.allSteps.first { $0.id == id } }
        let subtask = task.plainText?.subtasks.first { $0.id == place.subtask }
        self.init(
            task: task.id, subtask: place.subtask, time: place.time,
            due: place.subtask == nil ? task.due : step?.due,
            name: place.subtask == nil ? title : subtask?.name,
            taskName: place.subtask == nil ? nil : title, isProtected: task.isProtected,
            list: task.list)
    }
}

extension TodoTask {
    /// What the database has of the subtasks.
    fileprivate var allSteps: [TaskStep] { plainText?.subtasks.map(TaskStep.init) ?? steps }

    /// The task with a changed subtask.
    fileprivate func changing(_ id: TaskID, _ change: (inout TaskStep) -> Void) -> TodoTask {
        var task = self
        if var text = plainText {
            for index in text.subtasks.indices where text.subtasks[index].id == id {
                var step = TaskStep(text.subtasks[index])
                change(&step)
                text.subtasks[index] = TodoSubtask(step, name: text.subtasks[index].name)
            }
            task.content = .plain(text)
        } else {
            for index in task.steps.indices where task.steps[index].id == id {
                change(&task.steps[index])
            }
        }
        return task
    }
}

/// Where a reminder is.
struct ReminderPlace {
    let task: TaskID
    let subtask: TaskID?
    let time: PointInTime
}

extension TaskRepository {
    /// The reminders in `(start, end]` of open tasks, the earliest first, and their number.
    fileprivate func reminders(
        after start: PointInTime, through end: PointInTime, limit: Int
    ) throws -> (found: [ReminderPlace], count: Int) {
        let range = [DatabaseValue.integer(start.milliseconds), .integer(end.milliseconds)]
        return try snapshot { transaction in
            let size = min(limit, transaction.pageSize)
            let tasks = try transaction.rows(
                """
                SELECT id, coalesce(snooze, reminder) FROM tasks
                WHERE state = 0 AND coalesce(snooze, reminder) IS NOT NULL
                    AND coalesce(snooze, reminder) > $1 AND coalesce(snooze, reminder) <= $2
                ORDER BY coalesce(snooze, reminder) LIMIT $3
                """, range + [.integer(Int64(size))]
            ) {
                try ReminderPlace(
                    task: $0.taskID(0), subtask: nil,
                    time: PointInTime(milliseconds: $0.integer(1)))
            }
            let subtasks = try transaction.rows(
                """
                SELECT s.task, s.id, s.reminder FROM subtasks AS s
                JOIN tasks AS t ON t.id = s.task AND t.state = 0
                WHERE s.done = 0 AND s.reminder IS NOT NULL AND s.reminder > $1 AND s.reminder <= $2
                ORDER BY s.reminder LIMIT $3
                """, range + [.integer(Int64(size))]
            ) {
                try ReminderPlace(
                    task: $0.taskID(0), subtask: $0.taskID(1),
                    time: PointInTime(milliseconds: $0.integer(2)))
            }
            let found = (tasks + subtasks).sorted { $0.time < $1.time }.prefix(size)
            if tasks.count < size, subtasks.count < size {
                return (Array(found), tasks.count + subtasks.count)
            }
            let count = try transaction.row(
                """
                SELECT (SELECT count(*) FROM tasks
                        WHERE state = 0 AND coalesce(snooze, reminder) IS NOT NULL
                            AND coalesce(snooze, reminder) > $1 AND coalesce(snooze, reminder) <= $2)
                    + (SELECT count(*) FROM subtasks AS s
                        JOIN tasks AS t ON t.id = s.task AND t.state = 0
                        WHERE s.done = 0 AND s.reminder IS NOT NULL AND s.reminder > $1
                            AND s.reminder <= $2)
                """, range
            ) { Int(try $0.integer(0)) }
            return (Array(found), count ?? 0)
        }
    }
}

internal import Database

extension TaskList {
    /// The reminders in `(start, end]`, in the order of their places.
    ///
    /// - Parameters:
    ///   - start: The time after which reminders are listed.
    ///   - end: The last time.
    ///   - isWanted: Whether a reminder is listed. The tasks of others are not read.
    /// - Returns: The reminders.
    /// - Throws: `DatabaseError`.
    public func reminders(
        after start: PointInTime, through end: PointInTime,
        where isWanted: (ReminderPlace) -> Bool = { _ in true }
    ) throws -> [DueReminder] {
        let size = 1_000
        var reminders: [DueReminder] = []
        var last: ReminderPlace?
        while true {
            let page = try repository.reminders(
                after: start, beyond: last, through: end, limit: size)
            // A server that repeats rows must not cause an endless loop.
            if let last, let first = page.first, first <= last { throw DatabaseError.damagedTask }
            reminders += try self.reminders(at: page.filter(isWanted))
            guard page.count == size else { return reminders }
            last = page.last
        }
    }

    /// The reminders at places. Reminders that are done, removed or moved meanwhile are skipped.
    public func reminders(at places: [ReminderPlace]) throws -> [DueReminder] {
        guard !places.isEmpty else { return [] }
        let tasks = try existing(Array(Set(places.map(\.task))))
        return places.compactMap { place in
            guard let task = tasks[place.task], task.announces(place) else { return nil }
            return DueReminder(place, of: task)
        }
    }

    /// The time of the first reminder after a time; nil if there is none.
    public func nextReminder(after time: PointInTime) throws -> PointInTime? {
        try repository.reminders(
            after: time, beyond: nil, through: PointInTime(milliseconds: .max), limit: 1
        ).first?.time
    }

    /// Finishes the task or subtask of a reminder.
    ///
    /// - Returns: `false`, with nothing changed, if the task or subtask is gone or done, or has another reminder now.
    @discardableResult
    public func finish(_ reminder: ReminderPlace) throws -> Bool {
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

    /// Postpones a reminder.
    ///
    /// - Returns: As ``finish(_:)``.
    @discardableResult
    public func snooze(_ reminder: ReminderPlace, until time: PointInTime) throws -> Bool {
        try unlessChanged {
            guard var task = try waiting(reminder) else { return false }
            if let subtask = reminder.subtask {
                task = task.changing(subtask) { $0.snooze = time }
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

    /// The task of a reminder; nil if the reminder is not current.
    private func waiting(_ reminder: ReminderPlace) throws -> TodoTask? {
        guard let task = try repository.task(reminder.task), task.announces(reminder) else {
            return nil
        }
        return task
    }
}

extension DueReminder {
    fileprivate init(_ place: ReminderPlace, of task: TodoTask) {
        let title = task.plainText?.name ?? task.nickname
        let subtask = task.allSubtasks.first { $0.id == place.subtask }
        self.init(
            task: task.id, subtask: place.subtask, time: place.time,
            due: place.subtask == nil ? task.due : subtask?.due,
            name: place.subtask == nil ? title : task.isProtected ? nil : subtask?.name,
            taskName: place.subtask == nil ? nil : title, isProtected: task.isProtected,
            list: task.list)
    }
}

extension TodoTask {
    /// Whether the task has this reminder.
    fileprivate func announces(_ place: ReminderPlace) -> Bool {
        guard !isDone else { return false }
        guard let subtask = place.subtask else { return announcement == place.time }
        let row = allSubtaskRows.first { $0.id == subtask }
        return row?.isDone == false && row?.announcement == place.time
    }

    /// The task with a changed subtask.
    fileprivate func changing(_ id: TaskID, _ change: (inout SubtaskRow) -> Void) -> TodoTask {
        var task = self
        task.changeSubtasks { if $0.id == id { change(&$0) } }
        return task
    }
}

extension TaskRepository {
    /// The first places in `(start, end]` of reminders of open tasks, those beyond `last` if it is given.
    fileprivate func reminders(
        after start: PointInTime, beyond last: ReminderPlace?, through end: PointInTime, limit: Int
    ) throws -> [ReminderPlace] {
        // `~` sorts behind every id, so that the places at `start` are skipped.
        let values: [DatabaseValue] = [
            .integer((last?.time ?? start).milliseconds), .integer(end.milliseconds),
            .text(last?.task.text ?? "~"), .integer(Int64(limit)),
        ]
        return try snapshot { transaction in
            let tasks = try transaction.rows(
                """
                SELECT id, coalesce(snooze, reminder) FROM tasks
                WHERE state = 0 AND coalesce(snooze, reminder) IS NOT NULL
                    AND coalesce(snooze, reminder) >= $1 AND coalesce(snooze, reminder) <= $2
                    AND (coalesce(snooze, reminder) > $1 OR id > $3)
                ORDER BY coalesce(snooze, reminder), id LIMIT $4
                """, values
            ) {
                try ReminderPlace(PointInTime(milliseconds: $0.integer(1)), task: $0.taskID(0))
            }
            let subtasks = try transaction.rows(
                """
                SELECT s.task, s.id, coalesce(s.snooze, s.reminder) FROM subtasks AS s
                JOIN tasks AS t ON t.id = s.task AND t.state = 0
                WHERE s.done = 0 AND coalesce(s.snooze, s.reminder) IS NOT NULL
                    AND coalesce(s.snooze, s.reminder) >= $1 AND coalesce(s.snooze, s.reminder) <= $2
                    AND (coalesce(s.snooze, s.reminder) > $1 OR s.task > $3
                        OR (s.task = $3 AND s.id > $5))
                ORDER BY coalesce(s.snooze, s.reminder), s.task, s.id LIMIT $4
                """, values + [.text(last?.subtask?.text ?? "")]
            ) {
                try ReminderPlace(
                    PointInTime(milliseconds: $0.integer(2)), task: $0.taskID(0),
                    subtask: $0.taskID(1))
            }
            return Array((tasks + subtasks).sorted().prefix(limit))
        }
    }
}

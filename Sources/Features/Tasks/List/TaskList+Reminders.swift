internal import Database

extension TaskList {
    /// The reminders that are announced in `(start, end]`, in the order of their times.
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
        var reminders: [DueReminder] = []
        try forEachPage(after: start, through: end) { page in
            reminders += try self.reminders(at: page.filter(isWanted))
            return true
        }
        return reminders.sorted { ($0.time, $0.place) < ($1.time, $1.place) }
    }

    /// The reminders at places. Reminders that are done, removed or moved meanwhile are skipped.
    public func reminders(at places: [ReminderPlace]) throws -> [DueReminder] {
        guard !places.isEmpty else { return [] }
        let tasks = try existing(Array(Set(places.map(\.task))))
        return places.compactMap { place in
            guard let task = tasks[place.task], task.announces(place) else { return nil }
            return DueReminder(place, of: task, at: days.announcement(of: place.time))
        }
    }

    /// The time of the first reminder after a time; nil if there is none.
    public func nextReminder(after time: PointInTime) throws -> PointInTime? {
        var first: PointInTime?
        try forEachPage(after: time, through: PointInTime(milliseconds: .max), of: 64) { page in
            let times = page.map { days.announcement(of: $0.time) }
            first = (times + [first].compactMap(\.self)).min()
            // A later page may have a day that is announced before.
            guard let first, let last = page.last?.time.stored else { return true }
            return last <= ReminderRange(after: first, through: first).last
        }
        return first
    }

    /// Reads the places of the reminders that are announced in `(start, end]`, page by page in the order of the places, while `body` returns
    /// `true`.
    private func forEachPage(
        after start: PointInTime, through end: PointInTime, of size: Int = 1_000,
        _ body: ([ReminderPlace]) throws -> Bool
    ) throws {
        let range = ReminderRange(after: start, through: end)
        var last: ReminderPlace?
        while true {
            let page = try repository.reminders(in: range, beyond: last, limit: size)
            // A server that repeats rows must not cause an endless loop.
            if let last, let first = page.first, first <= last { throw DatabaseError.damagedTask }
            let announced = page.filter { place in
                let time = days.announcement(of: place.time)
                return start < time && time <= end
            }
            guard try body(announced), page.count == size else { return }
            last = page.last
        }
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
                try finish([task], in: days.calendar)
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
    fileprivate init(_ place: ReminderPlace, of task: TodoTask, at time: PointInTime) {
        let title = task.plainText?.name ?? task.nickname
        let subtask = task.allSubtasks.first { $0.id == place.subtask }
        self.init(
            task: task.id, subtask: place.subtask, reminder: place.time, time: time,
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

/// The stored times of the reminders that are announced in `(start, end]`.
///
/// A day is stored as its end in UTC. It is announced up to 38 hours earlier: at its start in the first zone. At most, it is announced 12
/// hours later: at its end in the last zone.
private struct ReminderRange {
    private static let earliest: Int64 = 38 * 7_200_000
    private static let latest: Int64 = 12 * 7_200_000

    /// Points in time in `(start, end]`.
    let start: Int64
    let end: Int64
    /// Days, and also the points in time.
    let first: Int64
    let last: Int64

    init(after start: PointInTime, through end: PointInTime) {
        self.start = TaskTime.moment(start).stored
        self.end = TaskTime.moment(end).stored
        first = max(Int64.min + Self.latest, self.start) - Self.latest
        last = min(Int64.max - Self.earliest, self.end) + Self.earliest
    }
}

extension TaskRepository {
    /// The first places in a range of reminders of open tasks, those beyond `last` if it is given.
    fileprivate func reminders(
        in range: ReminderRange, beyond last: ReminderPlace?, limit: Int
    ) throws -> [ReminderPlace] {
        // `~` sorts behind every id, so that the places at the beginning are skipped.
        let values: [DatabaseValue] = [
            .integer(last?.time.stored ?? range.first), .integer(range.last),
            .text(last?.task.text ?? "~"), .integer(Int64(limit)), .integer(range.start),
            .integer(range.end),
        ]
        return try snapshot { transaction in
            let tasks = try transaction.rows(
                """
                SELECT id, coalesce(snooze, reminder) FROM tasks
                WHERE state = 0 AND coalesce(snooze, reminder) IS NOT NULL
                    AND coalesce(snooze, reminder) >= $1 AND coalesce(snooze, reminder) <= $2
                    AND (coalesce(snooze, reminder) > $1 OR id > $3)
                    AND (coalesce(snooze, reminder) & 1 = 1
                        OR coalesce(snooze, reminder) > $5 AND coalesce(snooze, reminder) <= $6)
                ORDER BY coalesce(snooze, reminder), id LIMIT $4
                """, values
            ) {
                guard let time = try $0.dayOrTime(1) else { throw DatabaseError.damagedTask }
                return try ReminderPlace(time, task: $0.taskID(0))
            }
            let subtasks = try transaction.rows(
                """
                SELECT s.task, s.id, coalesce(s.snooze, s.reminder) FROM subtasks AS s
                JOIN tasks AS t ON t.id = s.task AND t.state = 0
                WHERE s.done = 0 AND coalesce(s.snooze, s.reminder) IS NOT NULL
                    AND coalesce(s.snooze, s.reminder) >= $1 AND coalesce(s.snooze, s.reminder) <= $2
                    AND (coalesce(s.snooze, s.reminder) > $1 OR s.task > $3
                        OR (s.task = $3 AND s.id > $7))
                    AND (coalesce(s.snooze, s.reminder) & 1 = 1
                        OR coalesce(s.snooze, s.reminder) > $5 AND coalesce(s.snooze, s.reminder) <= $6)
                ORDER BY coalesce(s.snooze, s.reminder), s.task, s.id LIMIT $4
                """, values + [.text(last?.subtask?.text ?? "")]
            ) {
                guard let time = try $0.dayOrTime(2) else { throw DatabaseError.damagedTask }
                return try ReminderPlace(time, task: $0.taskID(0), subtask: $0.taskID(1))
            }
            return Array((tasks + subtasks).sorted().prefix(limit))
        }
    }
}

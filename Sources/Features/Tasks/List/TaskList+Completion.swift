// Completion: tasks become done, repeat or become open again.
extension TaskList {
    /// Marks tasks as done in one transaction. A repeated task moves to its next time, and no task waits for it any more. A task that is
    /// done already changes only in its subtasks.
    ///
    /// - Parameters:
    ///   - tasks: The tasks as they were read.
    ///   - isWithSubtasks: Whether the subtasks that the database has are done too.
    ///   - calendar: The calendar of the owner, for repeated tasks.
    /// - Returns: The changed tasks, and whether a repeated task skipped times that have passed.
    /// - Throws: ``TaskListError/conflict(_:found:)``; ``TaskListError/missing(_:)``.
    @discardableResult
    public func finish(
        _ tasks: [TodoTask], withSubtasks isWithSubtasks: Bool = false,
        in calendar: some LocalCalendar
    ) throws -> [(task: TodoTask, hasSkipped: Bool)] {
        let now = now()
        return try change { writer in
            var repeated: [TaskID] = []
            let changes = try tasks.map { task in
                var changed = task
                if isWithSubtasks { changed.changeSubtasks { $0.isDone = true } }
                if task.isDone {
                    return (changed == task ? task : try writer.replace(changed), false)
                }
                guard let next = changed.repeated(now: now, in: calendar) else {
                    // The last times may have passed.
                    let hasSkipped = changed.nextOccurrence(in: calendar) != nil
                    changed.completion = TaskCompletion(time: now)
                    return (try writer.replace(changed), hasSkipped)
                }
                let replaced = try writer.replace(next.task)
                try writer.countCompletion(of: task.id, at: now)
                try writer.recordCompletion(of: task.id, at: now)
                repeated.append(task.id)
                return (replaced, next.hasSkipped)
            }
            // Otherwise the next occurrence would block them, and the one after it.
            for id in repeated { try writer.release(from: id) }
            return changes
        }
    }

    /// Marks tasks as open in one transaction. A task that is open already changes only in its subtasks.
    ///
    /// - Returns: The tasks as they are now.
    @discardableResult
    public func reopen(
        _ tasks: [TodoTask], withSubtasks isWithSubtasks: Bool = false
    ) throws -> [TodoTask] {
        try change { writer in
            try tasks.map { task in
                var changed = task
                changed.completion = nil
                if isWithSubtasks { changed.changeSubtasks { $0.isDone = false } }
                return changed == task ? task : try writer.replace(changed)
            }
        }
    }
}

extension TodoTask {
    /// The task at its next time; nil if it does not repeat, or was the last.
    ///
    /// Its subtasks are open again. Reminders, the start and the times of subtasks keep their distance. Times outside the years 1 to 9999 are
    /// removed. Without a current time, no occurrence is skipped. A due time that the owner moved counts only for this occurrence: the others keep the distance to the scheduled one.
    package func repeated(
        now: PointInTime?, in calendar: some LocalCalendar
    ) -> (task: TodoTask, hasSkipped: Bool)? {
        guard let due, let present = presentOccurrence(in: calendar),
            let next = nextOccurrence(now: now, in: calendar)
        else { return nil }
        // Another zone's rule may set its clocks at another time.
        let zone = present.calendar(or: calendar)
        let days = Int(
            next.occurrence.scheduled.date.number - present.scheduled.date.number)
        /// A start, or a time of a subtask: so many days later at the same time of day.
        func moved(_ time: TaskTime?) -> TaskTime? {
            switch time {
            case nil: return nil
            case .day(let date): return TaskTime.day(date.advanced(byDays: days)).ifStorable
            case .moment(let time):
                let local = zone.local(at: time)
                let date = local.date.advanced(byDays: days)
                return TaskTime.moment(zone.moment(of: local.moved(to: date))).ifStorable
            }
        }
        var task = self
        // A moved occurrence moved its reminder, too.
        let scheduled = present.dueTime(in: calendar)
        task.reminder =
            reminder?.moved(from: due, to: scheduled, in: zone)
            .moved(from: scheduled, to: next.due, in: zone).ifStorable
        (task.due, task.snooze) = (next.due, nil)
        (task.repetition, task.occurrence) = (next.rule, next.occurrence)
        task.wait = moved(wait)
        task.changeSubtasks { row in
            row.isDone = false
            let old = row.due
            row.due = moved(old)
            row.reminder =
                if let old, let new = row.due {
                    row.reminder?.moved(from: old, to: new, in: zone).ifStorable
                } else {
                    moved(row.reminder)
                }
            row.snooze = nil
        }
        task.subtaskRows.removeAll { !$0.isNeeded }
        return (task, next.hasSkipped)
    }
}

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
                    let hasSkipped =
                        task.due.map { changed.repeated(now: $0, in: calendar) != nil } ?? false
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
    /// Its subtasks are open again. Reminders keep their distance to the due time. The start and the times of subtasks keep their distance in
    /// days and their time of day. Times outside the years 1 to 9999 are removed.
    fileprivate func repeated(
        now: PointInTime, in calendar: some LocalCalendar
    ) -> (task: TodoTask, hasSkipped: Bool)? {
        guard let due, let repetition,
            let next = repetition.next(after: due, now: now, in: calendar)
        else { return nil }
        let days = calendar.local(at: next.due).date.number - calendar.local(at: due).date.number
        func moved(_ time: PointInTime?) -> PointInTime? {
            guard let time else { return nil }
            let local = calendar.local(at: time)
            let date = local.date.advanced(byDays: Int(days))
            return calendar.moment(of: local.moved(to: date)).ifStorable
        }
        var task = self
        task.setDue(next.due)
        task.reminder = task.reminder?.ifStorable
        task.repetition = next.rule
        task.wait = moved(wait)
        task.changeSubtasks { row in
            row.isDone = false
            let old = row.due
            row.due = moved(old)
            row.reminder =
                if let old, let new = row.due {
                    row.reminder?.moved(from: old, to: new).ifStorable
                } else {
                    moved(row.reminder)
                }
            row.snooze = nil
        }
        task.subtaskRows.removeAll { !$0.isNeeded }
        return (task, next.hasSkipped)
    }
}

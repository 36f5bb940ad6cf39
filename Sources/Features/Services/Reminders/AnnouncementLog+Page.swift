package import Tasks

extension AnnouncementLog {
    /// The reminders that are due and that no program has announced, for a caller that shows them at once. Each is logged first, so that it
    /// is announced once.
    ///
    /// - Parameters:
    ///   - source: The settings and the tasks.
    ///   - now: The current time.
    /// - Returns: The reminders, oldest first, and the time of the next one.
    /// - Throws: `SystemFailure` if the log cannot be written: then nothing is to be shown; an error of the task list.
    package func take(
        from source: some ReminderSource, at now: PointInTime
    ) throws -> (due: [DueReminder], next: PointInTime?) {
        let found = try source.withList { list in
            (
                due: try list.reminders(after: start(at: now), through: now) { !contains($0) },
                next: try list.nextReminder(after: now)
            )
        }
        if !found.due.isEmpty { try add(found.due.map(\.place), at: now) }
        return found
    }
}

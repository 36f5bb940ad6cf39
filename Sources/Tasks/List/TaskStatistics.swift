/// What was done, and what is left.
public struct TaskStatistics: Sendable, Hashable {
    /// The completions of a day.
    public struct Day: Sendable, Hashable {
        /// The day where the person is.
        public let date: CalendarDate
        /// How many tasks were completed on it.
        public let completed: Int
    }

    /// How many tasks were completed in the past 24 hours.
    public let completedLately: Int
    /// The completions of each day, the last one today.
    public let days: [Day]
    /// How many tasks are open.
    public let open: Int
    /// How many of these are overdue.
    public let overdue: Int
    /// How many tasks are protected, done or not.
    public let protected: Int
}

extension TaskList {
    /// Counts. Completions count also where their tasks were cleared or removed since.
    ///
    /// - Parameters:
    ///   - count: The number of days, today included.
    ///   - calendar: Where the person is.
    /// - Returns: The counts.
    /// - Throws: `repository`.
    public func statistics(
        days count: Int, in calendar: any LocalCalendar
    ) throws(TaskListError) -> TaskStatistics {
        let now = now()
        let today = calendar.local(at: now).date
        // A day more than that, for whoever travels; those of other days are not counted.
        let start = now.advanced(by: .seconds(-86_400 * (count + 1)))
        let completions = try TaskListError.repository { () throws(TaskRepositoryError) in
            try repository.completions(from: start)
        }
        var counts: [CalendarDate: Int] = [:]
        for time in completions { counts[calendar.local(at: time).date, default: 0] += 1 }
        let dayAgo = now.advanced(by: .seconds(-86_400))
        return TaskStatistics(
            completedLately: completions.count { dayAgo < $0 && $0 <= now },
            days: (0..<count).reversed().map { age in
                let date = today.advanced(byDays: -age)
                return TaskStatistics.Day(date: date, completed: counts[date] ?? 0)
            },
            open: try self.count(TaskFilter(.open)),
            overdue: try self.count(TaskFilter(.open, dueBefore: now)),
            protected: try self.count(TaskFilter(isProtected: true)))
    }
}

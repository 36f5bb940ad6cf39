/// The numbers of done and open tasks.
public struct TaskStatistics: Sendable, Hashable {
    /// The completions of one day.
    public struct Day: Sendable, Hashable {
        /// The day in the calendar of the owner.
        public let date: CalendarDate
        /// The number of completions.
        public let completed: Int
    }

    /// The number of completions in the past 24 hours.
    public let completedLately: Int
    /// The days, the last one today.
    public let days: [Day]
    /// The number of open tasks.
    public let open: Int
    /// The number of open tasks that are overdue.
    public let overdue: Int
    /// The number of protected tasks, open or done.
    public let protected: Int
}

extension TaskList {
    /// Counts tasks and completions. The completion of a task that was cleared or removed still counts.
    ///
    /// - Parameters:
    ///   - count: The number of days, today included.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The numbers.
    /// - Throws: `DatabaseError`.
    public func statistics(
        days count: Int, in calendar: any LocalCalendar
    ) throws -> TaskStatistics {
        let now = now()
        let today = calendar.local(at: now).date
        // Days of another time zone may begin earlier. Completions of other days are not counted.
        let start = now.advanced(by: .seconds(-86_400 * (count + 1)))
        let completions = try repository.completions(from: start)
        var counts: [CalendarDate: Int] = [:]
        for time in completions { counts[calendar.local(at: time).date, default: 0] += 1 }
        return TaskStatistics(
            completedLately: Self.lately(completions, now),
            days: (0..<count).reversed().map { age in
                let date = today.advanced(byDays: -age)
                return TaskStatistics.Day(date: date, completed: counts[date] ?? 0)
            },
            open: try self.count(TaskFilter(.open)),
            overdue: try self.count(
                TaskFilter(.open, dueBefore: CalendarMoment(now, in: calendar))),
            protected: try self.count(TaskFilter(isProtected: true)))
    }
    /// The number of completions in the past 24 hours.
    ///
    /// - Throws: `DatabaseError`.
    public func completedLately() throws -> Int {
        let now = now()
        let start = now.advanced(by: .seconds(-86_400))
        return Self.lately(try repository.completions(from: start), now)
    }

    private static func lately(_ completions: [PointInTime], _ now: PointInTime) -> Int {
        let dayAgo = now.advanced(by: .seconds(-86_400))
        return completions.count { dayAgo < $0 && $0 <= now }
    }
}

/// The next time that a repeated task is due.
public struct NextOccurrence: Sendable, Hashable {
    /// The due time.
    public let due: PointInTime
    /// The rule from now on: with a smaller count, if it has one.
    public let rule: RepeatRule
    /// Whether earlier times were left out because they have passed.
    public let hasSkipped: Bool
}

extension RepeatRule {
    /// The next occurrence that has not passed, for a task that was due at a time.
    ///
    /// The time of day stays the same when clocks are set. One that clocks skip is as long after midnight as on other days; of one that they
    /// show twice, the first counts (RFC 5545, section 3.3.5).
    ///
    /// - Parameters:
    ///   - due: The due time of the task, which is an occurrence.
    ///   - now: The present time.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The occurrence; nil after the last one, and if there is none up to the year 9999.
    public func next(
        after due: PointInTime, now: PointInTime, in calendar: some LocalCalendar
    ) -> NextOccurrence? {
        let local = calendar.local(at: due)
        var day = local.date
        var rule = self
        var hasSkipped = false
        while let found = self.day(after: day, from: local.date) {
            let time = calendar.time(of: local, on: found)
            switch rule.end {
            case .count(let count) where count <= 1: return nil
            case .count(let count): rule.end = .count(count - 1)
            case .until(let end) where end < time: return nil
            case .untilDay(let end) where end < found: return nil
            case .until, .untilDay, nil: break
            }
            if time > now { return NextOccurrence(due: time, rule: rule, hasSkipped: hasSkipped) }
            hasSkipped = true
            day = found
            // Only a count needs each of the occurrences that have passed.
            let yesterday = calendar.local(at: now).date.advanced(byDays: -1)
            if case .count = rule.end { continue }
            day = max(day, yesterday)
        }
        return nil
    }
}

extension LocalCalendar {
    /// The moment of a time of day on another date.
    fileprivate func time(of local: LocalTime, on date: CalendarDate) -> PointInTime {
        let moved = LocalTime(
            date, hour: local.hour, minute: local.minute, second: local.second)
        // If the time is skipped, the later meaning has the offset from before the change.
        return pointsInTime(of: moved).first ?? moments(of: moved).last
            ?? PointInTime(seconds: moved.secondsInUTC)
    }
}

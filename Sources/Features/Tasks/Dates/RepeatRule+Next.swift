/// The next due time of a repeated task.
public struct NextOccurrence: Sendable, Hashable {
    /// The due time.
    public let due: PointInTime
    /// The rule for the following occurrences, with a smaller count, if any. It has the time of day
    /// if clocks skipped it.
    public let rule: RepeatRule
    /// Whether earlier times were skipped because they have passed.
    public let hasSkipped: Bool
}

extension RepeatRule {
    /// The next occurrence that has not passed, for a task that was due at a time.
    ///
    /// Clock changes do not alter the time of day. A skipped time falls the same interval after
    /// midnight as on other days.
    /// The rule keeps that time of day for the next occurrence.
    /// Of a time that clocks show twice, the first counts (RFC 5545, section 3.3.5).
    ///
    /// - Parameters:
    ///   - due: The due time of the task, which is an occurrence.
    ///   - now: The current time.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The occurrence; nil after the last one, and if none exists up to the year 9999.
    public func next(
        after due: PointInTime, now: PointInTime, in calendar: some LocalCalendar
    ) -> NextOccurrence? {
        let first = wanted(at: calendar.local(at: due))
        var day = first.date
        var rule = self
        var hasSkipped = false
        while let found = self.day(after: day, from: first.date) {
            let local = first.moved(to: found)
            let time = calendar.moment(of: local)
            switch rule.end {
            case .count(let count) where count <= 1: return nil
            case .count(let count): rule.end = .count(count - 1)
            case .until(let end) where end < time: return nil
            case .untilDay(let end) where end < found: return nil
            case .until, .untilDay, nil: break
            }
            let isSkipped = calendar.local(at: time) != local
            (rule.hour, rule.minute) = isSkipped ? (local.hour, local.minute) : (nil, nil)
            if time > now { return NextOccurrence(due: time, rule: rule, hasSkipped: hasSkipped) }
            hasSkipped = true
            day = found
            // Only a count requires each of the past occurrences.
            let yesterday = calendar.local(at: now).date.advanced(byDays: -1)
            if case .count = rule.end { continue }
            day = max(day, yesterday)
        }
        return nil
    }

    /// The intended time of a due time; a different one if clocks skipped it.
    private func wanted(at local: LocalTime) -> LocalTime {
        let wanted = LocalTime(
            local.date, hour: hour ?? local.hour, minute: minute ?? local.minute,
            second: local.second)
        // If clocks skip the hour before midnight, the task is due on the next day.
        let isOfNextDay = wanted.secondOfDay - local.secondOfDay > 21 * 3_600
        return isOfNextDay ? wanted.moved(to: local.date.advanced(byDays: -1)) : wanted
    }

    /// Removes ``hour`` and ``minute``, for a task whose owner moved the due time.
    public mutating func forgetTimeOfDay() {
        (hour, minute) = (nil, nil)
    }

    /// The rule after the owner moved the due time.
    ///
    /// For a task due on the 31st, `monthly` means the last day of each month. On another day it
    /// means that day.
    ///
    /// - Parameters:
    ///   - old: The previous due time; nil for a new rule.
    ///   - new: The new due time.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The rule for the new due time.
    public func following(
        from old: PointInTime?, to new: PointInTime, in calendar: some LocalCalendar
    ) -> RepeatRule {
        if old == new { return self }
        var rule = self
        rule.forgetTimeOfDay()
        guard frequency == .monthly, days.isEmpty else { return rule }
        let before = old.map { calendar.local(at: $0).date }
        let date = calendar.local(at: new).date
        // A rule that did not match the old day was an explicit choice of the owner and stays.
        if monthDays.isEmpty, date.day == 31, before?.day != 31 {
            rule.monthDays = [-1]
        } else if monthDays == [-1], !date.isLastOfMonth, before?.isLastOfMonth != false {
            rule.monthDays = []
        }
        return rule
    }
}

extension CalendarDate {
    fileprivate var isLastOfMonth: Bool { advanced(byDays: 1).day == 1 }
}

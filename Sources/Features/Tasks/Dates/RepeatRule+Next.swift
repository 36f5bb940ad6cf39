/// The time for which a rule scheduled an occurrence of a task. It is the id of the occurrence: an owner who moves the due time does not
/// change it.
public struct Occurrence: Sendable, Hashable {
    /// The scheduled time, in ``zone``.
    public let scheduled: FloatingTime
    /// The due time in ``zone``, if the series is due at another time than the scheduled one.
    public let due: FloatingTime?
    /// The name of the zone in which the rule counts; nil for days, and if the zone has no name.
    public let zone: String?

    /// Creates an occurrence.
    init(_ scheduled: FloatingTime, due: FloatingTime? = nil, zone: String? = nil) {
        self.scheduled = scheduled
        self.due = due == scheduled ? nil : due
        self.zone = scheduled.isDay && due?.isDay != false ? nil : zone
    }

    /// Creates the occurrence that is due at a time, in the zone of the owner.
    public init(dueAt time: TaskTime, in calendar: any LocalCalendar) {
        self.init(time.floating(in: calendar), zone: (calendar as? any ZonedCalendar)?.zoneName)
    }

    /// Parses `20261207`, `20261207T090000/Europe/Berlin`, or `20261207T090000,20261209T170000/Europe/Berlin` with the due time; nil for
    /// any other text.
    package init?(_ text: String) {
        let sides = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let times = sides[0].split(separator: ",", omittingEmptySubsequences: false).map {
            FloatingTime(basic: $0)
        }
        guard (1...2).contains(times.count), let scheduled = times[0],
            let due = times[times.count - 1]
        else { return nil }
        self.init(scheduled, due: due, zone: sides.count == 2 ? String(sides[1]) : nil)
        guard self.text == text else { return nil }
    }

    /// The text that ``init(_:)`` parses.
    package var text: String {
        ([scheduled] + [due].compactMap(\.self)).map(\.basic).joined(separator: ",")
            + (zone.map { "/" + $0 } ?? "")
    }

    /// The zone of the rule, or else the calendar of the owner.
    func calendar(or calendar: any LocalCalendar) -> any LocalCalendar {
        guard let zone, (calendar as? any ZonedCalendar)?.zoneName != zone,
            let other = ZoneCalendar(zone)
        else { return calendar }
        return other
    }

    /// The due time of the series, without a change of this occurrence by its owner.
    func dueTime(in calendar: any LocalCalendar) -> TaskTime {
        (due ?? scheduled).taskTime(in: self.calendar(or: calendar))
    }

    /// The occurrence at another scheduled time, with the same distance to its due time in days and by the clock.
    fileprivate func moved(to new: FloatingTime) -> Occurrence {
        guard let due else { return Occurrence(new, zone: zone) }
        let days = Int(due.date.number - scheduled.date.number)
        let date = new.date.advanced(byDays: days)
        guard case .time(let local) = due else {
            return Occurrence(new, due: .day(date), zone: zone)
        }
        // Of several times of a day, each has the distance.
        let distance = scheduled.isDay ? 0 : new.local.secondOfDay - scheduled.local.secondOfDay
        let seconds = date.number * 86_400 + Int64(local.secondOfDay + distance)
        return Occurrence(new, due: .time(LocalTime(secondsInUTC: seconds)), zone: zone)
    }
}

/// The next occurrence of a repeated task.
public struct NextOccurrence: Sendable, Hashable {
    /// The due time.
    public let due: TaskTime
    /// The scheduled time.
    public let occurrence: Occurrence
    /// The rule for the following occurrences, with a smaller count, if any.
    public let rule: RepeatRule
    /// Whether earlier times were skipped because they have passed.
    public let hasSkipped: Bool
}

extension RepeatRule {
    /// The next occurrence that has not passed.
    ///
    /// Clock changes do not alter the time of day. A skipped time falls the same interval after
    /// midnight as on other days.
    /// Of a time that clocks show twice, the first counts (RFC 5545, section 3.3.5).
    ///
    /// - Parameters:
    ///   - occurrence: The present occurrence. The rule counts in its zone.
    ///   - now: The current time; nil for the first occurrence after the present one.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The occurrence; nil after the last one, and if none exists up to the year 9999.
    public func next(
        after occurrence: Occurrence, now: PointInTime?, in calendar: any LocalCalendar
    ) -> NextOccurrence? {
        var budget = Int.max
        return next(after: occurrence, now: now, in: calendar, budget: &budget)
    }

    /// The next occurrence that has not passed, found within a budget of examined days (``time(after:from:isDay:budget:)``).
    func next(
        after occurrence: Occurrence, now: PointInTime?, in calendar: any LocalCalendar,
        budget: inout Int
    ) -> NextOccurrence? {
        let owner = calendar
        let calendar = occurrence.calendar(or: calendar)
        let isDay = occurrence.scheduled.isDay
        let first = occurrence.scheduled.local
        var last = first
        var rule = self
        var hasSkipped = false
        while let found = time(after: last, from: first, isDay: isDay, budget: &budget) {
            last = found
            budget -= (exceptions.count + overrides.count) / 16
            switch rule.end {
            case .count(let count) where count <= 1: return nil
            case .count(let count): rule.end = .count(count - 1)
            case .until(let end) where end < calendar.moment(of: found): return nil
            case .untilLocal(let end) where isDay ? end.date < found.date : end < found: return nil
            case .untilDay(let end) where end < found.date: return nil
            case .until, .untilLocal, .untilDay, nil: break
            }
            let scheduled: FloatingTime = isDay ? .day(found.date) : .time(found)
            if isLeftOut(scheduled) { continue }
            let next = occurrence.moved(to: scheduled)
            let due = (next.due ?? scheduled).taskTime(in: calendar)
            if now.map({ due.isStillDue(after: $0, in: owner) }) ?? true {
                rule.exceptions.removeAll { $0.local <= found }
                rule.overrides.removeAll { $0.local <= found }
                return NextOccurrence(
                    due: due, occurrence: next, rule: rule, hasSkipped: hasSkipped)
            }
            hasSkipped = true
            // Only a count requires each of the past occurrences.
            if case .count = rule.end { continue }
            guard let now else { continue }
            let distance = due.date(in: calendar).number - found.date.number
            let day = calendar.local(at: now).date.advanced(byDays: -2 - Int(max(0, distance)))
            last = max(last, LocalTime(day, hour: 0, minute: 0))
        }
        return nil
    }

    /// Whether an occurrence is an exception, or an entry of its own in another program. An exception without a time is its whole day.
    func isLeftOut(_ scheduled: FloatingTime) -> Bool {
        (exceptions + overrides).contains { left in
            left == scheduled || left.isDay != scheduled.isDay && left.date == scheduled.date
        }
    }

    /// The rule of a person for a task that is first due on a day.
    ///
    /// Monthly from the 31st is the last day of each month. Monthly from the 29th or 30th is that day, or the last day of a shorter month;
    /// yearly from 29 February the last day of February. RFC 5545 would leave out shorter months, and most years.
    public func starting(on date: CalendarDate) -> RepeatRule {
        guard isOpen, self[.months].isEmpty, self[.positions].isEmpty else { return self }
        var rule = self
        switch frequency {
        case .monthly where date.day == 31: rule[.monthDays] = [-1]
        case .monthly where date.day > 28:
            rule[.monthDays] = Array(28...date.day)
            rule[.positions] = [-1]
        case .yearly where (date.month, date.day) == (2, 29):
            rule[.months] = [2]
            rule[.monthDays] = [-1]
        default: break
        }
        return rule
    }

    /// The first day of the repetition from a day on, for a person who typed no due time: the day itself if the rule names none.
    func firstDay(from date: CalendarDate) -> CalendarDate? {
        if isOpen, self[.months].isEmpty { return date }
        var rule = self
        // The first occurrence determines the phase.
        rule.interval = 1
        let before = LocalTime(date.advanced(byDays: -1), hour: 0, minute: 0)
        var last = before
        while let found = rule.time(after: last, from: before, isDay: true) {
            if !isLeftOut(.day(found.date)) { return found.date }
            last = found
        }
        return nil
    }

    /// Whether the rule is monthly on the 29th or 30th, and on the last day of a shorter month (``starting(on:)``).
    public var lastPossibleDay: Int? {
        let days = self[.monthDays]
        guard frequency == .monthly, self.days.isEmpty, self[.positions] == [-1],
            self[.months].isEmpty,
            let last = days.last, (29...30).contains(last), days == Array(28...last)
        else { return nil }
        return last
    }

    /// For a monthly rule on the 29th, 30th or 31st, which leaves out shorter months: the rule that means their last day; otherwise nil.
    public var countingShortMonths: RepeatRule? {
        let days = self[.monthDays]
        guard frequency == .monthly, self.days.isEmpty, self[.positions].isEmpty,
            self[.months].isEmpty, days.count == 1, (29...31).contains(days[0])
        else { return nil }
        var rule = self
        rule[.monthDays] = days == [31] ? [-1] : Array(28...days[0])
        rule[.positions] = days == [31] ? [] : [-1]
        return rule
    }
}

/// Times in Taskwarrior's format: `20261201T090000Z`.
enum TaskwarriorTime {
    /// From 1980 to the second to last day of 9999. Taskwarrior 2.6 crashes at earlier times, and
    /// in the last hours of that year.
    private static let seconds: Range<Int64> = 315_532_800..<253_402_214_400

    /// The text of a time; nil outside the range.
    static func text(_ time: PointInTime) -> String? {
        guard seconds.contains(time.seconds) else { return nil }
        return time.basic
    }

    /// The text of a time. A day is its first moment, as Taskwarrior has days.
    static func text(_ time: TaskTime, in calendar: some LocalCalendar) -> String? {
        text(time.start(in: calendar))
    }

    /// The day whose first moment the time is, or else the time.
    static func dayOrTime(_ time: PointInTime, in calendar: some LocalCalendar) -> TaskTime {
        let date = calendar.local(at: time).date
        let isDay = calendar.start(of: date) == time && DueTimeParser.years.contains(date.year)
        return isDay ? .day(date) : .moment(time)
    }

    /// The first time of the range.
    static let first = PointInTime(seconds: seconds.lowerBound)

    /// Whether every time of a task is in the range.
    static func canTellTimes(of task: ExchangedTask, in calendar: some LocalCalendar) -> Bool {
        let times = [task.due, task.wait].map { $0?.start(in: calendar) }
        // The reminder of a day is an attribute of TaskVault, which has days.
        let others = [task.reminder?.moment, task.created, task.completion?.time]
        return (times + others).allSatisfy {
            $0.map { seconds.contains($0.seconds) } ?? true
        }
    }

    /// The rule of a `recur` duration, such as `weekly`, `3d`, `2 weeks`, `P1M`; nil if no rule is equivalent.
    static func rule(_ recur: String, until: PointInTime?) -> RepeatRule? {
        if recur == "weekdays" {
            var rule = RepeatRule.weekdays
            rule.end = until.map { .until($0) }
            return rule
        }
        var (number, unit) = Digits.split(recur)
        // ISO 8601.
        if recur.hasPrefix("P") { (number, unit) = Digits.split(String(recur.dropFirst())) }
        unit = unit.drop { $0 == " " }
        guard let count = number.isEmpty ? 1 : Digits.number(number, 1...4), count > 0 else {
            return nil
        }
        let units: [(RepeatRule.Frequency, Int, Set<Substring>)] = [
            (.daily, 1, ["daily", "day", "days", "d", "D"]),
            (.weekly, 1, ["weekly", "week", "weeks", "wk", "wks", "w", "W"]),
            (.weekly, 2, ["biweekly", "fortnight"]),
            (.monthly, 1, ["monthly", "month", "months", "mo", "mos", "mth", "mths", "M"]),
            (.monthly, 2, ["bimonthly"]),
            (.monthly, 3, ["quarterly", "quarter", "quarters", "qtr", "qtrs", "q"]),
            (.monthly, 6, ["semiannual"]),
            (.yearly, 1, ["annual", "yearly", "year", "years", "yr", "yrs", "y", "Y"]),
            (.yearly, 2, ["biannual", "biyearly"]),
        ]
        guard let (frequency, factor, _) = units.first(where: { $0.2.contains(unit) }),
            count * factor <= RepeatRule.maximumInterval
        else { return nil }
        var rule = RepeatRule(frequency, interval: count * factor)
        rule.end = until.map { .until($0) }
        return rule
    }
}

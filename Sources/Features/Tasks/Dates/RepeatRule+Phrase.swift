extension RepeatRule {
    /// The rule as text for people, such as `daily`, `every 3 days`, `weekdays` or `every mon,
    /// thu`. Further forms are `monthly on the last day`, `yearly on 24 dec`, `weekly, 5 times` and `daily, until
    /// 2027-01-01`. It is ``text`` for a rule without such a text.
    ///
    /// ``init(typed:)`` parses these texts.
    public var phrase: String {
        guard weekStart == .monday, var phrase = phraseOfDays, let times = phraseOfTimes else {
            return text
        }
        phrase += times
        switch end {
        case nil: break
        case .count(let count): phrase += count == 1 ? ", once" : ", \(count) times"
        case .untilDay(let date): phrase += ", until " + TimeText.text(date)
        case .untilLocal(let local): phrase += ", until " + TimeText.text(local)
        case .until(let time):
            phrase += ", until " + TimeText.text(LocalTime(secondsInUTC: time.seconds)) + "Z"
        }
        let left = (exceptions + overrides).map { time in
            switch time {
            case .day(let date): TimeText.text(date)
            case .time(let local): TimeText.text(local)
            }
        }
        return phrase + (left.isEmpty ? "" : ", except " + left.joined(separator: ", "))
    }

    /// Whether the rule has parts of days besides these.
    private func has(besides parts: Part...) -> Bool {
        Part.allCases.contains { !$0.isOfTime && !parts.contains($0) && !self[$0].isEmpty }
    }

    /// The rule without its time of day and its end; nil if it has no such text.
    private var phraseOfDays: String? {
        switch frequency {
        case .yearly: return phraseOfYear
        case .monthly: return phraseOfMonth.map { $0 + phraseOfMonths }
        case .daily, .weekly: break
        }
        if has(besides: .months) || frequency == .daily && !days.isEmpty { return nil }
        if days.isEmpty { return phraseOfUnit + phraseOfMonths }
        if days == Self.workdays, interval == 1 { return "weekdays" + phraseOfMonths }
        let names = days.map { Self.name(of: $0.weekday) }.joined(separator: ", ")
        return (interval == 1 ? "every " + names : phraseOfUnit + " on " + names) + phraseOfMonths
    }

    private var phraseOfMonths: String {
        let names = self[.months].map { DueDay.monthNames[$0 - 1].prefix(3) }
        return names.isEmpty ? "" : " in " + names.joined(separator: ", ")
    }

    private var phraseOfMonth: String? {
        if isOpen, !has(besides: .months) { return phraseOfUnit }
        if let day = lastPossibleDay {
            return phraseOfUnit + " on the \(Self.ordinal(day)) or last day"
        }
        return phraseOfOrdinals.map { phraseOfUnit + " on the " + $0 }
    }

    private var phraseOfYear: String? {
        if isOpen, !has() { return phraseOfUnit }
        let (months, monthDays) = (self[.months], self[.monthDays])
        guard months.count == 1 else { return nil }
        let month = DueDay.monthNames[months[0] - 1].prefix(3)
        if days.isEmpty, monthDays.count == 1, monthDays[0] > 0, !has(besides: .months, .monthDays),
            CalendarDate(year: 2_000, month: months[0], day: monthDays[0]) != nil
        {
            return phraseOfUnit + " on \(monthDays[0]) \(month)"
        }
        return phraseOfOrdinals.map { phraseOfUnit + " on the \($0) of \(month)" }
    }

    /// `1st, 15th`, `last day`, `1st mon, last fri` or `last workday`; nil for other days of a month.
    private var phraseOfOrdinals: String? {
        let (monthDays, positions) = (self[.monthDays], self[.positions])
        var names: [String] = []
        if days.isEmpty, !has(besides: .months, .monthDays) {
            names = monthDays.map { Self.ordinal($0) + ($0 < 0 ? " day" : "") }
        } else if !has(besides: .months), days.allSatisfy({ $0.ordinal != 0 }) {
            names = days.map { Self.ordinal($0.ordinal) + " " + Self.name(of: $0.weekday) }
        } else if !has(besides: .months, .positions), days == Self.workdays {
            names = positions.map { Self.ordinal($0) + " workday" }
        } else if !has(besides: .months, .positions), days.count == 1, days[0].ordinal == 0 {
            names = positions.map { Self.ordinal($0) + " " + Self.name(of: days[0].weekday) }
        }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// The time of day; nil if it has no text.
    private var phraseOfTimes: String? {
        let (hours, minutes) = (self[.hours], self[.minutes])
        guard self[.seconds].isEmpty, hours.isEmpty == minutes.isEmpty, minutes.count < 2 else {
            return nil
        }
        guard let minute = minutes.first else { return "" }
        let times = hours.map {
            TimeText.padded($0.magnitude) + ":" + TimeText.padded(minute.magnitude)
        }
        return " at " + times.joined(separator: ", ")
    }

    private var phraseOfUnit: String {
        let word = frequency.rawValue.lowercased()
        if interval == 1 { return word }
        let unit = frequency == .daily ? "day" : word.dropLast(2)
        return "every \(interval) \(unit)s"
    }

    private static func name(of weekday: Weekday) -> String {
        String(weekday.name.prefix(3))
    }

    /// `1st`, `22nd`, `last`, `2nd-last`.
    private static func ordinal(_ number: Int) -> String {
        if number == -1 { return "last" }
        let size = Int(number.magnitude)
        let endings = [1: "st", 2: "nd", 3: "rd"]
        let ending = (11...13).contains(size % 100) ? nil : endings[size % 10]
        return "\(size)" + (ending ?? "th") + (number < 0 ? "-last" : "")
    }
}

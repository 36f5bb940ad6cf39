// Rules as people write them. Every text of `phrase` is one.
extension RepeatRule {
    /// Parses a rule: `daily`, `weekdays`, `every other day`, `every 2 weeks on mon`, `last day of the month`, `yearly on 24 dec`, or a
    /// rule of RFC 5545. `at 9:00`, `5 times`, `until 2027-01-01` and `except 2026-12-24` may follow.
    ///
    /// - Throws: ``RepeatRuleError``.
    public init(typed text: String) throws {
        if text.contains("=") {
            try self.init(rule: text)
            return
        }
        guard text.utf8.count <= 1_000 else { throw RepeatRuleError.notUnderstood }
        var reader = RepeatWords(text)
        guard let rule = try reader.read() else { throw RepeatRuleError.notUnderstood }
        // The words can name a rule that RFC 5545 does not allow, such as one without days.
        self = try RepeatRule(rule: rule.text)
    }

    static let weekdays = {
        var rule = RepeatRule(.weekly)
        rule.days = workdays
        return rule
    }()

    /// Monday to Friday.
    static let workdays = Weekday.allCases.dropLast(2).map { Day($0) }
}

/// Reads the words of a rule.
private struct RepeatWords {
    private var words: WordList
    private var rule = RepeatRule(.daily)

    init(_ text: String) {
        words = WordList(text)
    }

    /// The rule; nil for other words.
    mutating func read() throws -> RepeatRule? {
        guard readBase() else { return nil }
        while !words.isEmpty {
            guard try readMore() else { return nil }
        }
        return rule
    }

    // The beginning of a rule.

    private mutating func readBase() -> Bool {
        if words.take("every") || words.take("each") { return readEvery() }
        let named: [String: RepeatRule] = [
            "daily": RepeatRule(.daily), "weekly": RepeatRule(.weekly),
            "monthly": RepeatRule(.monthly), "yearly": RepeatRule(.yearly),
            "annually": RepeatRule(.yearly), "weekdays": .weekdays, "workdays": .weekdays,
            "fortnightly": RepeatRule(.weekly, interval: 2),
            "biweekly": RepeatRule(.weekly, interval: 2),
            "quarterly": RepeatRule(.monthly, interval: 3),
        ]
        if let found = words.first.flatMap({ named[$0] }) {
            _ = words.take()
            rule = found
            return true
        }
        if words.take("weekends") {
            rule = RepeatRule(.weekly)
            rule.days = [.saturday, .sunday].map { RepeatRule.Day($0) }
            return true
        }
        return readDaysOfMonth()
    }

    /// After `every`: a unit, a number of units, days of the week, or days of the month or the year.
    private mutating func readEvery() -> Bool {
        if words.take("weekday") || words.take("workday") {
            rule = .weekdays
            return true
        }
        if words.take("weekend") {
            rule = RepeatRule(.weekly)
            rule.days = [.saturday, .sunday].map { RepeatRule.Day($0) }
            return true
        }
        var rest = words
        let isOther = rest.take("other")
        var number = isOther ? 2 : 1
        let typed = rest.first.flatMap { Digits.number($0, 1...4) ?? Self.ordinal($0) }
        if !isOther, let typed, typed > 0 {
            guard (1...RepeatRule.maximumInterval).contains(typed) else { return false }
            number = typed
            _ = rest.take()
        }
        let units: [(RepeatRule.Frequency, String)] = [
            (.daily, "day"), (.weekly, "week"), (.monthly, "month"), (.yearly, "year"),
        ]
        for (frequency, unit) in units {
            // `every 2nd day of the month` names days of the month.
            var after = rest
            guard after.take(unit) || after.take(unit + "s"), after.first != "of" else { continue }
            words = after
            rule = RepeatRule(frequency, interval: number)
            return true
        }
        if isOther || typed == nil, !rest.isEmpty {
            words = rest
            rule = RepeatRule(.weekly, interval: number)
            if readWeekdays() { return true }
        }
        if isOther { return false }
        return readDaysOfMonth()
    }

    private mutating func readWeekdays() -> Bool {
        while let word = words.first, let weekday = DueDay.weekday(word) {
            _ = words.take()
            _ = words.take("and")
            let day = RepeatRule.Day(weekday)
            if !rule.days.contains(day) { rule.days.append(day) }
        }
        return !rule.days.isEmpty
    }

    /// `last day of the month`, `1st mon of the month`, `24 dec`, without a unit before.
    private mutating func readDaysOfMonth() -> Bool {
        rule = RepeatRule(.yearly)
        if readDate() { return true }
        rule = RepeatRule(.monthly)
        return readOrdinals() && (!words.take("of") || readMonthAfterOf())
    }

    /// After `of`: `the month`, `every month`, or the name of a month, which makes the rule yearly.
    private mutating func readMonthAfterOf() -> Bool {
        _ = words.take("the") || words.take("every") || words.take("each")
        if words.take("month") { return rule.frequency == .monthly }
        guard let month = words.first.flatMap({ DueDay.month($0) }) else { return false }
        _ = words.take()
        let interval = rule.interval
        guard rule.frequency == .yearly || interval == 1 else { return false }
        rule.frequency = .yearly
        rule[.months] = [month]
        return true
    }

    // The rest of a rule.

    private mutating func readMore() throws -> Bool {
        guard let word = words.take() else { return false }
        switch word {
        case "on": return readDays()
        case "in": return readMonths()
        case "at": return try readTimes()
        case "once": return setEnd(.count(1))
        case "twice": return setEnd(.count(2))
        case "until", "till": return try readUntil()
        case "except": return try readExceptions()
        case "and": return !words.isEmpty
        default:
            guard let count = Digits.number(word, 1...5), words.take("times") else { return false }
            return setEnd(.count(count))
        }
    }

    private mutating func setEnd(_ end: RepeatRule.End) -> Bool {
        guard rule.end == nil else { return false }
        rule.end = end
        return true
    }

    private mutating func readDays() -> Bool {
        guard rule.isOpen || rule.frequency == .daily else { return false }
        switch rule.frequency {
        case .daily: return false
        case .weekly: return readWeekdays()
        case .monthly:
            guard readOrdinals() else { return false }
            return !words.take("of") || readMonthAfterOf() && rule.frequency == .monthly
        case .yearly:
            if readDate() { return true }
            return readOrdinals() && words.take("of") && readMonthAfterOf()
        }
    }

    /// `14 mar` or `mar 14`, for a yearly rule.
    private mutating func readDate() -> Bool {
        var rest = words
        guard let first = rest.take(), let second = rest.take() else { return false }
        let readings = [(first, second), (second, first)].compactMap { day, month in
            DueDay.month(month).flatMap { month in
                DueDay.dayNumber(day).flatMap {
                    CalendarDate(year: 2_000, month: month, day: $0) == nil ? nil : (month, $0)
                }
            }
        }
        guard let (month, day) = readings.first else { return false }
        words = rest
        rule[.months] = [month]
        rule[.monthDays] = [day]
        return true
    }

    /// `the 1st, 15th`, `the last day`, `the 1st mon, last fri`, `the last workday` or `the 30th or last day`.
    private mutating func readOrdinals() -> Bool {
        _ = words.take("the")
        var days: [Int] = []
        var weekdays: [RepeatRule.Day] = []
        var workdays: [Int] = []
        while let ordinal = words.first.flatMap({ Self.ordinal($0) }) {
            _ = words.take()
            if words.take("workday") || words.take("weekday") {
                workdays.append(ordinal)
            } else if let weekday = words.first.flatMap({ DueDay.weekday($0) }) {
                _ = words.take()
                weekdays.append(RepeatRule.Day(weekday, ordinal: ordinal))
            } else {
                // `last` alone names nothing.
                guard words.take("day") || ordinal > 0 else { return false }
                days.append(ordinal)
            }
            _ = words.take("and")
            _ = words.take("the")
            if words.take("or") {
                guard days.count == 1, (29...30).contains(days[0]), words.take("last"),
                    words.take("day"), rule.frequency == .monthly
                else { return false }
                rule[.monthDays] = Array(28...days[0])
                rule[.positions] = [-1]
                return true
            }
        }
        guard [days.isEmpty, weekdays.isEmpty, workdays.isEmpty].count(where: { !$0 }) == 1 else {
            return false
        }
        rule[.monthDays] = days
        rule.days = workdays.isEmpty ? weekdays : RepeatRule.workdays
        rule[.positions] = workdays
        return true
    }

    private mutating func readMonths() -> Bool {
        while let month = words.first.flatMap({ DueDay.month($0) }) {
            _ = words.take()
            _ = words.take("and")
            rule[.months].append(month)
        }
        return !rule[.months].isEmpty
    }

    /// Times of day with the same minute: a rule has all hours with all minutes.
    private mutating func readTimes() throws -> Bool {
        var times: [ClockTime] = []
        // A bare number after the first time is a count.
        while let time = try? ClockTime.read(&words, afterAt: times.isEmpty) {
            times.append(time)
            _ = words.take("and")
        }
        guard let first = times.first, rule[.hours].isEmpty,
            times.allSatisfy({ $0.minute == first.minute && $0.second == 0 })
        else { return false }
        rule[.hours] = times.map(\.hour)
        rule[.minutes] = [first.minute]
        return true
    }

    /// `2027-01-01`, `2027-01-01 09:30`, or that in UTC with `Z`.
    private mutating func readUntil() throws -> Bool {
        guard let time = try readTime() else { return false }
        guard case .time(let local) = time else { return setEnd(.untilDay(time.date)) }
        if words.take("z") { return setEnd(.until(PointInTime(seconds: local.secondsInUTC))) }
        return setEnd(.untilLocal(local))
    }

    private mutating func readExceptions() throws -> Bool {
        while let time = try readTime() {
            rule.exceptions.append(time)
            _ = words.take("and")
        }
        return !rule.exceptions.isEmpty
    }

    private mutating func readTime() throws -> FloatingTime? {
        guard let word = words.first, let date = CalendarDate(text: word) else { return nil }
        _ = words.take()
        guard let clock = try? ClockTime.read(&words, afterAt: false) else { return .day(date) }
        return .time(clock.on(date))
    }

    /// `1st`, `first`, `last`, `2nd-last` or `15`: the number, from the end if negative.
    private static func ordinal(_ word: String) -> Int? {
        let names = ["first", "second", "third", "fourth", "fifth"]
        if let index = names.firstIndex(of: word) { return index + 1 }
        if word == "last" { return -1 }
        if word.hasSuffix("-last") { return ordinal(String(word.dropLast(5))).map { -abs($0) } }
        let isOrdinal = ["st", "nd", "rd", "th"].contains { word.hasSuffix($0) }
        guard isOrdinal else { return nil }
        return Digits.number(word.dropLast(2), 1...4)
    }
}

extension CalendarDate {
    /// Parses `2026-12-01`; nil for any other text, and for years outside of 1 to 9999.
    package init?(text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2] else { return nil }
        let numbers = parts.compactMap { Digits.number($0, 2...4) }
        guard numbers.count == 3, DueTimeParser.years.contains(numbers[0]) else { return nil }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }
}

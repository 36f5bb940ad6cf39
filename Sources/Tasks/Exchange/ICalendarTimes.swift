/// Times, durations and rules of iCalendar (RFC 5545, section 3.3), in the calendar of the owner.
struct ICalendarTimes {
    /// For what has no time.
    static let earliest = "19700101T000000Z"

    private let calendar: any LocalCalendar
    /// The present time.
    let now: PointInTime

    init(_ calendar: some LocalCalendar, now: PointInTime) {
        self.calendar = calendar
        self.now = now
    }

    /// The text of a time in UTC; nil for years that need more than four digits.
    static func text(_ time: PointInTime) -> String? {
        let local = LocalTime(secondsInUTC: time.seconds)
        guard (0...9_999).contains(local.date.year) else { return nil }
        let date = TimeText.text(local.date).filter { $0 != "-" }
        let clock = [local.hour, local.minute, local.second].map { TimeText.padded(UInt($0)) }
        return date + "T" + clock.joined() + "Z"
    }

    /// Whether every time of a task has a text, and its start is not taken for that of a repetition.
    static func canTellTimes(of task: ExchangedTask) -> Bool {
        let steps = task.text?.subtasks.flatMap { [$0.due, $0.reminder] } ?? []
        let times = [task.due, task.wait, task.reminder, task.created, task.completion?.time]
        return (times + steps).allSatisfy { $0.map { text($0) != nil } ?? true }
            && (task.wait == nil || task.wait?.seconds != task.due?.seconds)
    }

    /// The time of a property; nil if it has none.
    ///
    /// - Returns: The time, and `false` if its zone is unknown and that of the owner was taken.
    func time(
        _ property: ICalendarProperty, _ edge: DueTimeParser.Edge
    ) -> (PointInTime, isCertain: Bool)? {
        let value = property.value
        let isUTC = value.hasSuffix("Z")
        let parts = (isUTC ? value.dropLast() : value[...]).split(
            separator: "T", omittingEmptySubsequences: false)
        guard let number = Digits.number(parts[0], 8...8),
            let date = CalendarDate(
                year: number / 10_000, month: number / 100 % 100, day: number % 100)
        else { return nil }
        if parts.count == 1, !isUTC {
            let day = TimeText.text(date)
            return (try? DueTimeParser.read(day, edge, now: now, in: calendar)).map { ($0, true) }
        }
        guard parts.count == 2, let clock = Digits.number(parts[1], 6...6), clock / 10_000 < 24,
            clock / 100 % 100 < 60, clock % 100 <= 60
        else { return nil }
        // A leap second.
        let second = min(clock % 100, 59)
        let local = LocalTime(
            date, hour: clock / 10_000, minute: clock / 100 % 100, second: second)
        if isUTC { return (PointInTime(seconds: local.secondsInUTC), true) }
        guard let name = property.parameters["TZID"] else {
            return (calendar.moment(of: local), true)
        }
        guard let zone = ZoneCalendar(name) else { return (calendar.moment(of: local), false) }
        return (zone.moment(of: local), true)
    }

    /// The seconds of a duration such as `-PT15M`; nil for any other text.
    static func seconds(_ text: String) -> Int64? {
        var rest = text[...]
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        guard rest.first == "P" else { return nil }
        rest = rest.dropFirst()
        var (sum, isTime, isEmpty) = (Int64(0), false, true)
        while !rest.isEmpty {
            if rest.first == "T", !isTime {
                isTime = true
                rest = rest.dropFirst()
            }
            let (digits, unit) = Digits.split(String(rest))
            let units: [Character: Int64] =
                isTime ? ["H": 3_600, "M": 60, "S": 1] : ["W": 604_800, "D": 86_400]
            guard let number = Digits.number(digits, 1...9),
                let size = unit.first.flatMap({ units[$0] })
            else { return nil }
            sum += Int64(number) * size
            isEmpty = false
            rest = rest.dropFirst(digits.utf8.count + 1)
        }
        return isEmpty ? nil : isNegative ? -sum : sum
    }

    /// The time of an alarm; nil if it has none.
    func reminder(
        _ alarm: ICalendarComponent, start: PointInTime?, due: PointInTime?
    ) -> PointInTime? {
        guard let trigger = alarm.first("TRIGGER") else { return nil }
        if let seconds = Self.seconds(trigger.value) {
            let isOfEnd = trigger.parameters["RELATED"]?.uppercased() == "END"
            let origin = isOfEnd ? due ?? start : start ?? due
            return origin?.advanced(by: .seconds(seconds))
        }
        return time(trigger, .start)?.0
    }

    /// The rule of a task; nil if it is not supported, has no beginning, or has no second occurrence before the year 10000.
    func rule(_ text: String, from due: PointInTime?) -> RepeatRule? {
        guard let due, let rule = try? RepeatRule(rule: text) else { return nil }
        let first = calendar.local(at: due).date
        return rule.day(after: first, from: first) == nil ? nil : rule
    }
}

extension LocalCalendar {
    /// The moment of a local time: the first if clocks show it twice; if they skip it, by the offset from before (RFC 5545, section 3.3.5).
    fileprivate func moment(of local: LocalTime) -> PointInTime {
        pointsInTime(of: local).first ?? moments(of: local).last
            ?? PointInTime(seconds: local.secondsInUTC)
    }
}

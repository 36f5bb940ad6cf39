/// Times, durations and rules of iCalendar (RFC 5545, section 3.3), in the calendar of the owner.
struct ICalendarTimes {
    /// The time of entries without a time.
    static let earliest = "19700101T000000Z"

    private let calendar: any LocalCalendar
    /// The zone of the calendar, if it has a name.
    private let zone: ZoneCalendar?
    /// The current time.
    var now: PointInTime

    init(_ calendar: some LocalCalendar, now: PointInTime) {
        self.calendar = calendar
        self.now = now
        zone = ZoneCalendar(of: calendar)
    }

    /// The text of a time in UTC; nil for years that are invalid in a file.
    static func text(_ time: PointInTime) -> String? {
        let year = LocalTime(secondsInUTC: time.seconds).date.year
        return DueTimeParser.years.contains(year) ? time.basic : nil
    }

    /// Whether every time of a task has a text, and no program mistakes its start for that of a
    /// repetition.
    /// A rule has no time of day, because that would be in UTC.
    static func canTellTimes(of task: ExchangedTask) -> Bool {
        let steps = task.text?.subtasks.flatMap { [$0.due, $0.reminder] } ?? []
        let times = [task.due, task.wait, task.reminder, task.created, task.completion?.time]
        return (times + steps).allSatisfy { $0.map { text($0) != nil } ?? true }
            && task.repetition?.hour == nil && task.repetition?.minute == nil
            && (task.wait == nil || task.wait?.seconds != task.due?.seconds)
    }

    /// The time of a property; nil if it has none.
    ///
    /// - Returns: The time, and `false` if its zone is unknown and the owner's zone was used.
    func time(
        _ property: ICalendarProperty, _ edge: DueTimeParser.Edge
    ) -> (PointInTime, isCertain: Bool)? {
        if let date = CalendarDate(basic: property.value) {
            let day = TimeText.text(date)
            return (try? DueTimeParser.read(day, edge, now: now, in: calendar)).map { ($0, true) }
        }
        if let time = PointInTime(basic: property.value) { return (time, true) }
        guard let local = LocalTime(basic: property.value) else { return nil }
        guard let name = property.parameters["TZID"] else {
            return (calendar.moment(of: local), true)
        }
        guard let zone = ZoneCalendar(name) else { return (calendar.moment(of: local), false) }
        return (zone.moment(of: local), true)
    }

    /// Parses a duration such as `-PT15M` as seconds; nil for any other text, and beyond 64 bits.
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
            let (total, isTooLong) = sum.addingReportingOverflow(Int64(number) * size)
            if isTooLong { return nil }
            sum = total
            isEmpty = false
            rest = rest.dropFirst(digits.utf8.count + 1)
        }
        return isEmpty ? nil : isNegative ? -sum : sum
    }

    /// The time of an alarm; nil if a task cannot represent it.
    func reminder(
        _ alarm: ICalendarComponent, start: PointInTime?, due: PointInTime?
    ) -> PointInTime? {
        guard let trigger = alarm.first("TRIGGER") else { return nil }
        var found = time(trigger, .start)?.0
        if let seconds = Self.seconds(trigger.value) {
            let isOfEnd = trigger.parameters["RELATED"]?.uppercased() == "END"
            let origin = isOfEnd ? due ?? start : start ?? due
            found = origin?.advanced(by: .seconds(seconds))
        }
        return found.flatMap { DueTimeParser.accepts($0) ? $0 : nil }
    }

    /// The text of a duration, such as `-PT15M`.
    static func duration(_ seconds: Int64) -> String {
        let size = seconds.magnitude
        let clock = zip([size / 3_600 % 24, size / 60 % 60, size % 60], ["H", "M", "S"])
            .filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
        let days = size / 86_400
        let text = (days > 0 ? "\(days)D" : "") + (clock.isEmpty ? "" : "T" + clock)
        return (seconds < 0 ? "-P" : "P") + (text.isEmpty ? "T0S" : text)
    }

    /// The properties from which every program derives the occurrences of a task. They are dates
    /// for the ends of days, otherwise times of the zone.
    ///
    /// - Returns: nil if a time has no such property, or the zone has no name.
    func properties(due: PointInTime, _ rule: RepeatRule) -> [(String, String?)]? {
        let local = calendar.local(at: due)
        guard DueTimeParser.years.contains(local.date.year) else { return nil }
        var rule = rule
        var (parameter, value) = (";VALUE=DATE", local.date.basic)
        if end(of: local.date)?.seconds == due.seconds {
            if case .until(let time) = rule.end {
                let day = calendar.local(at: time).date
                let isWhole = end(of: day).map { $0 <= time } ?? true
                rule.end = .untilDay(isWhole ? day : day.advanced(byDays: -1))
            }
        } else {
            guard let zone, zone.moment(of: local).seconds == due.seconds else { return nil }
            (parameter, value) = (zone.isUTC ? "" : ";TZID=" + zone.name, local.basic)
            if zone.isUTC { value += "Z" }
            if case .untilDay(let day) = rule.end {
                rule.end = .until(zone.moment(of: local.moved(to: day)))
            }
        }
        guard rule.hasReadableEnd else { return nil }
        return [("DTSTART" + parameter, value), ("DUE" + parameter, value), ("RRULE", rule.text)]
    }

    private func end(of day: CalendarDate) -> PointInTime? {
        try? DueTimeParser.read(TimeText.text(day), .end, now: now, in: calendar)
    }

    /// The rule of a task; nil if it is unsupported or its days do not match the due time.
    /// Also nil without a beginning, or without a second occurrence before the year 10000.
    ///
    /// - Parameters:
    ///   - text: The rule.
    ///   - due: The due time.
    ///   - property: The start, whose zone applies to the rule. The rule may repeat its time of
    ///     day.
    /// - Returns: The rule, without a time of day.
    func rule(
        _ text: String, from due: PointInTime?, at property: ICalendarProperty?
    ) -> RepeatRule? {
        guard let due, let property, var rule = try? RepeatRule(rule: text) else { return nil }
        let clock = LocalTime(basic: property.value.split(separator: "Z").first ?? "")
        if let clock {
            guard rule.hour ?? clock.hour == clock.hour, rule.minute ?? clock.minute == clock.minute
            else { return nil }
        }
        rule.forgetTimeOfDay()
        let first = calendar.local(at: due).date
        let edge = property.name == "DUE" ? DueTimeParser.Edge.end : .start
        guard let begin = clock?.date ?? CalendarDate(basic: property.value),
            let start = time(property, edge)?.0
        else { return nil }
        // The interval from start to due time is the same on each day or week.
        let isEven = [.daily, .weekly].contains(rule.frequency)
        guard begin == first || isEven && rule.days.isEmpty && rule.monthDays.isEmpty else {
            return nil
        }
        switch rule.end {
        case .until(let end):
            rule.end = .until(end.advanced(by: .seconds(due.seconds - start.seconds)))
        case .untilDay(let end):
            rule.end = .untilDay(end.advanced(byDays: Int(first.number - begin.number)))
        case .count, nil: break
        }
        guard rule.hasReadableEnd else { return nil }
        return rule.day(after: first, from: first) == nil ? nil : rule
    }
}

extension RepeatRule {
    /// Whether the text of the rule can be parsed again: years have four digits.
    fileprivate var hasReadableEnd: Bool {
        switch end {
        case .until(let time): ICalendarTimes.text(time) != nil
        case .untilDay(let day): DueTimeParser.years.contains(day.year)
        case .count, nil: true
        }
    }
}

extension ICalendarProperty {
    /// The property with its times in UTC, or without a zone that the machine does not know.
    var withoutZone: ICalendarProperty {
        guard let name = parameters["TZID"] else { return self }
        let zone = ZoneCalendar(name)
        let times = value.split(separator: ",", omittingEmptySubsequences: false).map { time in
            LocalTime(basic: time).flatMap { zone?.moment(of: $0) }.flatMap(ICalendarTimes.text)
                ?? String(time)
        }
        var isQuoted = false
        let head = source.unicodeScalars.dropLast(value.unicodeScalars.count + 1).split {
            if $0 == "\"" { isQuoted.toggle() }
            return $0 == ";" && !isQuoted
        }
        let parts = head.map { String($0) }.filter { !$0.uppercased().hasPrefix("TZID=") }
        let text = parts.joined(separator: ";") + ":" + times.joined(separator: ",")
        return ICalendarProperty(text, line: line) ?? self
    }
}

extension ICalendarComponent {
    /// Whether it is a repetition or an exception of one; its days depend on a zone.
    var isOfRepetition: Bool { first("RRULE") != nil || first("RECURRENCE-ID") != nil }

    /// The component without zones, except known zones of repetitions: a file must define each zone
    /// (section 3.2.19).
    var withoutZones: ICalendarComponent {
        var component = self
        component.properties = properties.map { property in
            let isKnown = property.parameters["TZID"].flatMap { ZoneCalendar($0) } != nil
            return isOfRepetition && isKnown ? property : property.withoutZone
        }
        component.components = components.map(\.withoutZones)
        return component
    }
}

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

    /// The text of a time in UTC; nil for years that no file may have.
    static func text(_ time: PointInTime) -> String? {
        let year = LocalTime(secondsInUTC: time.seconds).date.year
        return DueTimeParser.years.contains(year) ? time.basic : nil
    }

    /// Whether every time of a task has a text, and its start is not taken for that of a repetition. A rule has no time of day: it would be
    /// one of UTC.
    static func canTellTimes(of task: ExchangedTask) -> Bool {
        let steps = task.text?.subtasks.flatMap { [$0.due, $0.reminder] } ?? []
        let times = [task.due, task.wait, task.reminder, task.created, task.completion?.time]
        return (times + steps).allSatisfy { $0.map { text($0) != nil } ?? true }
            && task.repetition?.hour == nil && task.repetition?.minute == nil
            && (task.wait == nil || task.wait?.seconds != task.due?.seconds)
    }

    /// The time of a property; nil if it has none.
    ///
    /// - Returns: The time, and `false` if its zone is unknown and that of the owner was taken.
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

    /// The seconds of a duration such as `-PT15M`; nil for any other text, and beyond 64 bits.
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

    /// The time of an alarm; nil if it has none that a task can have.
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

    /// The rule of a task; nil if it is not supported, has no beginning, or has no second occurrence before the year 10000.
    ///
    /// - Parameters:
    ///   - text: The rule.
    ///   - due: The due time.
    ///   - start: The property whose time of day the rule may repeat.
    /// - Returns: The rule, without a time of day.
    func rule(_ text: String, from due: PointInTime?, at start: ICalendarProperty?) -> RepeatRule? {
        guard let due, var rule = try? RepeatRule(rule: text) else { return nil }
        let clock = start.flatMap { LocalTime(basic: $0.value.split(separator: "Z").first ?? "") }
        if let clock {
            guard rule.hour ?? clock.hour == clock.hour, rule.minute ?? clock.minute == clock.minute
            else { return nil }
        }
        rule.forgetTimeOfDay()
        let first = calendar.local(at: due).date
        return rule.day(after: first, from: first) == nil ? nil : rule
    }
}

extension ICalendarProperty {
    /// The property with its times in UTC, or without a zone if the machine does not know it: a file would have to define a zone
    /// (section 3.2.19).
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
    /// The component without zones.
    var withoutZones: ICalendarComponent {
        var component = self
        component.properties = properties.map(\.withoutZone)
        component.components = components.map(\.withoutZones)
        return component
    }
}

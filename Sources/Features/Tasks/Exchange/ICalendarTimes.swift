/// Times, durations and rules of iCalendar (RFC 5545, section 3.3), in the calendar of the owner.
struct ICalendarTimes {
    /// The time of entries without a time.
    static let earliest = "19700101T000000Z"

    let calendar: any LocalCalendar
    /// The zone of the calendar, if it has a name.
    let zone: ZoneCalendar?
    /// The current time.
    var now: PointInTime
    /// The properties `RECURRENCE-ID` of the occurrences that are entries of their own in the file, by UID.
    private(set) var overrides: [String: [ICalendarProperty]] = [:]
    let work: ICalendarWork

    init(
        _ calendar: some LocalCalendar, now: PointInTime, work: ICalendarWork = ICalendarWork()
    ) {
        self.work = work
        self.calendar = calendar
        self.now = now
        zone = ZoneCalendar(of: calendar)
    }

    /// The times of a file with these tasks.
    init(toWrite tasks: some Sequence<ExchangedTask>, in calendar: some LocalCalendar) {
        // The rules of the owner's tasks have been accepted.
        self.init(calendar, now: PointInTime(milliseconds: 0), work: ICalendarWork(.max))
        for task in tasks {
            guard let (uid, time) = ICalendarEntry.override(of: task.text) else { continue }
            overrides[uid, default: []].append(time)
        }
    }

    /// The calendar of a zone, which is the owner's for the same name; nil if the machine does not know the zone.
    func knownZone(_ name: String) -> (any LocalCalendar)? {
        zone?.name == name ? calendar : work.zone(name)
    }

    /// The text of a time in UTC; nil for years that are invalid in a file.
    static func text(_ time: PointInTime) -> String? {
        let year = LocalTime(secondsInUTC: time.seconds).date.year
        return DueTimeParser.years.contains(year) ? time.basic : nil
    }

    /// A property with a day, or a time in UTC; without a value for years that are invalid in a file.
    static func property(_ name: String, _ time: TaskTime?) -> (String, String?) {
        switch time {
        case nil: (name, nil)
        case .day(let date):
            (name + ";VALUE=DATE", DueTimeParser.years.contains(date.year) ? date.basic : nil)
        case .moment(let time): (name, text(time))
        }
    }

    /// Whether every time of a task has a text.
    static func canTellTimes(of task: ExchangedTask) -> Bool {
        let steps = task.text?.subtasks.flatMap { [$0.due, $0.reminder] } ?? []
        let times = [task.due, task.wait, task.reminder] + steps
        return times.allSatisfy { $0 == nil || property("DUE", $0).1 != nil }
            && [task.created, task.completion?.time].allSatisfy {
                $0.map { text($0) != nil } ?? true
            }
    }

    /// The time of a property; nil if it has none.
    ///
    /// - Returns: The time, and `false` if its zone is unknown and the owner's zone was used.
    func time(_ property: ICalendarProperty) -> (TaskTime, isCertain: Bool)? {
        time(property.value, zone: property.parameters["TZID"])
    }

    func time(
        _ value: some StringProtocol, zone: String?
    ) -> (TaskTime, isCertain: Bool)? {
        if let date = CalendarDate(basic: value) {
            return DueTimeParser.years.contains(date.year) ? (.day(date), true) : nil
        }
        if let time = PointInTime(basic: String(value)) { return (.moment(time), true) }
        guard let local = LocalTime(basic: value) else { return nil }
        guard let name = zone else {
            return (.moment(calendar.moment(of: local)), true)
        }
        let zone = knownZone(name)
        return (.moment((zone ?? calendar).moment(of: local)), zone != nil)
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

    /// The time so long after another one. Whole days after a day are a day.
    func time(_ time: TaskTime, after seconds: Int64) -> TaskTime {
        if case .day(let date) = time, seconds % 86_400 == 0 {
            return .day(date.advanced(byDays: Int(clamping: seconds / 86_400)))
        }
        return .moment(time.start(in: calendar).advanced(by: .seconds(seconds)))
    }

    /// The time of an alarm; nil if a task cannot represent it.
    func reminder(
        _ alarm: ICalendarComponent, start: TaskTime?, due: TaskTime?
    ) -> TaskTime? {
        guard let trigger = alarm.first("TRIGGER") else { return nil }
        var found = time(trigger)?.0
        if let seconds = Self.seconds(trigger.value) {
            let isOfEnd = trigger.parameters["RELATED"]?.uppercased() == "END"
            let origin = isOfEnd ? due ?? start : start ?? due
            found = origin.map {
                .moment($0.start(in: calendar).advanced(by: .seconds(seconds)))
            }
        }
        if let date = alarm.first(Self.reminderDay).flatMap({ CalendarDate(basic: $0.value) }),
            found?.date(in: calendar) == date
        {
            found = .day(date)
        }
        return found?.ifStorable
    }

    /// TaskVault's property of an alarm for a whole day, beside a trigger with a time of day.
    static let reminderDay = "X-TASKVAULT-DAY"

    /// The trigger of a reminder: relative to the start of a repetition, so that it is right for each occurrence.
    func trigger(_ reminder: TaskTime, in component: ICalendarComponent) -> [(String, String?)]? {
        let time = DayReminders(in: calendar).announcement(of: reminder)
        guard let text = Self.text(time) else { return nil }
        var trigger = ("TRIGGER;VALUE=DATE-TIME", text as String?)
        if component.first("RRULE") != nil,
            let start = component.first("DTSTART").flatMap({ self.time($0)?.0.start(in: calendar) })
        {
            trigger = ("TRIGGER", Self.duration(time.seconds - start.seconds))
        }
        return [trigger, (Self.reminderDay, reminder.day?.basic)]
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
}

extension ICalendarProperty {
    /// The property with its times in UTC, or without a zone that the machine does not know.
    var withoutZone: ICalendarProperty {
        guard let name = parameters["TZID"] else { return self }
        return inUTC(of: ZoneCalendar(name))
    }

    /// The property with the times of a zone in UTC.
    func inUTC(of zone: (any LocalCalendar)?) -> ICalendarProperty {
        replacingZone(by: nil) { time in
            zone.flatMap { ICalendarTimes.text($0.moment(of: time)) }
        }
    }

    /// The property in another zone, with other local times.
    func withZone(_ name: String?, _ change: (LocalTime) -> LocalTime) -> ICalendarProperty {
        replacingZone(by: name) { change($0).basic }
    }

    private func replacingZone(
        by name: String?, _ change: (LocalTime) -> String?
    ) -> ICalendarProperty {
        let times = value.split(separator: ",", omittingEmptySubsequences: false).map { time in
            LocalTime(basic: time).flatMap(change) ?? String(time)
        }
        var isQuoted = false
        let head = source.unicodeScalars.dropLast(value.unicodeScalars.count + 1).split {
            if $0 == "\"" { isQuoted.toggle() }
            return $0 == ";" && !isQuoted
        }
        let parts =
            head.map { String($0) }.filter { !$0.uppercased().hasPrefix("TZID=") }
            + (name.map { ["TZID=" + $0] } ?? [])
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

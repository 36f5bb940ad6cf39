/// Times, durations and rules of iCalendar (RFC 5545, section 3.3), in the calendar of the owner.
struct ICalendarTimes {
    /// The time of entries without a time.
    static let earliest = "19700101T000000Z"

    let calendar: any LocalCalendar
    /// The zone of the calendar, if it has a name.
    private let zone: ZoneCalendar?
    /// The current time.
    var now: PointInTime
    /// The properties `RECURRENCE-ID` of the occurrences that are entries of their own in the file, by UID.
    private(set) var overrides: [String: [ICalendarProperty]] = [:]

    init(_ calendar: some LocalCalendar, now: PointInTime) {
        self.calendar = calendar
        self.now = now
        zone = ZoneCalendar(of: calendar)
    }

    /// The times of a file with these tasks.
    init(toWrite tasks: some Sequence<ExchangedTask>, in calendar: some LocalCalendar) {
        self.init(calendar, now: PointInTime(milliseconds: 0))
        for task in tasks {
            guard let (uid, time) = ICalendarEntry.override(of: task.text) else { continue }
            overrides[uid, default: []].append(time)
        }
    }

    /// The calendar of a zone, which is the owner's for the same name; nil if the machine does not know the zone.
    private func knownZone(_ name: String) -> (any LocalCalendar)? {
        zone?.name == name ? calendar : ZoneCalendar(name)
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
        if let date = CalendarDate(basic: property.value) {
            return DueTimeParser.years.contains(date.year) ? (.day(date), true) : nil
        }
        if let time = PointInTime(basic: property.value) { return (.moment(time), true) }
        guard let local = LocalTime(basic: property.value) else { return nil }
        guard let name = property.parameters["TZID"] else {
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

    /// The properties from which every program derives the occurrences of a task: days, or times of the zone in which the rule counts.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - uid: The UID of its entry.
    /// - Returns: nil if the task does not repeat, a time has no such property, or the zone has no name.
    func series(of task: ExchangedTask, uid: String?) -> [(String, String?)]? {
        guard let rule = task.repetition, let present = task.task.presentOccurrence(in: calendar)
        else { return nil }
        let zone = zone(of: present)
        let left = rule.exceptions + lacking(rule, uid: uid, zone)
        let isDay = present.scheduled.isDay
        let ended = rule.withEnd(ofDays: isDay, in: zone ?? calendar)
        guard ended.hasReadableEnd, let start = property("DTSTART", [present.scheduled], zone),
            let due = property("DUE", [present.due ?? present.scheduled], zone),
            let days = property("EXDATE", left.filter(\.isDay), zone),
            let times = property("EXDATE", left.filter { !$0.isDay }, zone)
        else { return nil }
        let wait = Self.property("X-TASKVAULT-WAIT", task.wait)
        let moved = Self.property(
            "X-TASKVAULT-DUE", task.task.isMoved(in: calendar) ? task.due : nil)
        return [start, due, ("RRULE", ended.withoutExceptions.text), days, times, wait, moved]
    }

    /// The exceptions that a kept series of another program needs: occurrences that were entries of their own and are not in this file.
    func exceptions(of task: ExchangedTask, uid: String?) -> [(String, String?)] {
        guard let rule = task.repetition, let present = task.task.presentOccurrence(in: calendar)
        else { return [] }
        let zone = zone(of: present)
        let left = lacking(rule, uid: uid, zone)
        return [left.filter(\.isDay), left.filter { !$0.isDay }].compactMap {
            property("EXDATE", $0, zone)
        }
    }

    /// The zone in which the rule of an occurrence counts; nil if it has no name.
    private func zone(of occurrence: Occurrence) -> ZoneCalendar? {
        occurrence.zone.flatMap { ZoneCalendar($0) } ?? zone
    }

    /// A property with days, or times of a zone; nil if it cannot have them.
    private func property(
        _ name: String, _ times: [FloatingTime], _ zone: ZoneCalendar?
    ) -> (String, String?)? {
        guard let first = times.first else { return (name, nil) }
        guard times.allSatisfy({ DueTimeParser.years.contains($0.date.year) }) else { return nil }
        if first.isDay {
            return (name + ";VALUE=DATE", times.map(\.date.basic).joined(separator: ","))
        }
        guard let zone else { return nil }
        let texts = times.map { $0.local.basic + (zone.isUTC ? "Z" : "") }
        return (name + (zone.isUTC ? "" : ";TZID=" + zone.name), texts.joined(separator: ","))
    }

    /// The occurrences of a rule that were entries of their own and are not in this file.
    private func lacking(
        _ rule: RepeatRule, uid: String?, _ zone: ZoneCalendar?
    ) -> [FloatingTime] {
        let present = Set((overrides[uid ?? ""] ?? []).map(\.value))
        return rule.overrides.filter { !present.contains(identity(of: $0, zone)) }
    }

    /// The text that identifies an occurrence: its date, or its time in UTC.
    private func identity(of time: FloatingTime, _ zone: ZoneCalendar?) -> String {
        switch time.taskTime(in: zone ?? calendar) {
        case .day(let date): date.basic
        case .moment(let time): time.basic
        }
    }

    /// The rule of a component and its present occurrence: the first that is neither an exception nor an entry of its own.
    ///
    /// - Parameters:
    ///   - component: The entry.
    ///   - others: The properties `RECURRENCE-ID` of the entries of single occurrences.
    ///   - kept: The same as times, of a task that was imported.
    /// - Returns: nil for a rule that is not supported, and without a second occurrence before the year 10000.
    func series(
        _ component: ICalendarComponent, others: [ICalendarProperty], kept: [FloatingTime]
    ) -> (rule: RepeatRule, occurrence: Occurrence)? {
        let rules = component.properties.filter { $0.name == "RRULE" }
        let due = component.first("DUE")
        guard rules.count == 1, component.first("RDATE") == nil, component.first("EXRULE") == nil,
            others.allSatisfy({ $0.parameters["RANGE"] == nil }),
            let start = component.first("DTSTART") ?? due,
            let (scheduled, zoneName) = floating(start),
            var rule = try? RepeatRule(rule: rules[0].value)
        else { return nil }
        // A day has no times of day.
        guard
            !scheduled.isDay
                || RepeatRule.Part.allCases.allSatisfy({ !$0.isOfTime || rule[$0].isEmpty })
        else { return nil }
        let calendar = zoneName.flatMap { knownZone($0) } ?? calendar
        func times(_ properties: [ICalendarProperty]) -> [FloatingTime]? {
            let values = properties.flatMap(\.eachValue).map { property in
                time(property)?.0.floating(in: calendar)
            }
            return values.contains { $0 == nil } ? nil : values.compactMap(\.self)
        }
        guard let exceptions = times(component.properties.filter { $0.name == "EXDATE" }),
            let overrides = times(others),
            exceptions.count + overrides.count <= RepeatRule.maximumExceptions
        else { return nil }
        func ascending(_ times: [FloatingTime]) -> [FloatingTime] {
            Set(times).sorted { $0.local < $1.local }
        }
        rule.exceptions = ascending(exceptions)
        rule.overrides = ascending(overrides + kept)
        var end = due.flatMap { time($0)?.0 }
        if end == nil,
            let duration = component.first("DURATION").flatMap({ Self.seconds($0.value) })
        {
            end = time(scheduled.taskTime(in: calendar), after: duration)
        }
        var present = Occurrence(
            scheduled, due: end?.floating(in: calendar),
            zone: zoneName ?? (self.calendar as? any ZonedCalendar)?.zoneName)
        guard rule.hasReadableEnd,
            rule.time(after: scheduled.local, from: scheduled.local, isDay: scheduled.isDay) != nil
        else { return nil }
        if rule.isLeftOut(scheduled) {
            guard let next = rule.next(after: present, now: nil, in: self.calendar) else {
                return nil
            }
            (rule, present) = (next.rule, next.occurrence)
        }
        return (rule, present)
    }

    /// A day or a local time, and the name of its zone, which is nil for a day and without a known zone.
    private func floating(_ property: ICalendarProperty) -> (FloatingTime, zoneName: String?)? {
        let isUTC = property.value.hasSuffix("Z")
        guard
            let time = FloatingTime(basic: isUTC ? property.value.dropLast() : property.value[...])
        else { return nil }
        if time.isDay { return (time, nil) }
        let name = isUTC ? "UTC" : property.parameters["TZID"]
        return (time, name.flatMap { knownZone($0) == nil ? nil : $0 })
    }
}

extension RepeatRule {
    /// Whether the text of the rule can be parsed again: years have four digits.
    fileprivate var hasReadableEnd: Bool {
        switch end {
        case .until(let time): ICalendarTimes.text(time) != nil
        case .untilDay(let day): DueTimeParser.years.contains(day.year)
        case .untilLocal(let local): DueTimeParser.years.contains(local.date.year)
        case .count, nil: true
        }
    }

    /// The rule with an end that other programs expect: a day for days, and UTC for times (section 3.3.10).
    fileprivate func withEnd(ofDays isDay: Bool, in zone: any LocalCalendar) -> RepeatRule {
        var rule = self
        switch (end, isDay) {
        case (.until(let time), true): rule.end = .untilDay(zone.local(at: time).date)
        case (.untilLocal(let local), true): rule.end = .untilDay(local.date)
        case (.untilLocal(let local), false): rule.end = .until(zone.moment(of: local))
        case (.untilDay(let day), false):
            let next = zone.start(of: day.advanced(byDays: 1))
            rule.end = .until(next.advanced(by: .seconds(-1)))
        default: break
        }
        return rule
    }
}

extension ICalendarProperty {
    /// A property for each value of a list.
    fileprivate var eachValue: [ICalendarProperty] {
        let head = source.unicodeScalars.dropLast(value.unicodeScalars.count)
        return value.split(separator: ",").compactMap {
            ICalendarProperty(String(head) + $0, line: line)
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

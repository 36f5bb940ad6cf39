// Repetitions and their occurrences (RFC 5545, section 3.8.5).
extension ICalendarTimes {
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

    /// A repetition in a file.
    struct Series {
        let rule: RepeatRule
        /// The first occurrence that is neither an exception nor an entry of its own; the first of all if ``isOver``.
        let occurrence: Occurrence
        /// The occurrences that are exceptions or entries of their own.
        let left: [FloatingTime]
        /// Whether there is no other occurrence.
        let isOver: Bool
    }

    /// The repetition of a component.
    ///
    /// - Parameters:
    ///   - component: The entry.
    ///   - others: The properties `RECURRENCE-ID` of the entries of single occurrences.
    ///   - kept: The same as times, of a task that was imported.
    /// - Returns: nil for a rule that is not supported, without a second occurrence before the year 10000, and if the search for one is
    ///   long (``ICalendarWork``).
    func series(
        _ component: ICalendarComponent, others: [ICalendarProperty], kept: [FloatingTime]
    ) -> Series? {
        let rules = component.properties.filter { $0.name == "RRULE" }
        let due = component.first("DUE")
        guard rules.count == 1, component.first("RDATE") == nil, component.first("EXRULE") == nil,
            others.count <= RepeatRule.maximumExceptions,
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
        // A file may have as many values as bytes.
        let left = component.properties.filter { $0.name == "EXDATE" }
        let count = left.reduce(others.count) { $0 + $1.value.utf8.count { $0 == 0x2C } + 1 }
        guard count <= RepeatRule.maximumExceptions else { return nil }
        func times(_ properties: [ICalendarProperty]) -> [FloatingTime]? {
            let values = properties.flatMap { property in
                property.value.split(separator: ",").map {
                    time($0, zone: property.parameters["TZID"])?.0.floating(in: calendar)
                }
            }
            return values.contains { $0 == nil } ? nil : values.compactMap(\.self)
        }
        return work.searching(besides: count) { budget -> Series? in
            guard let exceptions = times(left), let overrides = times(others) else { return nil }
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
            guard rule.hasReadableEnd else { return nil }
            let elsewhere = exceptions + overrides
            if rule.isLeftOut(scheduled) {
                guard
                    let next = rule.next(
                        after: present, now: nil, in: self.calendar, budget: &budget)
                else {
                    guard budget > 0 else { return nil }
                    return Series(rule: rule, occurrence: present, left: elsewhere, isOver: true)
                }
                (rule, present) = (next.rule, next.occurrence)
            } else if rule.time(
                after: scheduled.local, from: scheduled.local, isDay: scheduled.isDay,
                budget: &budget) == nil
            {
                return nil
            }
            return Series(rule: rule, occurrence: present, left: elsewhere, isOver: false)
        }
    }

    /// Whether the first occurrence of a component is an exception or an entry of its own.
    func isFirstLeftOut(_ component: ICalendarComponent, others: [ICalendarProperty]) -> Bool {
        guard let first = component.first("DTSTART") ?? component.first("DUE"),
            let start = time(first)?.0
        else { return false }
        return (component.properties.filter { $0.name == "EXDATE" } + others).contains { left in
            left.value.split(separator: ",").contains {
                time($0, zone: left.parameters["TZID"])?.0 == start
            }
        }
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

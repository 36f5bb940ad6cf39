// From an entry to a task.
extension ICalendarEntry {
    /// Properties that have a replacement when a task is written.
    private static let replaced: Set = [
        "X-TASKVAULT-ID", "X-TASKVAULT-LIST", "X-TASKVAULT-SUBTASK",
    ]

    /// The task, unvalidated, without subtasks and unsupported attributes.
    func task(
        _ id: TaskID, _ times: ICalendarTimes, others: [ICalendarProperty] = [],
        kept: [FloatingTime] = [], leaveOut: (LeftOut) -> Void = { _ in },
        elsewhere: (_ occurrences: [FloatingTime], _ isOver: Bool) -> Void = { _, _ in }
    ) throws -> ExchangedTask {
        let notes = component.first("DESCRIPTION")?.text ?? ""
        guard let name = component.name(or: notes) else {
            throw TaskExchangeError.missingMember("SUMMARY", line: line)
        }
        func time(_ name: String) throws -> TaskTime? {
            guard let property = component.first(name) else { return nil }
            guard let (time, isCertain) = times.time(property) else {
                throw TaskExchangeError.invalidMember(name, line: property.line)
            }
            if !isCertain { leaveOut(.zones) }
            return time
        }
        func moment(_ name: String) throws -> PointInTime? {
            try time(name)?.start(in: times.calendar)
        }
        let stamp = try moment("DTSTAMP")
        let created = try moment("CREATED")
        var task = ExchangedTask(
            id: id, text: TaskText(name: name, notes: notes),
            created: created ?? stamp ?? times.now)
        // `DTSTAMP` may be the time of the export.
        task.isUndated = created == nil
        var start = try time("DTSTART")
        task.due = try time("DUE")
        if task.due == nil, let start, let property = component.first("DURATION") {
            guard let seconds = ICalendarTimes.seconds(property.value) else {
                throw TaskExchangeError.invalidMember("DURATION", line: property.line)
            }
            let due = times.time(start, after: seconds)
            guard DueTimeParser.accepts(due) else {
                throw TaskExchangeError.invalidMember("DURATION", line: property.line)
            }
            task.due = due
        }
        var ownStart = try time("X-TASKVAULT-WAIT")
        if component.first("RRULE") != nil || component.first("RDATE") != nil {
            if let series = times.series(component, others: others, kept: kept) {
                let occurrence = series.occurrence
                task.task.setSeries(series.rule, occurrence)
                elsewhere(series.left, series.isOver)
                // An exception at the beginning moves all times to the next occurrence.
                let due = occurrence.dueTime(in: times.calendar)
                let old = task.due ?? start ?? due
                start = start?.moved(from: old, to: due, in: times.calendar)
                ownStart = ownStart?.moved(from: old, to: due, in: times.calendar)
                task.due = due
            } else {
                leaveOut(.repetitions)
                if times.isFirstLeftOut(component, others: others) {
                    // Which occurrence is the next one is unknown.
                    (task.due, start) = (nil, nil)
                } else {
                    // As of a rule that is supported.
                    task.due = task.due ?? start
                }
            }
        }
        // Hiding a task until it is due is useless, but other programs require a start.
        if start != task.due { task.wait = start }
        task.wait = ownStart ?? task.wait
        switch component.first("PRIORITY").flatMap({ Digits.number($0.value, 1...1) }) {
        case 1, 2, 3, 4: task.priority = .high
        case 5: task.priority = .medium
        case 6, 7, 8, 9: task.priority = .low
        default: break
        }
        let tags = TaskTextRule.tags(of: categories)
        task.tags = tags.tags
        if tags.isIncomplete { leaveOut(.tags) }
        task.list = TaskTextRule.list(component.first("X-TASKVAULT-LIST")?.text) ?? list
        let completed = try moment("COMPLETED")
        if isCompleted {
            let changed = try completed ?? moment("LAST-MODIFIED") ?? stamp
            task.completion = TaskCompletion(time: changed ?? times.now)
        }
        let alarms = component.components.filter { $0.name == "VALARM" && !$0.isUnused }
        if let alarm = alarms.first(where: { !$0.isOfPlace }) {
            task.reminder = times.reminder(alarm, start: start, due: task.due)
        }
        // The owner moved the due time of this occurrence.
        task.due = try time("X-TASKVAULT-DUE") ?? task.due
        for _ in alarms.dropFirst(task.reminder == nil ? 0 : 1) { leaveOut(.reminders) }
        return task
    }

    var categories: [String] {
        component.properties.filter { $0.name == "CATEGORIES" }.flatMap(\.texts)
            .filter { !$0.isEmpty }
    }

    private var isCompleted: Bool {
        if let status = component.first("STATUS")?.value.uppercased() {
            return status == "COMPLETED"
        }
        return component.first("COMPLETED") != nil
            || component.first("PERCENT-COMPLETE")?.value == "100"
    }

    /// Adds the subtasks and the unsupported attributes.
    func complete(
        _ task: inout ExchangedTask, with family: [(ICalendarEntry, ExchangedTask)],
        _ times: ICalendarTimes
    ) {
        guard var text = task.text else { return }
        let uid = component.first("UID")?.value
        var taken: Set<TaskID> = []
        var kept: [String: String] = [:]
        for (entry, child) in family {
            let ownID = entry.component.first("X-TASKVAULT-SUBTASK").flatMap { TaskID($0.value) }
            var numbers = StableNumbers(entry.identity + "/subtask")
            let id = ownID.flatMap { taken.insert($0).inserted ? $0 : nil } ?? numbers.id(&taken)
            let subtask = TodoSubtask(
                id: id, name: child.text?.name ?? "", isDone: child.isDone, due: child.due,
                reminder: child.reminder)
            text.subtasks.append(subtask)
            let own = Self.own(subtask, of: task, uid: uid, times)
            let lines = entry.lines(without: own)
            if !lines.isEmpty { kept[id.text] = FurtherAttributes.json(lines) }
        }
        let lines = lines(without: Self.own(task, text, times))
        var members: [String: String] = [:]
        if !lines.isEmpty { members[FurtherAttributes.iCalendar] = FurtherAttributes.json(lines) }
        if !kept.isEmpty {
            members[FurtherAttributes.iCalendarSubtasks] = FurtherAttributes.object(kept)
        }
        text.further = FurtherAttributes.object(members)
        task.task.content = .plain(text)
    }

    /// The lines that differ from those of TaskVault. All times are compared together.
    /// A time of a zone equals the same time in UTC, except in a repetition.
    private func lines(without own: ICalendarComponent) -> [String] {
        let known = Set(own.properties.map(\.source))
        func isForeign(_ property: ICalendarProperty) -> Bool {
            let isInUTC =
                property.parameters["TZID"] != nil && own.first(property.name) != nil
                && !component.isOfRepetition
            return !known.contains(property.source) && !isInUTC
        }
        let hasForeignTimes = component.properties.contains {
            Self.timeNames.contains($0.name) && isForeign($0)
        }
        let properties = component.properties.filter { property in
            if Self.timeNames.contains(property.name) { return hasForeignTimes }
            return isForeign(property) && !Self.replaced.contains(property.name)
        }
        let ownComponents = own.components.map(\.lines)
        let components = component.components.filter { !ownComponents.contains($0.lines) }
        return properties.map(\.source) + components.flatMap(\.lines)
    }
}

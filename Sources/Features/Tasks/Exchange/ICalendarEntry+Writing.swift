// From a task to its entries.
extension ICalendarEntry {
    /// The entries of a task and its subtasks: kept lines while their meaning is unchanged,
    /// otherwise those of TaskVault.
    static func entries(
        of task: ExchangedTask, _ text: TaskText, _ times: ICalendarTimes,
        _ written: inout Set<String>
    ) -> [ICalendarComponent] {
        let further = FurtherAttributes.members(of: text.further)
        let kept = FurtherAttributes.texts(of: further?[FurtherAttributes.iCalendar])
        var whole = merge(own(task, text, times), kept, task, times)
        let keptUID = whole.first("UID")?.value
        whole.replaceUID(by: TaskwarriorID.uuid(of: task.id), ifIn: &written)
        let uid = whole.first("UID")?.value
        let keptOfSubtasks = FurtherAttributes.members(
            of: further?[FurtherAttributes.iCalendarSubtasks])
        var entries = [whole]
        for subtask in text.subtasks {
            // By the UID of the import, which the kept lines name, too.
            let own = own(subtask, of: task, uid: keptUID ?? uid, times)
            var entry = merge(
                own, FurtherAttributes.texts(of: keptOfSubtasks?[subtask.id.text]),
                Self.task(of: subtask, in: task), times, isSubtask: true)
            if uid != keptUID, let keptUID, let uid {
                entry.replace("RELATED-TO", keptUID, by: uid)
            }
            entry.replaceUID(by: own.first("UID")?.value ?? "", ifIn: &written)
            entries.append(entry)
        }
        return entries
    }

    private static func merge(
        _ own: ICalendarComponent, _ kept: [String]?, _ task: ExchangedTask,
        _ times: ICalendarTimes, isSubtask: Bool = false
    ) -> ICalendarComponent {
        var task = task
        guard let kept,
            let before = ICalendarReader.read(kept, of: "VTODO")?.withoutZones
        else { return own }
        var names = Set(before.properties.map(\.name))
        if !names.isDisjoint(with: timeNames) { names.formUnion(timeNames) }
        var merged = own
        merged.properties.removeAll { property in
            // The task is one of several parents.
            property.name == "RELATED-TO"
                ? before.properties.contains {
                    $0.name == property.name && $0.value == property.value
                } : names.contains(property.name)
        }
        merged.properties += before.properties
        let isAlarmKept = before.components.contains { $0.isReminder }
        merged.components = before.components
        let uid = before.first("RECURRENCE-ID") == nil ? merged.first("UID")?.text : nil
        func read() -> ExchangedTask? {
            try? ICalendarEntry(merged, list: task.list).task(
                task.id, times, others: times.overrides[uid ?? ""] ?? [],
                kept: task.repetition?.overrides ?? [])
        }
        guard var was = read() else { return own }
        if task.due == nil, task.repetition == nil,
            before.first("RRULE") ?? before.first("RDATE") != nil
        {
            // The first occurrence was an entry of its own at the import, which may be gone.
            (was.due, was.wait, was.reminder) = (nil, task.wait, task.reminder)
        }
        if isSubtask {
            // A subtask has none of these.
            (task.wait, task.priority, task.tags) = (was.wait, was.priority, was.tags)
            if var text = task.text {
                text.notes = was.text?.notes ?? ""
                task.task.content = .plain(text)
            }
        }
        if was.due?.inSeconds != task.due?.inSeconds || was.wait?.inSeconds != task.wait?.inSeconds
            || was.repetition != task.repetition
        {
            merged.properties.removeAll { timeNames.contains($0.name) }
            merged.properties += own.properties.filter { timeNames.contains($0.name) }
            guard let moved = read() else { return own }
            was = moved
        } else if names.contains("RRULE") {
            merged.properties += times.exceptions(of: task, uid: uid).properties
        }
        if isSubtask {
            // A subtask has neither of these times.
            task.created = was.created
            if task.isDone, was.isDone { task.completion = was.completion }
        }
        for name in names.subtracting(timeNames) where !isCurrent(name, was, task) {
            merged.properties.removeAll { $0.name == name }
            if name == "CATEGORIES" {
                merged.properties += ICalendarEntry(before, list: nil).categories(task.tags)
            } else {
                merged.properties += own.properties.filter { $0.name == name }
            }
        }
        if !isAlarmKept || was.reminder?.inSeconds != task.reminder?.inSeconds {
            if was.reminder != nil,
                let first = merged.components.firstIndex(where: { $0.isReminder })
            {
                merged.components.remove(at: first)
            }
            merged.components = alarms(of: task, in: merged, times) + merged.components
        }
        return merged
    }

    /// The properties of tags, in the spelling of the categories that they were, and of categories that cannot be tags.
    private func categories(_ tags: [String]) -> [ICalendarProperty] {
        let before = TaskTextRule.tags(of: categories)
        let sources = Dictionary(uniqueKeysWithValues: zip(before.tags, before.sources))
        let texts = tags.map { sources[$0] ?? $0 } + before.others
        let list = texts.map(ICalendarText.escape).joined(separator: ",")
        return [("CATEGORIES", list.isEmpty ? nil : list)].properties
    }

    /// Whether the owner has not changed a property since the import.
    private static func isCurrent(
        _ name: String, _ was: ExchangedTask, _ task: ExchangedTask
    ) -> Bool {
        switch name {
        case "SUMMARY": was.text?.name == task.text?.name
        case "DESCRIPTION": was.text?.notes == task.text?.notes
        case "PRIORITY": was.priority == task.priority
        case "CATEGORIES": was.tags == task.tags
        case "STATUS", "PERCENT-COMPLETE": was.isDone == task.isDone
        case "COMPLETED": was.completion?.time.seconds == task.completion?.time.seconds
        case "CREATED": was.created.seconds == task.created.seconds
        case "DTSTAMP", "LAST-MODIFIED": task.revision == 1
        default: true
        }
    }

    /// The VTODO of a task, as TaskVault writes it.
    static func own(
        _ task: ExchangedTask, _ text: TaskText, _ times: ICalendarTimes
    ) -> ICalendarComponent {
        let created = ICalendarTimes.text(task.created)
        var values: [(String, String?)] = [
            ("UID", TaskwarriorID.uuid(of: task.id)), ("X-TASKVAULT-ID", task.id.text),
            ("DTSTAMP", created ?? ICalendarTimes.earliest), ("CREATED", created),
            ("SUMMARY", ICalendarText.escape(text.name)),
            ("DESCRIPTION", text.notes.isEmpty ? nil : ICalendarText.escape(text.notes)),
        ]
        if let repeated = times.series(
            of: task, uid: FurtherAttributes.uid(in: text.further) ?? values[0].1)
        {
            // The start is the present occurrence.
            values += repeated
        } else {
            // A start at the due time is no start in other programs. Both are days, or both are times (section 3.8.2.3).
            let start = task.wait.map { wait -> TaskTime in
                switch task.due {
                case nil: wait
                case .day: .day(wait.date(in: times.calendar))
                case .moment: .moment(wait.start(in: times.calendar))
                }
            }
            let isOwn = start != task.wait || start?.inSeconds == task.due?.inSeconds
            values += [
                ICalendarTimes.property("DTSTART", start),
                ICalendarTimes.property("DUE", task.due),
                ICalendarTimes.property("X-TASKVAULT-WAIT", isOwn ? task.wait : nil),
            ]
        }
        switch task.priority {
        case .none: break
        case .low: values.append(("PRIORITY", "9"))
        case .medium: values.append(("PRIORITY", "5"))
        case .high: values.append(("PRIORITY", "1"))
        }
        let tags = task.tags.map(ICalendarText.escape).joined(separator: ",")
        values.append(("CATEGORIES", tags.isEmpty ? nil : tags))
        values.append(("X-TASKVAULT-LIST", task.list.map(ICalendarText.escape)))
        values.append(("STATUS", task.isDone ? "COMPLETED" : "NEEDS-ACTION"))
        if let completion = task.completion {
            values.append(("COMPLETED", ICalendarTimes.text(completion.time)))
            values.append(("PERCENT-COMPLETE", "100"))
        }
        return component(values, task, times)
    }

    /// The VTODO of a subtask, as TaskVault writes it. `uid` is the UID of its task.
    static func own(
        _ subtask: TodoSubtask, of task: ExchangedTask, uid: String?, _ times: ICalendarTimes
    ) -> ICalendarComponent {
        var values: [(String, String?)] = [
            ("UID", TaskwarriorID.uuid(of: task.id) + "-" + subtask.id.text),
            ("X-TASKVAULT-SUBTASK", subtask.id.text),
            ("DTSTAMP", ICalendarTimes.text(task.created) ?? ICalendarTimes.earliest),
            ("RELATED-TO", uid), ("SUMMARY", ICalendarText.escape(subtask.name)),
            ICalendarTimes.property("DUE", subtask.due),
            ("STATUS", subtask.isDone ? "COMPLETED" : "NEEDS-ACTION"),
        ]
        if subtask.isDone { values.append(("PERCENT-COMPLETE", "100")) }
        return component(values, self.task(of: subtask, in: task), times)
    }

    /// A subtask as a task.
    private static func task(of subtask: TodoSubtask, in task: ExchangedTask) -> ExchangedTask {
        var result = ExchangedTask(
            id: subtask.id, text: TaskText(name: subtask.name), created: task.created)
        (result.due, result.reminder, result.list) = (subtask.due, subtask.reminder, task.list)
        if subtask.isDone { result.completion = TaskCompletion(time: task.created) }
        result.task.revision = task.revision
        return result
    }

    private static func component(
        _ values: [(String, String?)], _ task: ExchangedTask, _ times: ICalendarTimes
    ) -> ICalendarComponent {
        var component = ICalendarComponent(name: "VTODO", line: 0)
        component.properties = values.properties
        component.components = alarms(of: task, in: component, times)
        return component
    }

    /// The alarm of a task. For a repetition, it is relative to the start of each occurrence.
    private static func alarms(
        of task: ExchangedTask, in component: ICalendarComponent, _ times: ICalendarTimes
    ) -> [ICalendarComponent] {
        guard let reminder = task.reminder, let trigger = times.trigger(reminder, in: component)
        else { return [] }
        var alarm = ICalendarComponent(name: "VALARM", line: 0)
        let name = ICalendarText.escape(task.text?.name ?? "")
        alarm.properties =
            ([("ACTION", "DISPLAY"), ("DESCRIPTION", name)] + trigger).properties
        return [alarm]
    }
}

extension ICalendarComponent {
    /// Replaces the UID if another entry of the file has it. Exceptions of a repetition share one
    /// UID.
    mutating func replaceUID(by uid: String, ifIn written: inout Set<String>) {
        let entry = ICalendarEntry(self, list: nil)
        if let old = first("UID")?.value, !written.insert(entry.identity).inserted {
            replace("UID", old, by: uid)
            written.insert(ICalendarEntry(self, list: nil).identity)
        }
    }

    /// Replaces the properties with a value.
    mutating func replace(_ name: String, _ value: String, by new: String) {
        properties = properties.map {
            $0.name == name && $0.value == value
                ? ICalendarProperty(name + ":" + new, line: 0) ?? $0 : $0
        }
    }
}

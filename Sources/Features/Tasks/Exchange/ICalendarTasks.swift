internal import TextCoding

/// iCalendar (RFC 5545): one VTODO per task, and one per subtask with `RELATED-TO`.
enum ICalendarTasks {
    static func read(
        _ bytes: RawSpan, now: PointInTime, in calendar: some LocalCalendar
    ) throws -> TaskImport {
        var result = TaskImport(.iCalendar)
        var entries: [ICalendarEntry] = []
        for object in try ICalendarReader.read(bytes) {
            guard object.name == "VCALENDAR" else {
                throw TaskExchangeError.invalidCalendar(line: object.line)
            }
            let list = TaskTextRule.list(object.first("X-WR-CALNAME")?.text)
            for component in object.components {
                switch component.name {
                case "VTODO": entries.append(ICalendarEntry(component, list: list))
                case "VTIMEZONE": break
                default: result.leaveOut(.events)
                }
            }
        }
        let times = ICalendarTimes(calendar, now: now)
        try add(entries, to: &result, times)
        for _ in entries.filter(\.isCancelled) { result.leaveOut(.deletedTasks) }
        return result
    }

    private static func add(
        _ all: [ICalendarEntry], to result: inout TaskImport, _ times: ICalendarTimes
    ) throws {
        // An occurrence that was moved, finished or cancelled is an entry of its own.
        let others = Dictionary(
            grouping: all.compactMap { entry in entry.uid.map { ($0, entry.recurrenceID) } }
                .filter { $0.1 != nil }, by: \.0
        ).mapValues { $0.compactMap(\.1) }
        let entries = all.filter { !$0.isCancelled }
        let ids = TaskwarriorID.ids(of: identities(of: entries))
        var tasks: [ExchangedTask] = []
        for (entry, id) in zip(entries, ids) {
            guard let id else { throw TaskExchangeError.repeatedTask(line: entry.line) }
            let single = entry.recurrenceID == nil ? others[entry.uid ?? ""] ?? [] : []
            tasks.append(
                try entry.task(id, times, others: single) { result.leaveOut($0) })
        }
        let places = Dictionary(
            entries.indices.map { (entries[$0].uid ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
        let parents = entries.map { $0.parent.flatMap { places[$0] } }
        let withChildren = Set(parents.compactMap(\.self))
        var children: [Int: [Int]] = [:]
        var sizes: [Int: Int] = [:]
        for (index, parent) in parents.enumerated() {
            guard let parent, parent != index, !withChildren.contains(index),
                entries[index].isSubtask(tasks[index])
            else { continue }
            // A child that exceeds the space of the task becomes a task.
            sizes[parent, default: 0] += entries[index].size
            if children[parent, default: []].count < TaskTextRule.maximumSubtasks,
                sizes[parent, default: 0] <= TaskTextRule.maximumFurtherSize / 2
            {
                children[parent, default: []].append(index)
            }
        }
        let subtasks = Set(children.values.joined())
        for (index, entry) in entries.enumerated() where !subtasks.contains(index) {
            var task = tasks[index]
            let family = (children[index] ?? []).map { (entries[$0], tasks[$0]) }
            entry.complete(&task, with: family, times)
            try TaskImport.check(task, line: entry.line)
            result.tasks.append(task)
        }
    }

    /// The texts that determine the ids. Equal entries without a UID are separate tasks.
    private static func identities(of entries: [ICalendarEntry]) -> [String] {
        var counts: [String: Int] = [:]
        var own: Set<TaskID> = []
        return entries.map { entry in
            // Another program may copy a task including TaskVault's property.
            if let id = entry.ownID, own.insert(id).inserted { return TaskwarriorID.uuid(of: id) }
            guard entry.uid == nil else { return entry.identity }
            let count = counts[entry.identity, default: 0]
            counts[entry.identity] = count + 1
            return "\(entry.identity) \(count)"
        }
    }

    static func write<Sink: ByteSink & ~Copyable>(
        _ tasks: some Sequence<ExchangedTask>, in calendar: some LocalCalendar,
        to sink: consuming Sink
    ) throws -> Sink {
        let head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//TaskVault//TaskVault//EN"]
        for line in head { try sink.writeFolded(line) }
        var written: Set<String> = []
        var zones: Set<String> = []
        var times = ICalendarTimes(toWrite: tasks, in: calendar)
        for task in tasks {
            guard let text = task.text else { continue }
            times.now = task.created
            for entry in ICalendarEntry.entries(of: task, text, times, &written) {
                for name in entry.properties.compactMap({ $0.parameters["TZID"] })
                where zones.insert(name).inserted {
                    let zone = ZoneCalendar(name)?.definition(name)
                    for line in zone?.lines ?? [] { try sink.writeFolded(line) }
                }
                for line in entry.lines { try sink.writeFolded(line) }
            }
        }
        try sink.writeFolded("END:VCALENDAR")
        return sink
    }

    /// Whether an export must omit the repetition of a task, because the format cannot express it.
    static func losesRule(_ task: ExchangedTask, _ times: ICalendarTimes) -> Bool {
        guard let text = task.text, task.repetition != nil || text.further.has("RRULE")
        else { return false }
        let further = FurtherAttributes.members(of: text.further)
        let kept = FurtherAttributes.texts(of: further?[FurtherAttributes.iCalendar]) ?? []
        guard task.repetition != nil || kept.contains(where: { $0.hasPrefix("RRULE") }) else {
            return false
        }
        var written: Set<String> = []
        let entries = ICalendarEntry.entries(of: task, text, times, &written)
        return entries[0].first("RRULE") == nil
    }
}

/// A VTODO.
struct ICalendarEntry {
    private var component: ICalendarComponent
    /// The name of its calendar.
    private let list: String?

    init(_ component: ICalendarComponent, list: String?) {
        self.component = component
        self.list = list
    }

    var line: Int { component.line }
    var uid: String? { component.first("UID")?.text }
    var isCancelled: Bool { component.first("STATUS")?.value.uppercased() == "CANCELLED" }

    /// The id of a task that TaskVault wrote. Exceptions of a repeated task have separate ids.
    fileprivate var ownID: TaskID? {
        guard component.first("RECURRENCE-ID") == nil else { return nil }
        return component.first("X-TASKVAULT-ID").flatMap { TaskID($0.value) }
    }

    /// The occurrence of a repetition that the entry replaces.
    var recurrenceID: ICalendarProperty? { component.first("RECURRENCE-ID") }

    /// The UID and `RECURRENCE-ID` of a task that was imported as an occurrence of a repetition; nil for any other task.
    static func override(of text: TaskText?) -> (uid: String, time: ICalendarProperty)? {
        guard let further = text?.further, further.has("RECURRENCE-ID"),
            let kept = FurtherAttributes.texts(
                of: FurtherAttributes.members(of: further)?[FurtherAttributes.iCalendar]),
            let component = ICalendarReader.read(kept, of: "VTODO")
        else { return nil }
        let entry = ICalendarEntry(component, list: nil)
        guard let uid = entry.uid, let time = entry.recurrenceID else { return nil }
        return (uid, time.withoutZone)
    }

    /// The text that determines the id.
    var identity: String {
        let further = component.first("RECURRENCE-ID").map { " " + $0.withoutZone.value } ?? ""
        if let uid { return uid + further }
        return ["CREATED", "SUMMARY"].map { component.first($0)?.value ?? "" }.joined(
            separator: " ")
            + further
    }

    /// The size of its lines, in bytes.
    fileprivate var size: Int { component.content.reduce(0) { $0 + $1.utf8.count } }

    /// The UID of the possible parent task.
    fileprivate var parent: String? {
        guard component.first("RECURRENCE-ID") == nil else { return nil }
        return component.properties.first {
            $0.name == "RELATED-TO"
                && ($0.parameters["RELTYPE"] ?? "PARENT").uppercased() == "PARENT"
        }?.text
    }

    /// Whether a subtask can represent all properties of the task.
    fileprivate func isSubtask(_ task: ExchangedTask) -> Bool {
        guard let text = task.text, component.first("RRULE") == nil else { return false }
        return text.notes.isEmpty && task.tags.isEmpty && task.wait == nil
            && task.priority == .none && component.first("X-TASKVAULT-LIST") == nil
            && (try? TaskTextRule.check(text)) != nil
    }

    /// The task, unvalidated, without subtasks and unsupported attributes.
    fileprivate func task(
        _ id: TaskID, _ times: ICalendarTimes, others: [ICalendarProperty] = [],
        kept: [FloatingTime] = [], leaveOut: (LeftOut) -> Void = { _ in }
    ) throws -> ExchangedTask {
        let notes = component.first("DESCRIPTION")?.text ?? ""
        let name =
            component.first("SUMMARY")?.text ?? notes.split(separator: "\n").first.map(String.init)
        guard let name else {
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
            if let (rule, occurrence) = times.series(component, others: others, kept: kept) {
                task.task.setSeries(rule, occurrence)
                // An exception at the beginning moves all times to the next occurrence.
                let due = occurrence.dueTime(in: times.calendar)
                let old = task.due ?? start ?? due
                start = start?.moved(from: old, to: due, in: times.calendar)
                ownStart = ownStart?.moved(from: old, to: due, in: times.calendar)
                task.due = due
            } else {
                leaveOut(.repetitions)
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
        task.tags = TaskTextRule.tags(of: categories).tags
        task.list = TaskTextRule.list(component.first("X-TASKVAULT-LIST")?.text) ?? list
        let completed = try moment("COMPLETED")
        if isCompleted {
            let changed = try completed ?? moment("LAST-MODIFIED") ?? stamp
            task.completion = TaskCompletion(time: changed ?? times.now)
        }
        let reminders = alarms.map { times.reminder($0, start: start, due: task.due) }
        task.reminder = reminders.first ?? nil
        // The owner moved the due time of this occurrence.
        task.due = try time("X-TASKVAULT-DUE") ?? task.due
        let used = task.reminder == nil ? 0 : 1
        for _ in reminders.dropFirst(used) { leaveOut(.reminders) }
        return task
    }

    private var alarms: [ICalendarComponent] { component.components.filter { $0.name == "VALARM" } }

    private var categories: [String] {
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
}

// Attributes that TaskVault does not support.
extension ICalendarEntry {
    /// Properties that have a replacement when a task is written.
    private static let replaced: Set = [
        "X-TASKVAULT-ID", "X-TASKVAULT-LIST", "X-TASKVAULT-SUBTASK",
    ]
    /// Properties whose meanings depend on each other.
    private static let timeNames: Set = [
        "DTSTART", "DUE", "DURATION", "RRULE", "EXDATE", "RDATE", "X-TASKVAULT-WAIT",
        "X-TASKVAULT-DUE",
    ]

    /// Adds the subtasks and the unsupported attributes.
    fileprivate func complete(
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

    /// The entries of a task and its subtasks: kept lines while their meaning is unchanged,
    /// otherwise those of TaskVault.
    fileprivate static func entries(
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
            let own = own(subtask, of: task, uid: uid, times)
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
        merged.properties.removeAll { names.contains($0.name) }
        merged.properties += before.properties
        let isAlarmKept = before.components.contains { $0.name == "VALARM" }
        merged.components = before.components
        let uid = before.first("RECURRENCE-ID") == nil ? merged.first("UID")?.text : nil
        func read() -> ExchangedTask? {
            try? ICalendarEntry(merged, list: task.list).task(
                task.id, times, others: times.overrides[uid ?? ""] ?? [],
                kept: task.repetition?.overrides ?? [])
        }
        guard var was = read() else { return own }
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
            let others = name == "CATEGORIES" ? ICalendarEntry(before, list: nil).otherTags : []
            merged.properties.removeAll { $0.name == name }
            merged.properties += own.properties.filter { $0.name == name }
            merged.properties += others.map { ("CATEGORIES", ICalendarText.escape($0)) }.properties
        }
        if !isAlarmKept || was.reminder?.inSeconds != task.reminder?.inSeconds {
            if was.reminder != nil,
                let first = merged.components.firstIndex(where: { $0.name == "VALARM" })
            {
                merged.components.remove(at: first)
            }
            merged.components = alarms(of: task, in: merged, times) + merged.components
        }
        return merged
    }

    /// Categories that cannot be tags.
    private var otherTags: [String] { TaskTextRule.tags(of: categories).others }

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
    private static func own(
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
    private static func own(
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
    fileprivate mutating func replaceUID(by uid: String, ifIn written: inout Set<String>) {
        let entry = ICalendarEntry(self, list: nil)
        if let old = first("UID")?.value, !written.insert(entry.identity).inserted {
            replace("UID", old, by: uid)
            written.insert(ICalendarEntry(self, list: nil).identity)
        }
    }

    /// Replaces the properties with a value.
    fileprivate mutating func replace(_ name: String, _ value: String, by new: String) {
        properties = properties.map {
            $0.name == name && $0.value == value
                ? ICalendarProperty(name + ":" + new, line: 0) ?? $0 : $0
        }
    }
}

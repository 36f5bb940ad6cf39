internal import TextCoding

/// Taskwarrior's JSON: an array of tasks, or a sequence of tasks.
enum TaskwarriorTasks {
    static func read(
        _ bytes: RawSpan, now: PointInTime, in calendar: some LocalCalendar
    ) throws -> TaskImport {
        // Taskwarrior does not escape control characters.
        var reader = TaskJSONReader(bytes, allowingControls: true)
        var records: [TaskwarriorRecord] = []
        guard !reader.isAtEnd(in: bytes) else { return TaskImport(.taskwarrior) }
        if try reader.nextKind(in: bytes) == .array {
            while try reader.nextElement(in: bytes, isFirst: records.isEmpty) {
                records.append(try TaskwarriorRecord(&reader, in: bytes))
            }
            try reader.expectEnd(in: bytes)
        }
        while !reader.isAtEnd(in: bytes) {
            records.append(try TaskwarriorRecord(&reader, in: bytes))
        }
        return try tasks(records, now: now, in: calendar)
    }

    /// The tasks of records.
    ///
    /// A pattern and its instances are one repeating task: the last instance repeats, under the id of the pattern, so that a later file
    /// with the next instance does not repeat it twice. Earlier open instances are tasks without a repetition.
    /// Without instances, or after the last one is done or deleted, the pattern is the task.
    /// If no rule is equivalent, only Taskwarrior creates instances; each keeps the pattern.
    private static func tasks(
        _ records: [TaskwarriorRecord], now: PointInTime, in calendar: some LocalCalendar
    ) throws -> TaskImport {
        var result = TaskImport(.taskwarrior)
        let patterns = Dictionary(
            records.filter(\.isPattern).map { ($0.identity, $0) }, uniquingKeysWith: { $1 })
        var last: [String: Int] = [:]
        for (index, record) in records.enumerated() {
            guard let parent = record.parent, patterns[parent] != nil,
                last[parent].map({ records[$0].precedes(record) }) ?? true
            else { continue }
            last[parent] = index
        }
        var instances: [String: [(index: Int, time: FloatingTime)]] = [:]
        for (index, record) in records.enumerated() {
            guard let parent = record.parent, patterns[parent] != nil,
                let due = try? record.dayOrTime("due", calendar)
            else { continue }
            instances[parent, default: []].append((index, due.floating(in: calendar)))
        }
        let repeating = last.filter { parent, index in
            records[index].isOpen && patterns[parent]?.hasRule == true
        }
        var texts = identities(of: records).map(Optional.some)
        for (index, record) in records.enumerated() {
            if record.isPattern, repeating[record.identity] != nil { texts[index] = nil }
        }
        for (parent, index) in repeating { texts[index] = parent }
        var ids = TaskwarriorID.ids(of: texts.compactMap(\.self)).makeIterator()
        var known = TaskwarriorIdentities()
        let found = zip(records, texts).map { record, text in
            (record, text, id: text == nil ? nil : ids.next() ?? nil)
        }
        for (record, _, id) in found {
            if let id, record.values["uuid"] != nil { known.add(record.identity, id) }
        }
        for (index, (record, text, id)) in found.enumerated() where text != nil {
            let parent = record.parent
            if record.isDeleted {
                result.leaveOut(.deletedTasks, of: record.title, line: record.line)
                continue
            }
            if record.isPattern, last[record.identity] != nil, !record.hasRule {
                result.leaveOut(.recurringPatterns, of: record.title, line: record.line)
                continue
            }
            // Only the instance that repeats has a pattern with a rule.
            let pattern = parent.flatMap { patterns[$0] }.flatMap {
                !$0.hasRule || repeating[$0.identity] == index ? $0 : nil
            }
            let task = try result.reading(record.title, line: record.line) {
                guard let id else { throw TaskExchangeError.repeatedTask(line: record.line) }
                var task = try record.task(
                    id, pattern: pattern, known: known, now: now, in: calendar)
                task.setFurther(
                    record.keeping(task, pattern: pattern, known: known, in: calendar))
                try TaskImport.check(task, line: record.line)
                return task
            }
            guard let task else { continue }
            if record.isPattern, task.repetition == nil {
                result.leaveOut(.recurringPatterns, of: record.title, line: record.line)
            }
            if record.losesTags { result.leaveOut(.tags, of: record.title, line: record.line) }
            // The other instances of the series.
            let others = record.isPattern ? record.identity : pattern == nil ? nil : parent
            let elsewhere = instances[others ?? ""]?.filter { $0.index != index }.map { $0.time }
            result.add(
                task, line: record.line,
                elsewhere: task.repetition == nil ? [] : elsewhere ?? [])
        }
        return result
    }

    /// The texts that determine the ids. Equal records without a UUID are separate tasks.
    private static func identities(of records: [TaskwarriorRecord]) -> [String] {
        var counts: [String: Int] = [:]
        return records.map { record in
            guard record.values["uuid"] == nil else { return record.identity }
            let count = counts[record.identity, default: 0]
            counts[record.identity] = count + 1
            return count == 0 ? record.identity : "\(record.identity) \(count)"
        }
    }

    static func write<Sink: ByteSink & ~Copyable>(
        _ tasks: some Sequence<ExchangedTask>, now: PointInTime, in calendar: some LocalCalendar,
        to sink: consuming Sink
    ) throws -> Sink {
        var json = JSONWriter(sink)
        try json.beginArray()
        var written: Set<String> = []
        let known = TaskwarriorIdentities(of: tasks)
        func write(_ values: [String: String], to json: inout JSONWriter<Sink>) throws {
            json.breakLine()
            try json.json(FurtherAttributes.object(values))
        }
        for task in tasks {
            guard let text = task.text else { continue }
            var values = TaskwarriorRecord.values(of: task, text, known: known, in: calendar)
            if !written.insert(values["uuid"] ?? "").inserted {
                values["uuid"] = FurtherAttributes.json(TaskwarriorID.uuid(of: task.id))
            }
            try write(values, to: &json)
        }
        for pattern in patterns(of: tasks, now: now, in: calendar) where pattern.isCurrent {
            guard written.insert(pattern.values["uuid"] ?? "").inserted else { continue }
            try write(pattern.values, to: &json)
        }
        json.breakLine()
        try json.endArray()
        return try json.finish()
    }

    /// The kept patterns of instances, each once, and whether Taskwarrior cannot have a newer one.
    ///
    /// Taskwarrior creates the next instance when the last one is due.
    /// It creates again all instances that an old pattern does not count in its `mask`.
    static func patterns(
        of tasks: some Sequence<ExchangedTask>, now: PointInTime, in calendar: some LocalCalendar
    ) -> [(values: [String: String], isCurrent: Bool)] {
        var found: [String: (values: [String: String], isCurrent: Bool)] = [:]
        for task in tasks {
            let further = FurtherAttributes.members(of: task.text?.further)
            guard
                let pattern = FurtherAttributes.members(
                    of: further?[FurtherAttributes.taskwarriorPattern]),
                let uuid = pattern["uuid"], found[uuid]?.isCurrent != true
            else { continue }
            let kept = FurtherAttributes.members(of: further?[FurtherAttributes.taskwarrior])
            let mask = FurtherAttributes.text(of: pattern["mask"]) ?? ""
            let isLast = kept?["imask"].flatMap { Int($0) } == mask.utf8.count - 1
            let isOpen =
                task.revision == 1 && task.due.map { $0.start(in: calendar) > now } ?? false
            found[uuid] = (pattern, isLast && isOpen)
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// One task of Taskwarrior's JSON.
struct TaskwarriorRecord {
    /// TaskVault's own attributes. Taskwarrior keeps unknown attributes.
    private static let repeatKey = "taskvaultrepeat"
    private static let reminderKey = "taskvaultreminder"
    private static let occurrenceKey = "taskvaultoccurrence"
    /// The attributes among `due` and `wait` that are points in time although they are at the start of a day.
    private static let timesKey = "taskvaulttimes"
    /// The value of a missing attribute.
    private static let missing = "null"
    /// The attributes whose meaning a task has, and those that only Taskwarrior's files need. A repetition is counted itself.
    static let known: Set = [
        "uuid", "description", "status", "entry", "end", "due", "wait", "project", "priority",
        "tags", "depends", "annotations", "modified", "recur", "rtype", "mask", "imask", "parent",
        repeatKey, reminderKey, occurrenceKey, timesKey,
    ]

    let line: Int
    /// The attributes except `id` and `urgency`, which Taskwarrior computes; each as canonical JSON.
    private(set) var values: [String: String]

    init(_ reader: inout TaskJSONReader, in bytes: RawSpan) throws {
        guard try reader.nextKind(in: bytes) == .object else { throw reader.unexpected(in: bytes) }
        line = reader.currentLine(in: bytes)
        values = [:]
        var members: Set<String> = []
        while let key = try reader.nextKey(in: bytes, isFirst: members.isEmpty) {
            guard members.insert(key).inserted else { throw reader.invalid(key, in: bytes) }
            let value = try reader.canonicalText(in: bytes)
            if key != "id", key != "urgency", value != "null" { values[key] = value }
        }
    }

    private init(_ values: [String: String]) {
        line = 0
        self.values = values
    }

    /// The text from which the id of the imported task is derived: the UUID, or else entry time and description.
    var identity: String {
        if let uuid = optionalText("uuid") { return uuid.lowercased() }
        return (optionalText("entry") ?? "") + " " + (optionalText("description") ?? "")
    }

    /// The identity of the pattern of a recurring task.
    var parent: String? { optionalText("parent")?.lowercased() }

    var isDeleted: Bool { optionalText("status") == "deleted" }
    var isPattern: Bool { optionalText("status") == "recurring" }
    var isOpen: Bool { !isDeleted && optionalText("status") != "completed" }

    /// The description for reports; nil if there is none.
    var title: String? { optionalText("description") }

    /// Whether a pattern has an equivalent rule and a first occurrence.
    var hasRule: Bool {
        guard values["due"] != nil, let recur = optionalText("recur") else { return false }
        return TaskwarriorTime.rule(recur, until: nil) != nil
    }

    /// Whether an instance of a pattern comes before another one.
    func precedes(_ other: TaskwarriorRecord) -> Bool {
        if let number, let next = other.number { return number < next }
        return (optionalText("due") ?? "") < (other.optionalText("due") ?? "")
    }

    /// The number of an instance; some versions wrote it as a text.
    private var number: Int? {
        (optionalText("imask") ?? values["imask"]).flatMap { Int($0) }
    }

    /// Whether some tags are only kept.
    var losesTags: Bool { TaskTextRule.tags(of: tags).isIncomplete }

    /// The task, unvalidated and without unsupported attributes.
    ///
    /// - Parameters:
    ///   - id: The id of the task.
    ///   - pattern: The pattern of an instance that repeats.
    ///   - known: The tasks of the file.
    ///   - now: The current time, for a task without a time of creation.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The task.
    /// - Throws: ``TaskExchangeError``.
    func task(
        _ id: TaskID, pattern: TaskwarriorRecord?, known: TaskwarriorIdentities, now: PointInTime,
        in calendar: some LocalCalendar
    ) throws -> ExchangedTask {
        guard let name = try text("description") else {
            throw TaskExchangeError.missingMember("description", line: line)
        }
        let text = TaskwarriorNotes.text(name, annotations: try annotations(), identity: identity)
        let created = try time("entry")
        var task = ExchangedTask(id: id, text: text, created: created ?? now)
        task.isUndated = created == nil
        switch try self.text("status") {
        case nil, "pending", "waiting", "recurring": break
        case "completed":
            task.completion = TaskCompletion(time: try time("end") ?? task.created)
        default: throw TaskExchangeError.invalidMember("status", line: line)
        }
        (task.due, task.wait) = (try dayOrTime("due", calendar), try dayOrTime("wait", calendar))
        task.reminder = optionalText(Self.reminderKey).flatMap { text in
            CalendarDate(basic: text).map { .day($0) }
                ?? PointInTime(basic: text).map { .moment($0) }
        }
        task.priority = Self.priorities[optionalText("priority") ?? ""] ?? .none
        task.list = TaskTextRule.list(optionalText("project"))
        task.tags = TaskTextRule.tags(of: tags).tags
        task.dependencies = dependencies(known)
        // A repetition starts at the due time.
        if let due = task.due {
            let present =
                optionalText(Self.occurrenceKey).flatMap { Occurrence($0) }
                ?? Occurrence(dueAt: due, in: calendar)
            let first = try pattern?.dayOrTime("due", calendar)?.date(in: calendar)
            if let rule = repetition(of: pattern, from: first ?? present.scheduled.date) {
                task.task.setSeries(rule, present)
                if isPattern { skipInstances(of: &task, in: calendar) }
            }
        }
        return task
    }

    /// Moves a pattern to the occurrence after its instances that are done or deleted, as its `mask` has them.
    private func skipInstances(of task: inout ExchangedTask, in calendar: some LocalCalendar) {
        let mask = optionalText("mask") ?? ""
        guard let done = mask.utf8.lastIndex(where: { !"-W".utf8.contains($0) }),
            mask.utf8.count <= Self.maximumInstances
        else { return }
        for _ in 0...mask.utf8.distance(from: mask.startIndex, to: done) {
            guard let next = task.task.nextOccurrence(in: calendar), let due = task.due else {
                return
            }
            task.wait = task.wait?.moved(from: due, to: next.due, in: calendar)
            task.due = next.due
            task.task.setSeries(next.rule, next.occurrence)
        }
    }

    /// The limit of instances that are counted. Taskwarrior's own daily task has as many in 11 years.
    private static let maximumInstances = 4_096

    /// Taskwarrior has no days: a date is the start of the day.
    fileprivate func dayOrTime(_ member: String, _ calendar: some LocalCalendar) throws -> TaskTime?
    {
        guard let time = try time(member) else { return nil }
        let times = optionalText(Self.timesKey)?.split(separator: " ") ?? []
        return times.contains(member[...])
            ? .moment(time) : TaskwarriorTime.dayOrTime(time, in: calendar)
    }

    private static let priorities: [String: TaskPriority] = [
        "H": .high, "M": .medium, "L": .low,
    ]

    private var tags: [String] {
        if let tags = FurtherAttributes.texts(of: values["tags"]) { return tags }
        return optionalText("tags")?.split(separator: ",").map { String($0) } ?? []
    }

    /// The UUIDs of the tasks that come before this one. Taskwarrior 2.5 wrote them as one text.
    private var depends: [String] {
        if let uuids = FurtherAttributes.texts(of: values["depends"]) { return uuids }
        return optionalText("depends")?.split(separator: ",").map { String($0) } ?? []
    }

    private func dependencies(_ known: TaskwarriorIdentities) -> [TaskID] {
        var ids: [TaskID] = []
        for uuid in depends {
            guard ids.count < TaskTextRule.maximumDependencies else { break }
            if let id = known.id(of: uuid.lowercased()), !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    private func repetition(
        of pattern: TaskwarriorRecord?, from date: CalendarDate
    ) -> RepeatRule? {
        // Taskwarrior's own repetition takes precedence.
        if values["recur"] == nil, values["parent"] == nil, let own = optionalText(Self.repeatKey) {
            return try? RepeatRule(rule: own)
        }
        guard let pattern = isPattern ? self : parent == nil ? nil : pattern else { return nil }
        return pattern.optionalText("recur").flatMap {
            let until = pattern.optionalText("until").flatMap { PointInTime(basic: $0) }
            let rule = TaskwarriorTime.rule($0, until: until)
            return rule?.starting(on: date)
        }
    }

    private func annotations() throws -> [TaskwarriorAnnotation] {
        guard let json = values["annotations"] else { return [] }
        let annotations = FurtherAttributes.elements(of: json)?.map { element in
            let members = FurtherAttributes.members(of: element)
            return TaskwarriorAnnotation(
                entry: FurtherAttributes.text(of: members?["entry"]),
                description: FurtherAttributes.text(of: members?["description"]))
        }
        guard let annotations, annotations.allSatisfy({ $0.text != nil }) else {
            throw TaskExchangeError.invalidMember("annotations", line: line)
        }
        return annotations
    }

    /// An attribute that must be text; nil if it is missing.
    private func text(_ member: String) throws -> String? {
        guard let value = values[member] else { return nil }
        guard let text = FurtherAttributes.text(of: value) else {
            throw TaskExchangeError.invalidMember(member, line: line)
        }
        return text
    }

    /// An attribute if it is text.
    private func optionalText(_ member: String) -> String? {
        FurtherAttributes.text(of: values[member])
    }

    private func time(_ member: String) throws -> PointInTime? {
        guard let text = try text(member) else { return nil }
        guard let time = PointInTime(basic: text) else {
            throw TaskExchangeError.invalidMember(member, line: line)
        }
        return time
    }
}

// Attributes that TaskVault does not support.
extension TaskwarriorRecord {
    /// ``TaskText/further``: the attributes that `task` lacks, and the pattern.
    func keeping(
        _ task: ExchangedTask, pattern: TaskwarriorRecord?, known: TaskwarriorIdentities,
        in calendar: some LocalCalendar
    ) -> String {
        let own = task.text.map { Self.ownValues(of: task, $0, known: known, in: calendar) } ?? [:]
        var members: [String: String] = [:]
        // A pattern repeats by `recur`. So an equal rule in `taskvaultrepeat` is kept as well, and the due time from which it counts. An
        // export may lack the tasks that come before.
        var kept = values.filter {
            own[$0.key] != $0.value || $0.key == "depends"
                || (isPattern || pattern != nil) && [Self.repeatKey, "due"].contains($0.key)
        }
        if task.isDone, values["end"] == nil { kept["end"] = Self.missing }
        if !kept.isEmpty {
            members[FurtherAttributes.taskwarrior] = FurtherAttributes.object(kept)
        }
        if let pattern {
            members[FurtherAttributes.taskwarriorPattern] = FurtherAttributes.object(pattern.values)
        }
        return FurtherAttributes.object(members)
    }

    /// The attributes of a task in Taskwarrior: kept ones while their meaning is unchanged,
    /// otherwise those of TaskVault.
    static func values(
        of task: ExchangedTask, _ text: TaskText, known: TaskwarriorIdentities,
        in calendar: some LocalCalendar
    ) -> [String: String] {
        let own = ownValues(of: task, text, known: known, in: calendar)
        let further = FurtherAttributes.members(of: text.further)
        guard let kept = FurtherAttributes.members(of: further?[FurtherAttributes.taskwarrior])
        else { return own }
        var record = TaskwarriorRecord(own.merging(kept) { $1 }.filter { $1 != missing })
        // The rule of a pattern and of its instance is `recur`.
        let pattern = FurtherAttributes.members(
            of: further?[FurtherAttributes.taskwarriorPattern]
        ).map { TaskwarriorRecord($0) }
        let repeatsThere = record.isPattern || record.parent != nil && pattern != nil
        if repeatsThere {
            for key in [repeatKey, occurrenceKey] { record.values[key] = kept[key] }
        }
        guard
            let was = try? record.task(
                task.id, pattern: pattern, known: known, now: task.created, in: calendar)
        else { return own }
        var values = record.values
        // An instance whose next occurrence began here is no instance of the pattern any more.
        let isAhead =
            record.parent != nil && was.repetition != nil
            && (was.repetition != task.repetition
                || was.occurrence?.dueTime(in: calendar).inSeconds
                    != task.occurrence?.dueTime(in: calendar).inSeconds)
        if isAhead {
            for key in ["recur", "rtype", "parent", "imask"] { values[key] = nil }
            values[repeatKey] = own[repeatKey]
        }
        for key in kept.keys where !isCurrent(key, was, task) {
            values[key] = own[key]
            switch key {
            case "tags":
                let before = TaskTextRule.tags(of: record.tags)
                let sources = Dictionary(uniqueKeysWithValues: zip(before.tags, before.sources))
                values[key] = FurtherAttributes.json(
                    task.tags.map { sources[$0] ?? $0 } + before.others)
            case "depends" where !task.dependencies.isEmpty:
                var all = known
                for uuid in record.depends.map({ $0.lowercased() }) {
                    if let id = known.id(of: uuid) { all.add(uuid, id) }
                }
                values[key] = FurtherAttributes.json(task.dependencies.map { all.uuid(of: $0) })
            case "annotations":
                let before = (try? record.annotations()) ?? []
                values[key] = TaskwarriorNotes.json(text, created: task.created, before: before)
            // `mask` has a character for each instance from `due` on, so a new `due` makes it invalid.
            case "due": values["mask"] = nil
            case "status" where record.isPattern:
                for attribute in ["recur", "rtype", "mask"] { values[attribute] = nil }
                values[repeatKey] = own[repeatKey]
            default: break
            }
        }
        if task.wait == nil, values["status"] == #""waiting""# { values["status"] = own["status"] }
        // A pattern repeats from its due time, until the owner moves that.
        let isPatternKept =
            !isAhead
            && ["due", "status", occurrenceKey].allSatisfy { isCurrent($0, was, task) }
        if repeatsThere, !isPatternKept { values[occurrenceKey] = own[occurrenceKey] }
        return values
    }

    /// Whether the owner has not changed an attribute since the import.
    private static func isCurrent(
        _ key: String, _ was: ExchangedTask, _ task: ExchangedTask
    ) -> Bool {
        switch key {
        case "description": was.text?.name == task.text?.name
        case "entry": was.created.seconds == task.created.seconds
        case "due": was.due?.inSeconds == task.due?.inSeconds
        case "wait": was.wait?.inSeconds == task.wait?.inSeconds
        case timesKey:
            was.due?.inSeconds == task.due?.inSeconds && was.wait?.inSeconds == task.wait?.inSeconds
        case occurrenceKey:
            was.occurrence == task.occurrence && was.repetition == task.repetition
        case "end": was.completion?.time.seconds == task.completion?.time.seconds
        case "status": was.isDone == task.isDone && was.repetition == task.repetition
        case reminderKey: was.reminder?.inSeconds == task.reminder?.inSeconds
        case repeatKey, "recur", "parent", "imask", "rtype": was.repetition == task.repetition
        case "priority": was.priority == task.priority
        case "project": was.list == task.list
        case "tags": was.tags == task.tags
        case "depends": was.dependencies == task.dependencies
        case "annotations":
            was.text?.notes == task.text?.notes
                && was.text?.subtasks.map(\.name) == task.text?.subtasks.map(\.name)
                && was.text?.subtasks.map(\.isDone) == task.text?.subtasks.map(\.isDone)
        case "modified": task.revision == 1
        default: true
        }
    }

    /// The attributes that TaskVault supports.
    private static func ownValues(
        of task: ExchangedTask, _ text: TaskText, known: TaskwarriorIdentities,
        in calendar: some LocalCalendar
    ) -> [String: String] {
        // A time that Taskwarrior cannot represent is before the first one.
        let entry =
            TaskwarriorTime.text(task.created) ?? TaskwarriorTime.text(TaskwarriorTime.first) ?? ""
        var texts = [
            "uuid": TaskwarriorID.uuid(of: task.id), "description": text.name,
            "status": task.completion == nil ? "pending" : "completed", "entry": entry,
        ]
        texts["due"] = task.due.flatMap { TaskwarriorTime.text($0, in: calendar) }
        texts["wait"] = task.wait.flatMap { TaskwarriorTime.text($0, in: calendar) }
        let times = [("due", task.due), ("wait", task.wait)].filter { _, time in
            guard let time = time?.moment else { return false }
            return TaskwarriorTime.dayOrTime(PointInTime(seconds: time.seconds), in: calendar).day
                != nil
        }
        if !times.isEmpty { texts[timesKey] = times.map(\.0).joined(separator: " ") }
        texts["end"] = task.completion.map { TaskwarriorTime.text($0.time) ?? entry }
        texts["project"] = task.list
        texts["priority"] = priorities.first { $0.value == task.priority }?.key
        texts[reminderKey] = task.reminder.flatMap { reminder in
            reminder.day?.basic ?? reminder.moment.flatMap(TaskwarriorTime.text)
        }
        texts[repeatKey] = task.repetition?.text
        if task.repetition != nil, let occurrence = task.occurrence,
            occurrence.zone != nil || task.task.isMoved(in: calendar)
        {
            texts[occurrenceKey] = occurrence.text
        }
        var values = texts.mapValues { FurtherAttributes.json($0) }
        if !task.tags.isEmpty { values["tags"] = FurtherAttributes.json(task.tags) }
        if !task.dependencies.isEmpty {
            let uuids = task.dependencies.map { known.uuid(of: $0) }
            values["depends"] = FurtherAttributes.json(uuids)
        }
        values["annotations"] = TaskwarriorNotes.json(text, created: task.created)
        return values
    }
}

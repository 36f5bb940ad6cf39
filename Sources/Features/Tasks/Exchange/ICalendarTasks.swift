internal import TextCoding

/// iCalendar (RFC 5545): one VTODO per task, and one per subtask with `RELATED-TO`.
enum ICalendarTasks {
    static func read(
        _ bytes: RawSpan, now: PointInTime, in calendar: some LocalCalendar
    ) throws -> TaskImport {
        var result = TaskImport(.iCalendar)
        var entries: [ICalendarEntry] = []
        var uncertain: [(title: String?, line: Int)] = []
        for object in try ICalendarReader.read(bytes) {
            guard object.name == "VCALENDAR" else {
                throw TaskExchangeError.invalidCalendar(line: object.line)
            }
            let list = TaskTextRule.list(object.first("X-WR-CALNAME")?.text)
            var zones = ICalendarFileZones(object.components, owner: calendar, now: now)
            for component in object.components {
                let title = component.title
                switch component.name {
                case "VTODO":
                    let entry = try result.reading(title, line: component.line) {
                        if let error = component.error { throw error }
                        let (resolved, isUncertain) = zones.resolve(component)
                        if isUncertain { uncertain.append((title, component.line)) }
                        return ICalendarEntry(resolved, list: list)
                    }
                    if let entry { entries.append(entry) }
                case "VTIMEZONE": break
                default: result.leaveOut(.events, of: title, line: component.line)
                }
            }
        }
        for entry in uncertain { result.leaveOut(.zones, of: entry.title, line: entry.line) }
        try add(entries, to: &result, ICalendarTimes(calendar, now: now))
        for entry in entries.filter(\.isCancelled) {
            result.leaveOut(.deletedTasks, of: entry.title, line: entry.line)
        }
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
        let current = all.filter { !$0.isCancelled }
        let ids = TaskwarriorID.ids(of: identities(of: current))
        var (entries, tasks): ([ICalendarEntry], [ExchangedTask]) = ([], [])
        var elsewhere: [[FloatingTime]] = []
        for (entry, id) in zip(current, ids) {
            let single = entry.recurrenceID == nil ? others[entry.uid ?? ""] ?? [] : []
            var left: [LeftOut] = []
            var (occurrences, isOver): ([FloatingTime], Bool) = ([], false)
            let task = try result.reading(entry.title, line: entry.line) {
                guard let id else { throw TaskExchangeError.repeatedTask(line: entry.line) }
                let task = try entry.task(
                    id, times, others: single, leaveOut: { left.append($0) },
                    elsewhere: { (occurrences, isOver) = ($0, $1) })
                try TaskImport.check(task, line: entry.line)
                return task
            }
            guard let task else { continue }
            if isOver {
                result.end(task, line: entry.line, elsewhere: occurrences, now: times.now)
                result.leaveOut(.endedSeries, of: entry.title, line: entry.line)
                continue
            }
            for kind in left { result.leaveOut(kind, of: entry.title, line: entry.line) }
            entries.append(entry)
            tasks.append(task)
            elsewhere.append(occurrences)
        }
        let places = Dictionary(
            entries.indices.map { (entries[$0].uid ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
        let parents = entries.indices.map { index in
            entries[index].parents.lazy.compactMap { places[$0] }.first { $0 != index }
        }
        let withChildren = Set(parents.compactMap(\.self))
        var children: [Int: [Int]] = [:]
        var sizes: [Int: Int] = [:]
        for (index, parent) in parents.enumerated() {
            guard let parent else { continue }
            let entry = entries[index]
            // A child that exceeds the space of the task becomes a task.
            sizes[parent, default: 0] += entry.size
            if !withChildren.contains(index), entry.isSubtask,
                children[parent, default: []].count < TaskTextRule.maximumSubtasks,
                sizes[parent, default: 0] <= TaskTextRule.maximumFurtherSize / 2
            {
                children[parent, default: []].append(index)
                if ICalendarEntry.exceedsSubtask(tasks[index]) {
                    result.leaveOut(.subtaskFields, of: entry.title, line: entry.line)
                }
            } else {
                result.leaveOut(.childTasks, of: entry.title, line: entry.line)
            }
        }
        let subtasks = Set(children.values.joined())
        for (index, entry) in entries.enumerated() where !subtasks.contains(index) {
            var task = tasks[index]
            let family = (children[index] ?? []).map { (entries[$0], tasks[$0]) }
            entry.complete(&task, with: family, times)
            let isReadable = try result.reading(entry.title, line: entry.line) {
                try TaskImport.check(task, line: entry.line)
                return true
            }
            if isReadable == true {
                result.add(task, line: entry.line, elsewhere: elsewhere[index])
            }
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

internal import TextCoding

/// Taskwarrior's JSON: an array of tasks, or one task after the other.
enum TaskwarriorTasks {
    static func read(
        _ bytes: RawSpan, now: PointInTime
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
        return try tasks(records, now: now)
    }

    private static func tasks(
        _ records: [TaskwarriorRecord], now: PointInTime
    ) throws -> TaskImport {
        var result = TaskImport(.taskwarrior)
        let ids = TaskwarriorID.ids(of: identities(of: records))
        for (record, id) in zip(records, ids) {
            guard let id else { throw TaskExchangeError.repeatedTask(line: record.line) }
            switch record.texts["status"] {
            case "deleted": result.leaveOut(.deletedTasks)
            case "recurring": result.leaveOut(.recurringPatterns)
            case nil, "pending", "waiting", "completed":
                result.tasks.append(try record.task(id, now: now))
            default: throw TaskExchangeError.invalidMember("status", line: record.line)
            }
        }
        return result
    }

    /// The texts from which ids follow. Equal records without a UUID are several tasks.
    private static func identities(of records: [TaskwarriorRecord]) -> [String] {
        var counts: [String: Int] = [:]
        return records.map { record in
            guard record.texts["uuid"] == nil else { return record.identity }
            let count = counts[record.identity, default: 0]
            counts[record.identity] = count + 1
            return count == 0 ? record.identity : "\(record.identity) \(count)"
        }
    }

    static func write<Sink: ByteSink & ~Copyable>(
        _ tasks: some Sequence<ExchangedTask>, to sink: consuming Sink
    ) throws -> Sink {
        var json = JSONWriter(sink)
        try json.beginArray()
        for task in tasks {
            guard let text = task.text else { continue }
            json.breakLine()
            try write(task, text, to: &json)
        }
        json.breakLine()
        try json.endArray()
        return try json.finish()
    }

    private static func write<Sink: ByteSink & ~Copyable>(
        _ task: ExchangedTask, _ text: TaskText, to json: inout JSONWriter<Sink>
    ) throws {
        // A time that Taskwarrior cannot hold is earlier.
        let entry =
            TaskwarriorTime.text(task.created) ?? TaskwarriorTime.text(TaskwarriorTime.first) ?? ""
        try json.beginObject()
        try json.member("uuid", TaskwarriorID.uuid(of: task.id))
        try json.member("description", text.name)
        try json.member("status", task.completion == nil ? "pending" : "completed")
        try json.member("entry", entry)
        if let due = task.due.flatMap(TaskwarriorTime.text) { try json.member("due", due) }
        if let completion = task.completion {
            try json.member("end", TaskwarriorTime.text(completion.time) ?? entry)
        }
        let annotations = TaskwarriorNotes.annotations(of: text)
        if !annotations.isEmpty {
            try json.key("annotations")
            try json.beginArray()
            // Taskwarrior keeps one annotation per second, and moves others.
            for (offset, annotation) in annotations.enumerated() {
                let time = max(task.created, TaskwarriorTime.first).advanced(by: .seconds(offset))
                try json.beginObject()
                try json.member("entry", TaskwarriorTime.text(time) ?? entry)
                try json.member("description", annotation)
                try json.endObject()
            }
            try json.endArray()
        }
        try json.endObject()
    }
}

/// One task of Taskwarrior's JSON.
struct TaskwarriorRecord {
    /// Attributes that Taskwarrior computes, or that have no meaning elsewhere.
    private static let ignored: Set = [
        "id", "urgency", "modified", "mask", "imask", "parent", "rtype", "last", "template",
    ]
    private static let known: Set = ["uuid", "description", "status", "entry", "end", "due"]

    let line: Int
    /// Attributes that are text.
    private(set) var texts: [String: String] = [:]
    private var annotations: [String] = []
    /// Lines for the notes, with attributes that TaskVault does not have.
    private var further: [String] = []

    init(_ reader: inout TaskJSONReader, in bytes: RawSpan) throws {
        guard try reader.nextKind(in: bytes) == .object else { throw reader.unexpected(in: bytes) }
        line = reader.currentLine(in: bytes)
        var members: Set<String> = []
        while let key = try reader.nextKey(in: bytes, isFirst: members.isEmpty) {
            guard members.insert(key).inserted else { throw reader.invalid(key, in: bytes) }
            if Self.known.contains(key) {
                texts[key] = try reader.text(of: key, in: bytes)
            } else if key == "annotations" {
                try readAnnotations(&reader, in: bytes)
            } else if Self.ignored.contains(key) {
                try reader.skipValue(in: bytes)
            } else if let value = try Self.words(&reader, in: bytes) {
                let names = ["project": "Project", "priority": "Priority", "tags": "Tags"]
                further.append((names[key] ?? key) + ": " + value)
            }
        }
    }

    /// The text from which the id follows.
    var identity: String {
        if let uuid = texts["uuid"] { return uuid.lowercased() }
        return (texts["entry"] ?? "") + " " + (texts["description"] ?? "")
    }

    /// The task.
    func task(_ id: TaskID, now: PointInTime) throws -> ExchangedTask {
        guard let name = texts["description"] else {
            throw TaskExchangeError.missingMember("description", line: line)
        }
        let text = TaskwarriorNotes.text(
            name, annotations: annotations, further: further, identity: identity)
        try TaskImport.check(text, line: line)
        var task = ExchangedTask(id: id, text: text, created: try time("entry") ?? now)
        task.due = try time("due")
        if texts["status"] == "completed" {
            task.completion = TaskCompletion(time: try time("end") ?? task.created)
        }
        return task
    }

    private func time(_ member: String) throws -> PointInTime? {
        guard let text = texts[member] else { return nil }
        guard let time = TaskwarriorTime.time(text) else {
            throw TaskExchangeError.invalidMember(member, line: line)
        }
        return time
    }

    private mutating func readAnnotations(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws {
        guard try reader.nextKind(in: bytes) == .array else {
            throw reader.invalid("annotations", in: bytes)
        }
        var isFirst = true
        while try reader.nextElement(in: bytes, isFirst: isFirst) {
            isFirst = false
            guard try reader.nextKind(in: bytes) == .object else {
                throw reader.invalid("annotations", in: bytes)
            }
            var isFirstMember = true
            while let key = try reader.nextKey(in: bytes, isFirst: isFirstMember) {
                isFirstMember = false
                if key == "description" {
                    annotations.append(try reader.text(of: "annotations", in: bytes))
                } else {
                    try reader.skipValue(in: bytes)
                }
            }
        }
    }

    /// A value as text: a string, a number, or a list of strings; nil for any other value.
    private static func words(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws -> String? {
        switch try reader.nextKind(in: bytes) {
        case .string: return try reader.text(in: bytes)
        case .number: return try reader.numberText(in: bytes)
        case .boolean: return try reader.boolean(in: bytes) ? "yes" : "no"
        case .array:
            var parts: [String] = []
            var isFirst = true
            while try reader.nextElement(in: bytes, isFirst: isFirst) {
                isFirst = false
                if try reader.nextKind(in: bytes) == .string {
                    parts.append(try reader.text(in: bytes))
                } else {
                    try reader.skipValue(in: bytes)
                }
            }
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        case .object, .null:
            try reader.skipValue(in: bytes)
            return nil
        }
    }
}

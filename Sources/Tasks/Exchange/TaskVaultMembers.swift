internal import TextCoding

/// The members of one task in TaskVault's own JSON, as they are read.
struct TaskVaultMembers {
    private static let all = [
        "id", "name", "notes", "protected", "done", "due", "reminder", "created", "completed",
        "kept_from", "cleared", "subtasks",
    ]

    private var found: Set<String> = []
    private var texts: [String: String] = [:]
    private var times: [String: PointInTime] = [:]
    private var flags: Set<String> = []
    private var subtasks: [TodoSubtask]?

    mutating func read(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws(TaskExchangeError) {
        while let key = try reader.nextKey(in: bytes, isFirst: found.isEmpty) {
            guard found.insert(key).inserted else { throw reader.invalid(key, in: bytes) }
            switch key {
            case "id": texts[key] = try reader.text(of: key, in: bytes)
            case "name", "notes": texts[key] = try reader.optionalText(of: key, in: bytes)
            case "protected", "done", "reminder":
                if try reader.flag(of: key, in: bytes) { flags.insert(key) }
            case "due", "created", "completed", "kept_from", "cleared":
                times[key] = try Self.time(of: key, &reader, in: bytes)
            case "subtasks": subtasks = try Self.subtasks(&reader, in: bytes)
            default: throw reader.invalid(key, in: bytes)
            }
        }
    }

    /// The task, if its members fit together.
    func task(line: Int) throws(TaskExchangeError) -> ExchangedTask {
        for member in Self.all where !found.contains(member) {
            throw .missingMember(member, line: line)
        }
        guard let id = texts["id"].flatMap(TaskID.init) else {
            throw .invalidMember("id", line: line)
        }
        guard let created = times["created"] else { throw .invalidMember("created", line: line) }
        let isProtected = flags.contains("protected")
        var task = ExchangedTask(id: id, text: TaskText(name: ""), created: created)
        if let name = texts["name"] {
            guard let notes = texts["notes"] else { throw .invalidMember("notes", line: line) }
            guard let subtasks else { throw .invalidMember("subtasks", line: line) }
            task.text = TaskText(name: name, notes: notes, subtasks: subtasks)
        } else {
            // Only what the vault keeps may be missing, and then all of it.
            guard isProtected else { throw .invalidMember("name", line: line) }
            guard texts["notes"] == nil else { throw .invalidMember("notes", line: line) }
            guard subtasks == nil else { throw .invalidMember("subtasks", line: line) }
            task.text = nil
        }
        task.isProtected = isProtected
        task.hasReminder = flags.contains("reminder")
        task.due = times["due"]
        task.completion = try completion(line: line)
        return task
    }

    private func completion(line: Int) throws(TaskExchangeError) -> TaskCompletion? {
        guard (times["completed"] != nil) == flags.contains("done") else {
            throw .invalidMember("done", line: line)
        }
        guard (times["completed"] != nil) == (times["kept_from"] != nil) else {
            throw .invalidMember("kept_from", line: line)
        }
        guard let completed = times["completed"] else {
            guard times["cleared"] == nil else { throw .invalidMember("cleared", line: line) }
            return nil
        }
        return TaskCompletion(
            time: completed, keptFrom: times["kept_from"], cleared: times["cleared"])
    }

    private static func time(
        of member: String, _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws(TaskExchangeError) -> PointInTime? {
        guard let text = try reader.optionalText(of: member, in: bytes) else { return nil }
        guard let time = Timestamp.milliseconds(text) else {
            throw reader.invalid(member, in: bytes)
        }
        return PointInTime(milliseconds: time)
    }

    private static func subtasks(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws(TaskExchangeError) -> [TodoSubtask]? {
        if try reader.skipNull(in: bytes) { return nil }
        guard try reader.nextKind(in: bytes) == .array else {
            throw reader.invalid("subtasks", in: bytes)
        }
        var subtasks: [TodoSubtask] = []
        while try reader.nextElement(in: bytes, isFirst: subtasks.isEmpty) {
            guard try reader.nextKind(in: bytes) == .object else {
                throw reader.invalid("subtasks", in: bytes)
            }
            subtasks.append(try subtask(&reader, in: bytes))
        }
        return subtasks
    }

    private static func subtask(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws(TaskExchangeError) -> TodoSubtask {
        var texts: [String: String] = [:]
        var isDone: Bool?
        var isFirst = true
        while let key = try reader.nextKey(in: bytes, isFirst: isFirst) {
            isFirst = false
            switch key {
            case "id" where texts[key] == nil, "name" where texts[key] == nil:
                texts[key] = try reader.text(of: key, in: bytes)
            case "done" where isDone == nil: isDone = try reader.flag(of: key, in: bytes)
            default: throw reader.invalid("subtasks", in: bytes)
            }
        }
        guard let id = texts["id"].flatMap(TaskID.init), let name = texts["name"], let isDone
        else { throw reader.invalid("subtasks", in: bytes) }
        return TodoSubtask(id: id, name: name, isDone: isDone)
    }
}

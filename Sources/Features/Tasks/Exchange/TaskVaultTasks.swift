package import TextCoding

/// TaskVault's own JSON of tasks. It has all of a task except the revision.
///
///     {"format":"taskvault-tasks","version":2,"tasks":[TASK, …]}
///
/// A task is an object of ``JSONWriter/task(_:)``. Every member must occur once, and no other one, so that nothing is lost silently.
enum TaskVaultTasks {
    static let format = "taskvault-tasks"
    static let version = 2

    static func write<Sink: ByteSink & ~Copyable>(
        _ tasks: some Sequence<ExchangedTask>, to sink: consuming Sink
    ) throws -> Sink {
        var json = JSONWriter(sink)
        try json.beginObject()
        try json.member("format", format)
        try json.member("version", version)
        try json.key("tasks")
        try json.beginArray()
        for task in tasks {
            // One task per line, for reading, comparing and the lines in errors.
            json.breakLine()
            try json.task(task)
        }
        json.breakLine()
        try json.endArray()
        try json.endObject()
        return try json.finish()
    }

    static func read(_ bytes: RawSpan) throws -> TaskImport {
        var reader = TaskJSONReader(bytes)
        var result = TaskImport(.taskVault)
        var members: [String] = []
        while let key = try reader.nextKey(in: bytes, isFirst: members.isEmpty) {
            members.append(key)
            switch (key, members.count) {
            // In this order, because a newer version may have other tasks.
            case ("format", 1):
                guard try reader.text(of: key, in: bytes) == format else {
                    throw TaskExchangeError.unknownFormat
                }
            case ("version", 2):
                let found = try reader.number(in: bytes)
                guard found == version else { throw TaskExchangeError.unsupportedVersion(found) }
            case ("tasks", 3):
                try readTasks(&reader, in: bytes, into: &result)
            default:
                throw members.first == "format"
                    ? reader.unexpected(in: bytes) : TaskExchangeError.unknownFormat
            }
        }
        guard members.count == 3 else { throw reader.unexpected(in: bytes) }
        try reader.expectEnd(in: bytes)
        return result
    }

    private static func readTasks(
        _ reader: inout TaskJSONReader, in bytes: RawSpan, into result: inout TaskImport
    ) throws {
        guard try reader.nextKind(in: bytes) == .array else {
            throw reader.invalid("tasks", in: bytes)
        }
        var ids: Set<TaskID> = []
        var isFirst = true
        while try reader.nextElement(in: bytes, isFirst: isFirst) {
            isFirst = false
            guard try reader.nextKind(in: bytes) == .object else {
                throw reader.unexpected(in: bytes)
            }
            let line = reader.currentLine(in: bytes)
            var members = TaskVaultMembers()
            try members.read(&reader, in: bytes)
            let task = try members.task(line: line)
            guard ids.insert(task.id).inserted else {
                throw TaskExchangeError.repeatedTask(line: line)
            }
            if task.text != nil {
                try TaskImport.check(task, line: line)
                result.tasks.append(task)
            } else {
                result.leaveOut(.missingWords)
            }
        }
    }
}

/// The members of one task in TaskVault's own JSON, as they are read.
struct TaskVaultMembers {
    private static let all = [
        "id", "name", "nickname", "notes", "protected", "done", "due", "wait", "reminder", "snooze",
        "repeat", "priority", "list", "tags", "created", "completed", "kept_from", "cleared",
        "subtasks", "further",
    ]

    private var found: Set<String> = []
    private var texts: [String: String] = [:]
    private var times: [String: PointInTime] = [:]
    private var flags: Set<String> = []
    private var tags: [String] = []
    private var subtasks: [TodoSubtask]?

    mutating func read(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws {
        while let key = try reader.nextKey(in: bytes, isFirst: found.isEmpty) {
            guard found.insert(key).inserted else { throw reader.invalid(key, in: bytes) }
            switch key {
            case "id", "priority": texts[key] = try reader.text(of: key, in: bytes)
            case "name", "notes", "nickname", "list", "repeat", "further":
                texts[key] = try reader.optionalText(of: key, in: bytes)
            case "protected", "done":
                if try reader.flag(of: key, in: bytes) { flags.insert(key) }
            case "due", "wait", "reminder", "snooze", "created", "completed", "kept_from",
                "cleared":
                times[key] = try Self.time(of: key, &reader, in: bytes)
            case "tags": tags = try reader.texts(of: key, in: bytes)
            case "subtasks": subtasks = try Self.subtasks(&reader, in: bytes)
            default: throw reader.invalid(key, in: bytes)
            }
        }
    }

    /// The task, if its members fit together.
    func task(line: Int) throws -> ExchangedTask {
        for member in Self.all where !found.contains(member) {
            throw TaskExchangeError.missingMember(member, line: line)
        }
        guard let id = texts["id"].flatMap({ TaskID($0) }) else {
            throw TaskExchangeError.invalidMember("id", line: line)
        }
        guard let created = times["created"] else {
            throw TaskExchangeError.invalidMember("created", line: line)
        }
        let text = try text(line: line)
        var task = ExchangedTask(id: id, text: text ?? TaskText(name: ""), created: created)
        if flags.contains("protected") {
            task.content = .protected(ProtectedTextID(of: id, number: 0))
            task.protectedText = text
            task.nickname = texts["nickname"]
        } else {
            // Only the text of a protected task may be missing.
            guard text != nil else { throw TaskExchangeError.invalidMember("name", line: line) }
            guard texts["nickname"] == nil else {
                throw TaskExchangeError.invalidMember("nickname", line: line)
            }
        }
        (task.due, task.wait) = (times["due"], times["wait"])
        (task.reminder, task.snooze) = (times["reminder"], times["snooze"])
        do {
            task.repetition = try texts["repeat"].map { try RepeatRule(rule: $0) }
        } catch is RepeatRuleError {
            throw TaskExchangeError.invalidMember("repeat", line: line)
        }
        guard let priority = texts["priority"].flatMap(TaskPriority.init(name:)) else {
            throw TaskExchangeError.invalidMember("priority", line: line)
        }
        task.priority = priority
        (task.list, task.tags) = (texts["list"], tags)
        task.completion = try completion(line: line)
        return task
    }

    /// The text, which is there as a whole or not at all.
    private func text(line: Int) throws -> TaskText? {
        guard let name = texts["name"] else {
            for member in ["notes", "further"] where texts[member] != nil {
                throw TaskExchangeError.invalidMember(member, line: line)
            }
            guard subtasks == nil else {
                throw TaskExchangeError.invalidMember("subtasks", line: line)
            }
            return nil
        }
        guard let notes = texts["notes"] else {
            throw TaskExchangeError.invalidMember("notes", line: line)
        }
        guard let further = texts["further"],
            further.isEmpty || FurtherAttributes.members(of: further) != nil
        else {
            throw TaskExchangeError.invalidMember("further", line: line)
        }
        guard let subtasks else {
            throw TaskExchangeError.invalidMember("subtasks", line: line)
        }
        var text = TaskText(name: name, notes: notes, subtasks: subtasks)
        text.further = further
        return text
    }

    private func completion(line: Int) throws -> TaskCompletion? {
        guard (times["completed"] != nil) == flags.contains("done") else {
            throw TaskExchangeError.invalidMember("done", line: line)
        }
        guard (times["completed"] != nil) == (times["kept_from"] != nil) else {
            throw TaskExchangeError.invalidMember("kept_from", line: line)
        }
        guard let completed = times["completed"] else {
            guard times["cleared"] == nil else {
                throw TaskExchangeError.invalidMember("cleared", line: line)
            }
            return nil
        }
        return TaskCompletion(
            time: completed, keptFrom: times["kept_from"], cleared: times["cleared"])
    }

    private static func time(
        of member: String, _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws -> PointInTime? {
        guard let text = try reader.optionalText(of: member, in: bytes) else { return nil }
        guard let time = Timestamp.milliseconds(text) else {
            throw reader.invalid(member, in: bytes)
        }
        return PointInTime(milliseconds: time)
    }

    private static func subtasks(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws -> [TodoSubtask]? {
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
    ) throws -> TodoSubtask {
        var texts: [String: String] = [:]
        var times: [String: PointInTime?] = [:]
        var isDone: Bool?
        var isFirst = true
        while let key = try reader.nextKey(in: bytes, isFirst: isFirst) {
            isFirst = false
            switch key {
            case "id" where texts[key] == nil, "name" where texts[key] == nil:
                texts[key] = try reader.text(of: key, in: bytes)
            case "done" where isDone == nil: isDone = try reader.flag(of: key, in: bytes)
            case "due" where times[key] == nil, "reminder" where times[key] == nil:
                times[key] = .some(try time(of: key, &reader, in: bytes))
            default: throw reader.invalid("subtasks", in: bytes)
            }
        }
        guard let id = texts["id"].flatMap({ TaskID($0) }), let name = texts["name"], let isDone,
            let due = times["due"], let reminder = times["reminder"]
        else { throw reader.invalid("subtasks", in: bytes) }
        return TodoSubtask(id: id, name: name, isDone: isDone, due: due, reminder: reminder)
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a task as an object of a file.
    ///
    /// Times are RFC 3339 in UTC with milliseconds, or null. `name`, `notes`, `subtasks` and `further` are null if the text was not read.
    package mutating func task(_ task: ExchangedTask) throws {
        try beginObject()
        try member("id", task.id.text)
        try member("name", task.text?.name)
        try member("nickname", task.nickname)
        try member("notes", task.text?.notes)
        try member("protected", task.isProtected)
        try member("done", task.completion != nil)
        try member("due", time: task.due)
        try member("wait", time: task.wait)
        try member("reminder", time: task.reminder)
        try member("snooze", time: task.snooze)
        try member("repeat", task.repetition?.text)
        try member("priority", task.priority.name)
        try member("list", task.list)
        try texts("tags", task.tags)
        try member("created", time: task.created)
        try member("completed", time: task.completion?.time)
        try member("kept_from", time: task.completion?.keptFrom)
        try member("cleared", time: task.completion?.cleared)
        try subtasks(task.text?.subtasks, hasMilliseconds: true)
        try member("further", task.text?.further)
        try endObject()
    }

    /// Writes a member that is an array of texts.
    package mutating func texts(_ key: String, _ texts: [String]) throws {
        try self.key(key)
        try beginArray()
        for text in texts { try string(text) }
        try endArray()
    }

    /// Writes the member `subtasks`, which is null for nil. Commands print it, too, without milliseconds as their other times.
    package mutating func subtasks(
        _ subtasks: [TodoSubtask]?, hasMilliseconds: Bool = false
    ) throws {
        try key("subtasks")
        guard let subtasks else { return try null() }
        try beginArray()
        for subtask in subtasks {
            try beginObject()
            try member("id", subtask.id.text)
            try member("name", subtask.name)
            try member("done", subtask.isDone)
            for (key, time) in [("due", subtask.due), ("reminder", subtask.reminder)] {
                if hasMilliseconds {
                    try member(key, time: time)
                } else {
                    try member(key, milliseconds: time?.milliseconds)
                }
            }
            try endObject()
        }
        try endArray()
    }

    private mutating func member(_ key: String, time: PointInTime?) throws {
        try member(key, time.map { Timestamp.text($0.milliseconds) })
    }
}

internal import Database
package import TextCoding

/// TaskVault's own JSON of tasks. It contains every property of a task except the revision.
///
///     {"format":"taskvault-tasks","version":2,"tasks":[TASK, …]}
///
/// A task is an object of ``JSONWriter/task(_:)``. Every member must occur once, and no other
/// member, so that no content is lost silently.
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
            // One task per line, for reading, comparing and line numbers in errors.
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
            // The version precedes the tasks, because a newer version may have other members.
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
                result.add(task, line: line)
            } else {
                result.leaveOut(.missingText, of: task.nickname, line: line)
            }
        }
    }
}

/// The members of one task in TaskVault's own JSON during parsing.
struct TaskVaultMembers {
    private static let others = [
        "id", "name", "nickname", "notes", "protected", "done", "subtasks", "further",
    ]
    private static let columns = Dictionary(
        uniqueKeysWithValues: TaskColumn.members.map { ($0.member, $0) })
    /// The members that a file must have. Files of builds before 0.1.0 lack the last ones.
    private static let required =
        others + TaskColumn.members.map(\.member).filter { $0 != "after" }

    private var found: Set<String> = []
    private var texts: [String: String] = [:]
    private var flags: Set<String> = []
    /// The times of a completion; they can be checked only after all are read.
    private var times: [String: PointInTime] = [:]
    private var subtasks: [TodoSubtask]?
    /// The task so far.
    private var draft = TodoTask(
        id: TaskID(number: 0 as UInt64), content: .plain(TaskText(name: "")),
        created: PointInTime(milliseconds: 0))

    mutating func read(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws {
        while let key = try reader.nextKey(in: bytes, isFirst: found.isEmpty) {
            guard found.insert(key).inserted else { throw reader.invalid(key, in: bytes) }
            switch key {
            case "id": texts[key] = try reader.text(of: key, in: bytes)
            case "name", "notes", "nickname", "further":
                texts[key] = try reader.optionalText(of: key, in: bytes)
            case "protected", "done":
                if try reader.flag(of: key, in: bytes) { flags.insert(key) }
            case "completed", "kept_from", "cleared":
                times[key] = try reader.time(of: key, in: bytes)
            case "subtasks": subtasks = try Self.subtasks(&reader, in: bytes)
            default:
                guard let column = Self.columns[key] else { throw reader.invalid(key, in: bytes) }
                do {
                    try draft.set(column, to: try reader.value(of: column, in: bytes))
                } catch is DatabaseError {
                    throw reader.invalid(key, in: bytes)
                }
            }
        }
    }

    /// The task, if its members are consistent.
    func task(line: Int) throws -> ExchangedTask {
        for member in Self.required where !found.contains(member) {
            throw TaskExchangeError.missingMember(member, line: line)
        }
        guard let id = texts["id"].flatMap({ TaskID($0) }) else {
            throw TaskExchangeError.invalidMember("id", line: line)
        }
        var task = ExchangedTask(draft.renamed(id))
        let text = try text(line: line)
        if flags.contains("protected") {
            task.content = .protected(ProtectedTextID(of: id, number: 0))
            task.protectedText = text
            task.nickname = texts["nickname"]
        } else {
            // Only a protected task may lack its text.
            guard let text else { throw TaskExchangeError.invalidMember("name", line: line) }
            guard texts["nickname"] == nil else {
                throw TaskExchangeError.invalidMember("nickname", line: line)
            }
            task.content = .plain(text)
        }
        task.completion = try completion(line: line)
        return task
    }

    /// The text; a file has all of its members or none.
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
        var times: [String: TaskTime?] = [:]
        var isDone: Bool?
        var isFirst = true
        while let key = try reader.nextKey(in: bytes, isFirst: isFirst) {
            isFirst = false
            switch key {
            case "id" where texts[key] == nil, "name" where texts[key] == nil:
                texts[key] = try reader.text(of: key, in: bytes)
            case "done" where isDone == nil: isDone = try reader.flag(of: key, in: bytes)
            case "due" where times[key] == nil, "reminder" where times[key] == nil:
                times[key] = .some(try reader.dayOrTime(of: key, in: bytes))
            default: throw reader.invalid("subtasks", in: bytes)
            }
        }
        guard let id = texts["id"].flatMap({ TaskID($0) }), let name = texts["name"], let isDone,
            let due = times["due"], let reminder = times["reminder"]
        else { throw reader.invalid("subtasks", in: bytes) }
        return TodoSubtask(id: id, name: name, isDone: isDone, due: due, reminder: reminder)
    }
}

extension TaskJSONReader {
    /// Reads a time or null.
    fileprivate mutating func time(of member: String, in bytes: RawSpan) throws -> PointInTime? {
        guard let text = try optionalText(of: member, in: bytes) else { return nil }
        guard let time = Timestamp.milliseconds(text) else { throw invalid(member, in: bytes) }
        return PointInTime(milliseconds: time)
    }

    /// Reads a day, a time or null.
    fileprivate mutating func dayOrTime(of member: String, in bytes: RawSpan) throws -> TaskTime? {
        guard let text = try optionalText(of: member, in: bytes) else { return nil }
        if let date = CalendarDate(text: text) { return .day(date) }
        guard let time = Timestamp.milliseconds(text) else { throw invalid(member, in: bytes) }
        return .moment(PointInTime(milliseconds: time))
    }

    /// Reads the value of a column's member.
    fileprivate mutating func value(of column: TaskColumn, in bytes: RawSpan) throws
        -> DatabaseValue
    {
        switch column.kind {
        case .integer, .bytes: throw invalid(column.member, in: bytes)
        case .time: return .time(try time(of: column.member, in: bytes))
        case .dayOrTime: return .time(try dayOrTime(of: column.member, in: bytes))
        case .text: return .text(try optionalText(of: column.member, in: bytes))
        case .choice(let names):
            guard let name = try optionalText(of: column.member, in: bytes) else {
                return .integer(nil)
            }
            guard let index = names.firstIndex(of: name) else {
                throw invalid(column.member, in: bytes)
            }
            return .integer(Int64(index))
        case .tags:
            let tags = try texts(of: column.member, in: bytes)
            do {
                // The reader of the other column checks its ids.
                if column.name == "tags" { for tag in tags { try TaskTextRule.check(tag: tag) } }
            } catch TaskListError.invalidText(let violation) {
                throw TaskExchangeError.invalidText(violation, line: currentLine(in: bytes))
            }
            return .text(tags.joined(separator: " "))
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a task as an object of a file.
    ///
    /// Times are RFC 3339 in UTC with milliseconds, dates, or null. `name`, `notes`, `subtasks` and `further` are null if the text was not read.
    package mutating func task(_ task: ExchangedTask) throws {
        try beginObject()
        try member("id", task.id.text)
        try member("name", task.text?.name)
        try member("nickname", task.nickname)
        try member("notes", task.text?.notes)
        try member("protected", task.isProtected)
        try member("done", task.completion != nil)
        for column in TaskColumn.members {
            try member(column, of: task.task, hasMilliseconds: true)
        }
        try subtasks(task.text?.subtasks, hasMilliseconds: true)
        try member("further", task.text?.further)
        try endObject()
    }

    /// Writes the members of a task for the output of commands: its columns without the text. Times
    /// have no milliseconds.
    ///
    /// `reminder` is the time of the reminder.
    package mutating func members(of task: TodoTask) throws {
        var task = task
        task.reminder = task.announcement
        for column in TaskColumn.members where column.export == .fileAndOutput {
            try member(column, of: task, hasMilliseconds: false)
        }
    }

    private mutating func member(
        _ column: TaskColumn, of task: TodoTask, hasMilliseconds: Bool
    ) throws {
        switch (column.kind, column.value(task)) {
        case (.time, .integer(let milliseconds)) where hasMilliseconds:
            try member(column.member, milliseconds.map { Timestamp.text($0) })
        case (.time, .integer(let milliseconds)):
            try member(column.member, milliseconds: milliseconds)
        case (.dayOrTime, .integer(let stored)):
            try member(
                column.member, stored.flatMap { TaskTime(stored: $0) },
                hasMilliseconds: hasMilliseconds)
        case (.choice(let names), .integer(let index)):
            try member(column.member, index.map { names[Int($0)] })
        case (.tags, .text(let text)): try texts(column.member, TaskColumn.split(text ?? ""))
        case (_, .text(let text)): try member(column.member, text)
        default: preconditionFailure("a column of this kind is no member")
        }
    }

    /// Writes a member with a date, a time in RFC 3339, or null.
    package mutating func member(
        _ key: String, _ time: TaskTime?, hasMilliseconds: Bool = false
    ) throws {
        switch time {
        case .day(let date): try member(key, TimeText.text(date))
        case .moment(let time) where hasMilliseconds:
            try member(key, Timestamp.text(time.milliseconds))
        default: try member(key, milliseconds: time?.moment?.milliseconds)
        }
    }

    /// Writes a member with an array of texts.
    package mutating func texts(_ key: String, _ texts: [String]) throws {
        try self.key(key)
        try beginArray()
        for text in texts { try string(text) }
        try endArray()
    }

    /// Writes the member `subtasks`, or null for nil. The output of commands omits milliseconds.
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
                try member(key, time, hasMilliseconds: hasMilliseconds)
            }
            try endObject()
        }
        try endArray()
    }
}

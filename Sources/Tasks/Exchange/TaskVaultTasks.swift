internal import TextCoding

/// TaskVault's own JSON of tasks: all of a task but how often it was written.
///
///     {"format":"taskvault-tasks","version":1,"tasks":[TASK, …]}
///
/// A task is what ``JSONWriter/task(_:)`` writes. Every member must be there once, and no other one: nothing is lost silently.
enum TaskVaultTasks {
    static let format = "taskvault-tasks"
    static let version = 1

    static func write<Sink: ByteSink & ~Copyable>(
        _ tasks: some Sequence<ExchangedTask>, to sink: consuming Sink
    ) throws(OutputError) -> Sink {
        var json = JSONWriter(sink)
        try json.beginObject()
        try json.member("format", format)
        try json.member("version", version)
        try json.key("tasks")
        try json.beginArray()
        for task in tasks {
            // A task a line: for people, for comparing, and for the lines that errors name.
            json.breakLine()
            try json.task(task)
        }
        json.breakLine()
        try json.endArray()
        try json.endObject()
        return try json.finish()
    }

    static func read(_ bytes: RawSpan) throws(TaskExchangeError) -> TaskImport {
        var reader = TaskJSONReader(bytes)
        var result = TaskImport(.taskVault)
        var members: [String] = []
        while let key = try reader.nextKey(in: bytes, isFirst: members.isEmpty) {
            members.append(key)
            switch (key, members.count) {
            // In this order: the tasks of a newer version may look different.
            case ("format", 1):
                guard try reader.text(of: key, in: bytes) == format else { throw .unknownFormat }
            case ("version", 2):
                let found = try reader.number(in: bytes)
                guard found == version else { throw .unsupportedVersion(found) }
            case ("tasks", 3):
                try readTasks(&reader, in: bytes, into: &result)
            default:
                throw members.first == "format" ? reader.unexpected(in: bytes) : .unknownFormat
            }
        }
        guard members.count == 3 else { throw reader.unexpected(in: bytes) }
        try reader.expectEnd(in: bytes)
        return result
    }

    private static func readTasks(
        _ reader: inout TaskJSONReader, in bytes: RawSpan, into result: inout TaskImport
    ) throws(TaskExchangeError) {
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
            guard ids.insert(task.id).inserted else { throw .repeatedTask(line: line) }
            if let text = task.text {
                try TaskImport.check(text, line: line)
                result.tasks.append(task)
            } else {
                result.leaveOut(.missingWords)
            }
        }
    }
}

internal import TextCoding

/// One task of Taskwarrior's JSON, as it is read.
struct TaskwarriorRecord {
    /// Attributes that Taskwarrior works out anew, or that mean nothing elsewhere.
    private static let ignored: Set = [
        "id", "urgency", "modified", "mask", "imask", "parent", "rtype", "last", "template",
    ]
    private static let known: Set = ["uuid", "description", "status", "entry", "end", "due"]

    let line: Int
    /// Attributes that are text.
    private(set) var texts: [String: String] = [:]
    private var annotations: [String] = []
    /// Lines about what has no place here.
    private var further: [String] = []

    init(_ reader: inout TaskJSONReader, in bytes: RawSpan) throws(TaskExchangeError) {
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

    /// From what its id follows.
    var identity: String {
        if let uuid = texts["uuid"] { return uuid.lowercased() }
        return (texts["entry"] ?? "") + " " + (texts["description"] ?? "")
    }

    /// The task.
    func task(_ id: TaskID, now: PointInTime) throws(TaskExchangeError) -> ExchangedTask {
        guard let name = texts["description"] else {
            throw .missingMember("description", line: line)
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

    private func time(_ member: String) throws(TaskExchangeError) -> PointInTime? {
        guard let text = texts[member] else { return nil }
        guard let time = TaskwarriorTime.time(text) else {
            throw .invalidMember(member, line: line)
        }
        return time
    }

    private mutating func readAnnotations(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws(TaskExchangeError) {
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

    /// A value in words: a text, a number, or a list of texts; nil for anything else.
    private static func words(
        _ reader: inout TaskJSONReader, in bytes: RawSpan
    ) throws(TaskExchangeError) -> String? {
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

internal import TextCoding

/// Taskwarrior's JSON: an array of tasks, or one task after the other.
enum TaskwarriorTasks {
    static func read(
        _ bytes: RawSpan, now: PointInTime
    ) throws(TaskExchangeError) -> TaskImport {
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
    ) throws(TaskExchangeError) -> TaskImport {
        var result = TaskImport(.taskwarrior)
        let ids = TaskwarriorID.ids(of: identities(of: records))
        for (record, id) in zip(records, ids) {
            guard let id else { throw .repeatedTask(line: record.line) }
            switch record.texts["status"] {
            case "deleted": result.leaveOut(.deletedTasks)
            case "recurring": result.leaveOut(.recurringPatterns)
            case nil, "pending", "waiting", "completed":
                result.tasks.append(try record.task(id, now: now))
            default: throw .invalidMember("status", line: record.line)
            }
        }
        return result
    }

    /// From what ids follow. Records without a UUID that are alike are several tasks: nobody said that they are one.
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
    ) throws(OutputError) -> Sink {
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
    ) throws(OutputError) {
        // What cannot be told is at least as old.
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
            // Taskwarrior keeps one for each second, and moves those that collide.
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

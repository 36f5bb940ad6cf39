package import TextCoding
internal import TodoTasks

extension JSONWriter where Sink: ~Copyable {
    /// Writes a task as an object, in files and wherever a command prints JSON.
    ///
    /// Members: `id`, `name`, `notes`, `protected`, `done`, `due`, `reminder`, `created`, `completed`, `kept_from`, `cleared`, and `subtasks` with
    /// `id`, `name`, `done`. Times are RFC 3339 in UTC with milliseconds, or null. Of a protected task whose words are not told, `name`, `notes`
    /// and `subtasks` are null.
    package mutating func task(_ task: ExchangedTask) throws(OutputError) {
        try beginObject()
        try member("id", task.id.text)
        try member("name", optional: task.text?.name)
        try member("notes", optional: task.text?.notes)
        try member("protected", task.isProtected)
        try member("done", task.completion != nil)
        try member("due", time: task.due)
        try member("reminder", task.hasReminder)
        try member("created", time: task.created)
        try member("completed", time: task.completion?.time)
        try member("kept_from", time: task.completion?.keptFrom)
        try member("cleared", time: task.completion?.cleared)
        try key("subtasks")
        if let subtasks = task.text?.subtasks { try list(subtasks) } else { try null() }
        try endObject()
    }

    private mutating func list(_ subtasks: [TodoSubtask]) throws(OutputError) {
        try beginArray()
        for subtask in subtasks {
            try beginObject()
            try member("id", subtask.id.text)
            try member("name", subtask.name)
            try member("done", subtask.isDone)
            try endObject()
        }
        try endArray()
    }

    private mutating func member(_ key: String, time: PointInTime?) throws(OutputError) {
        try member(key, optional: time.map { Timestamp.text($0.milliseconds) })
    }

    private mutating func member(_ key: String, optional text: String?) throws(OutputError) {
        try self.key(key)
        if let text { try string(text) } else { try null() }
    }
}

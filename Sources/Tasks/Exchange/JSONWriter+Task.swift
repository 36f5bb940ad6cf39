package import TextCoding

extension JSONWriter where Sink: ~Copyable {
    /// Writes a task as an object of a file.
    ///
    /// Members: `id`, `name`, `notes`, `protected`, `done`, `due`, `reminder`, `created`, `completed`, `kept_from`, `cleared`, and `subtasks` with
    /// `id`, `name`, `done`. Times are RFC 3339 in UTC with milliseconds, or null. Of a protected task whose words are not told, `name`, `notes`
    /// and `subtasks` are null.
    package mutating func task(_ task: ExchangedTask) throws(OutputError) {
        try beginObject()
        try member("id", task.id.text)
        try member("name", task.text?.name)
        try member("notes", task.text?.notes)
        try member("protected", task.isProtected)
        try member("done", task.completion != nil)
        try member("due", time: task.due)
        try member("reminder", task.hasReminder)
        try member("created", time: task.created)
        try member("completed", time: task.completion?.time)
        try member("kept_from", time: task.completion?.keptFrom)
        try member("cleared", time: task.completion?.cleared)
        try subtasks(task.text?.subtasks)
        try endObject()
    }

    /// Writes the member `subtasks`, which is null where they are not told, also in what a command prints.
    package mutating func subtasks(_ subtasks: [TodoSubtask]?) throws(OutputError) {
        try key("subtasks")
        guard let subtasks else { return try null() }
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
        try member(key, time.map { Timestamp.text($0.milliseconds) })
    }
}

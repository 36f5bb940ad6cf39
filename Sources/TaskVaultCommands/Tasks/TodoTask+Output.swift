internal import CommandLine
internal import Tasks

extension TodoTask {
    /// What stands in place of hidden words.
    static let lock = "🔒"

    /// The name, or a lock.
    var shownName: String { plainText?.name ?? Self.lock }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a task as an object; what is hidden is null.
    mutating func task(_ shown: ShownTask, now: PointInTime) throws(OutputError) {
        let task = shown.task
        try beginObject()
        try member("id", task.id.text)
        try member("name", shown.text?.name)
        try member("notes", shown.text?.notes)
        try member("protected", task.isProtected)
        try member("done", task.isDone)
        try member("due", milliseconds: task.due?.milliseconds)
        try member("overdue", task.isOverdue(at: now))
        try member("reminder", task.hasReminder)
        try member("created", milliseconds: task.created.milliseconds)
        try member("completed", milliseconds: task.completion?.time.milliseconds)
        try member("cleared", milliseconds: task.completion?.cleared?.milliseconds)
        try member("revision", task.revision)
        try subtasks(shown.text?.subtasks)
        try endObject()
    }
}

extension CommandContext {
    /// Prints what was done to a task: a line, or the task in JSON, protected words left out.
    func report(_ done: String, _ task: TodoTask, _ tasks: OpenTasks) throws(CommandFailure) {
        guard isJSON else { return try printLine(line(done, task, tasks)) }
        try printJSON { (json) throws(OutputError) in
            try json.task(ShownTask(task), now: tasks.now)
        }
    }

    /// Prints what was done to several tasks: a line each, or an array in JSON.
    func report(_ done: String, _ changed: [TodoTask], _ tasks: OpenTasks) throws(CommandFailure) {
        guard isJSON else {
            return try print { (output) throws(OutputError) in
                for task in changed {
                    try output.writeLine(VisibleText.escape(line(done, task, tasks)))
                }
            }
        }
        try printJSON { (json) throws(OutputError) in
            try json.beginArray()
            for task in changed { try json.task(ShownTask(task), now: tasks.now) }
            try json.endArray()
        }
    }

    private func line(_ done: String, _ task: TodoTask, _ tasks: OpenTasks) -> String {
        var line = "\(done) \(task.id.text)  \(task.shownName)"
        if let due = task.due, !task.isDone {
            line += "  (" + relativeTime(due, tasks.now) + ")"
        }
        return line
    }

    /// A due time as a list shows it.
    func relativeTime(_ due: PointInTime, _ now: PointInTime) -> String {
        RelativeTime.text(due, now: now, in: calendar)
    }
}

internal import TodoTasks

/// Notes and subtasks as Taskwarrior's annotations: the notes are one annotation, each subtask is one such as `[ ] buy milk` or `[x] buy milk`.
enum TaskwarriorNotes {
    private static let open = "[ ] "
    private static let done = "[x] "

    static func annotations(of text: TaskText) -> [String] {
        let steps = text.subtasks.map { ($0.isDone ? done : open) + $0.name }
        return (text.notes.isEmpty ? [] : [text.notes]) + steps
    }

    /// The words of a task.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - annotations: Its annotations.
    ///   - further: Lines for the notes about what has no place elsewhere.
    ///   - identity: From which the ids of the subtasks follow.
    /// - Returns: The words, not checked.
    static func text(
        _ name: String, annotations: [String], further: [String], identity: String
    ) -> TaskText {
        var text = TaskText(name: name)
        var lines: [String] = []
        var numbers = StableNumbers(identity + "/subtasks")
        var ids: Set<TaskID> = []
        for annotation in annotations {
            guard let isDone = isDone(annotation) else {
                lines.append(annotation)
                continue
            }
            var id = TaskID(number: numbers.next())
            while !ids.insert(id).inserted { id = TaskID(number: numbers.next()) }
            text.subtasks.append(
                TodoSubtask(id: id, name: String(annotation.dropFirst(4)), isDone: isDone))
        }
        text.notes = (lines + further).joined(separator: "\n")
        return text
    }

    /// Whether the step is done that an annotation is; nil where it is none.
    private static func isDone(_ annotation: String) -> Bool? {
        let hasName = annotation.dropFirst(4).contains { !$0.isWhitespace }
        guard hasName, !annotation.contains("\n") else { return nil }
        if annotation.hasPrefix(open) { return false }
        return annotation.hasPrefix(done) ? true : nil
    }
}

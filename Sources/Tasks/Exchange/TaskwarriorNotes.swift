/// Notes and subtasks as Taskwarrior's annotations: the notes are one annotation, each subtask is one such as `[ ] buy milk` or `[x] buy milk`.
enum TaskwarriorNotes {
    private static let open = "[ ] "
    private static let done = "[x] "

    static func annotations(of text: TaskText) -> [String] {
        let steps = text.subtasks.map { ($0.isDone ? done : open) + $0.name }
        // Notes that look like a step get a line end before them, and look like none.
        let notes = looksLikeStep(text.notes) ? "\n" + text.notes : text.notes
        return (notes.isEmpty ? [] : [notes]) + steps
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
                lines.append(
                    looksLikeStep(annotation) ? String(annotation.dropFirst()) : annotation)
                continue
            }
            text.subtasks.append(
                TodoSubtask(
                    id: numbers.id(&ids), name: String(annotation.dropFirst(4)), isDone: isDone))
        }
        text.notes = (lines + further).joined(separator: "\n")
        return text
    }

    /// Whether this is a step but for line ends before it.
    private static func looksLikeStep(_ notes: String) -> Bool {
        isDone(String(notes.drop { $0 == "\n" })) != nil
    }

    /// Whether the step is done that an annotation is; nil where it is none.
    private static func isDone(_ annotation: String) -> Bool? {
        let hasName = annotation.dropFirst(4).contains { !$0.isWhitespace }
        guard hasName, !annotation.contains("\n") else { return nil }
        if annotation.hasPrefix(open) { return false }
        return annotation.hasPrefix(done) ? true : nil
    }
}

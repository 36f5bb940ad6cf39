/// An annotation of Taskwarrior.
struct TaskwarriorAnnotation {
    /// The time in Taskwarrior's format.
    private(set) var entry = ""
    /// The description; nil if there is none.
    let text: String?

    init(entry: String?, description: String?) {
        self.entry = entry ?? ""
        text = description
    }

    /// The annotation with the next unused time after another one.
    fileprivate func moved(
        after last: PointInTime, _ used: inout Set<String>
    ) -> (TaskwarriorAnnotation, PointInTime) {
        var time = last
        var text: String
        repeat {
            time = time.advanced(by: .seconds(1))
            text = TaskwarriorTime.text(time) ?? ""
        } while !text.isEmpty && !used.insert(text).inserted
        var moved = self
        // Only a task of the last day has no such time.
        moved.entry = text.isEmpty ? TaskwarriorTime.text(TaskwarriorTime.first) ?? "" : text
        return (moved, time)
    }
}

/// Notes and subtasks as Taskwarrior's annotations. The notes are one annotation, and each subtask
/// is one such as `[ ] buy milk` or `[x] buy milk`.
enum TaskwarriorNotes {
    private static let open = "[ ] "
    private static let done = "[x] "

    /// The annotations of a task as JSON.
    ///
    /// - Parameters:
    ///   - text: The text of the task.
    ///   - created: The time of the first annotation.
    ///   - before: Earlier annotations. Unchanged ones keep their time.
    /// - Returns: An array; nil without annotations.
    static func json(
        _ text: TaskText, created: PointInTime, before: [TaskwarriorAnnotation] = []
    ) -> String? {
        let annotations = annotations(of: text, created: created, before: before)
        if annotations.isEmpty { return nil }
        let objects = annotations.map {
            FurtherAttributes.object([
                "entry": FurtherAttributes.json($0.entry),
                "description": FurtherAttributes.json($0.text ?? ""),
            ])
        }
        return "[" + objects.joined(separator: ",") + "]"
    }

    private static func annotations(
        of text: TaskText, created: PointInTime, before: [TaskwarriorAnnotation]
    ) -> [TaskwarriorAnnotation] {
        // Taskwarrior keeps one annotation per second, and moves others. Their times determine the
        // order.
        var used = Set(before.map(\.entry))
        let start = max(created, TaskwarriorTime.first).advanced(by: .seconds(-1))
        var (notes, rest) = unchanged(text.notes, before)
        if !rest.isEmpty {
            let last = notes.last.flatMap { PointInTime(basic: $0.entry) } ?? start
            // A line end distinguishes notes in the form of a subtask from a subtask.
            let new = TaskwarriorAnnotation(
                entry: nil, description: looksLikeStep(rest) ? "\n" + rest : rest)
            notes.append(new.moved(after: last, &used).0)
        }
        var left = before.filter { $0.text.flatMap(isDone) != nil }
        var last = start
        let steps = text.subtasks.map { subtask in
            // Further lines would be read as notes.
            let name = subtask.name.onOneLine
            let new = TaskwarriorAnnotation(
                entry: nil, description: (subtask.isDone ? done : open) + name)
            if let index = left.firstIndex(where: { $0.text?.dropFirst(4) == name[...] }),
                let time = PointInTime(basic: left[index].entry), time > last
            {
                last = time
                return TaskwarriorAnnotation(
                    entry: left.remove(at: index).entry, description: new.text)
            }
            let (moved, time) = new.moved(after: last, &used)
            last = time
            return moved
        }
        return before.isEmpty ? notes + steps : (notes + steps).sorted { $0.entry < $1.entry }
    }

    /// The annotations that still begin the notes, and the rest of the notes.
    private static func unchanged(
        _ notes: String, _ before: [TaskwarriorAnnotation]
    ) -> ([TaskwarriorAnnotation], rest: String) {
        var rest = notes
        var found: [TaskwarriorAnnotation] = []
        for annotation in before {
            guard let text = annotation.text, isDone(text) == nil, !rest.isEmpty else { continue }
            let part = looksLikeStep(text) ? String(text.dropFirst()) : text
            if rest == part {
                rest = ""
            } else if rest.hasPrefix(part + "\n") {
                rest = String(rest.dropFirst(part.count + 1))
            } else {
                continue
            }
            found.append(annotation)
        }
        return (found, rest)
    }

    /// The text of a task.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - annotations: The annotations, with descriptions.
    ///   - identity: The text that determines the ids of the subtasks.
    /// - Returns: The text, unvalidated.
    static func text(
        _ name: String, annotations: [TaskwarriorAnnotation], identity: String
    ) -> TaskText {
        var text = TaskText(name: name)
        var lines: [String] = []
        var numbers = StableNumbers(identity + "/subtasks")
        var ids: Set<TaskID> = []
        for annotation in annotations.compactMap(\.text) {
            guard let isDone = isDone(annotation) else {
                lines.append(
                    looksLikeStep(annotation) ? String(annotation.dropFirst()) : annotation)
                continue
            }
            text.subtasks.append(
                TodoSubtask(
                    id: numbers.id(&ids), name: String(annotation.dropFirst(4)), isDone: isDone))
        }
        text.notes = lines.joined(separator: "\n")
        return text
    }

    /// Whether the text has the form of a subtask, apart from leading line ends.
    private static func looksLikeStep(_ notes: String) -> Bool {
        isDone(String(notes.drop { $0 == "\n" })) != nil
    }

    /// Whether the subtask of an annotation is done; nil if it is not a subtask.
    private static func isDone(_ annotation: String) -> Bool? {
        let hasName = annotation.dropFirst(4).contains { !$0.isWhitespace }
        guard hasName, !annotation.contains("\n") else { return nil }
        if annotation.hasPrefix(open) { return false }
        return annotation.hasPrefix(done) ? true : nil
    }
}

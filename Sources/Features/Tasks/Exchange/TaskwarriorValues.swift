/// Ids of TaskVault and UUIDs of Taskwarrior.
///
/// An id becomes a UUID of version 8 (RFC 9562) that contains its 30 bits. Importing such a UUID
/// restores the id.
/// The id of any other UUID is derived from its text.
enum TaskwarriorID {
    /// `taskva`, the version, and `Vlt` in the remaining letters.
    private static let prefix = "7461736b-7661-8756-8c74-0000"

    /// The UUID of an id.
    static func uuid(of id: TaskID) -> String {
        let digits = String(id.number, radix: 16)
        return prefix + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// The id in a UUID of TaskVault; nil for any other UUID.
    static func id(in uuid: String) -> TaskID? {
        guard uuid.utf8.count == 36, uuid.hasPrefix(prefix) else { return nil }
        let id = UInt32(uuid.dropFirst(prefix.utf8.count), radix: 16).flatMap(TaskID.init(number:))
        // `UInt32` would accept a sign.
        return id.flatMap { self.uuid(of: $0) == uuid ? $0 : nil }
    }

    /// Distinct ids of UUIDs or other texts, in their order.
    ///
    /// - Returns: nil in the place of a repeated text.
    static func ids(of texts: [String]) -> [TaskID?] {
        var seen: Set<String> = []
        let isNew = texts.map { seen.insert($0).inserted }
        // Ids of TaskVault take precedence over derived ids.
        var taken = Set(texts.compactMap(id))
        return zip(texts, isNew).map { text, isNew in
            guard isNew else { return nil }
            if let own = id(in: text) { return own }
            var numbers = StableNumbers(text)
            return numbers.id(&taken)
        }
    }
}

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

/// Times in Taskwarrior's format: `20261201T090000Z`.
enum TaskwarriorTime {
    /// From 1980 to the second to last day of 9999. Taskwarrior 2.6 crashes at earlier times, and
    /// in the last hours of that year.
    private static let seconds: Range<Int64> = 315_532_800..<253_402_214_400

    /// The text of a time; nil outside the range.
    static func text(_ time: PointInTime) -> String? {
        guard seconds.contains(time.seconds) else { return nil }
        return time.basic
    }

    /// The first time of the range.
    static let first = PointInTime(seconds: seconds.lowerBound)

    /// Whether every time of a task is in the range.
    static func canTellTimes(of task: ExchangedTask) -> Bool {
        [task.due, task.wait, task.reminder, task.created, task.completion?.time].allSatisfy {
            $0.map { seconds.contains($0.seconds) } ?? true
        }
    }

    /// The rule of a `recur` duration, such as `weekly`, `3d`, `P1M`; nil if no rule is equivalent.
    static func rule(_ recur: String, until: PointInTime?) -> RepeatRule? {
        if recur == "weekdays" {
            var rule = RepeatRule.weekdays
            rule.end = until.map { .until($0) }
            return rule
        }
        var (number, unit) = Digits.split(recur)
        // ISO 8601.
        if recur.hasPrefix("P") { (number, unit) = Digits.split(String(recur.dropFirst())) }
        guard let count = number.isEmpty ? 1 : Digits.number(number, 1...4), count > 0 else {
            return nil
        }
        let units: [(RepeatRule.Frequency, Int, Set<Substring>)] = [
            (.daily, 1, ["daily", "day", "days", "d", "D"]),
            (.weekly, 1, ["weekly", "week", "weeks", "wk", "wks", "w", "W"]),
            (.weekly, 2, ["biweekly", "fortnight"]),
            (.monthly, 1, ["monthly", "month", "months", "mo", "mos", "mth", "mths", "M"]),
            (.monthly, 2, ["bimonthly"]),
            (.monthly, 3, ["quarterly", "quarter", "quarters", "qtr", "qtrs", "q"]),
            (.monthly, 6, ["semiannual"]),
            (.yearly, 1, ["annual", "yearly", "year", "years", "yr", "yrs", "y", "Y"]),
            (.yearly, 2, ["biannual", "biyearly"]),
        ]
        guard let (frequency, factor, _) = units.first(where: { $0.2.contains(unit) }),
            count * factor <= RepeatRule.maximumInterval
        else { return nil }
        var rule = RepeatRule(frequency, interval: count * factor)
        rule.end = until.map { .until($0) }
        return rule
    }
}

internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding
internal import VaultCore

/// A task on a page of its own, with notes and subtasks.
struct TaskSheet: Page {
    var command: String { "task show " + shown.task.id.text }

    private let shown: ShownTask
    private let files: [StoredFile]
    /// The tasks that precede it, as far as they exist, and those that it precedes.
    private let order: (before: [TodoTask], after: [TodoTask])
    private let now: PointInTime
    private let context: CommandContext

    init(
        _ shown: ShownTask, files: [StoredFile] = [], _ tasks: OpenTasks,
        _ context: CommandContext
    ) {
        self.shown = shown
        self.files = files
        let existing = try? tasks.list.existing(shown.task.dependencies)
        let dependents = (try? tasks.list.dependents(of: shown.task.id)) ?? []
        let following = try? tasks.list.existing(dependents)
        order = (
            shown.task.dependencies.compactMap { existing?[$0] },
            dependents.compactMap { following?[$0] }
        )
        now = tasks.now
        self.context = context
    }

    func lines(_ capabilities: TerminalCapabilities) -> [String] {
        let task = shown.task
        let text = shown.text ?? TaskText(name: task.nickname ?? "")
        let style = Style(capabilities)
        let lock = task.isProtected ? TodoTask.lock + " " : ""
        // No line may be wider than the screen, which has no other way to show the rest.
        func fold(_ text: String, besides used: Int) -> [String] {
            guard let columns = capabilities.columns else { return [text] }
            return TextWidth.fold(text, to: max(1, columns - used))
        }
        let name = fold(VisibleText.escape(text.name), besides: TextWidth.columns(of: lock))
        var lines = name.map { style.apply(.bold, to: $0) } + [""]
        lines[0] = lock + lines[0]
        lines += facts(task).map { style.apply(.faint, to: TextWidth.pad($0.0, to: 11)) + $0.1 }
        if !text.subtasks.isEmpty {
            lines.append("")
            let box = TaskMarks(capabilities)
            let width = String(text.subtasks.count).utf8.count
            for (index, subtask) in text.subtasks.enumerated() {
                let position = TextWidth.pad(String(index + 1), to: width)
                let lead = position + "  " + box.box(subtask.isDone) + " "
                let columns = TextWidth.columns(of: lead)
                let parts = fold(
                    VisibleText.escape(subtask.name) + times(subtask), besides: columns)
                lines.append(style.apply(.faint, to: lead) + parts[0])
                lines += parts.dropFirst().map { String(repeating: " ", count: columns) + $0 }
            }
        }
        if !text.notes.isEmpty {
            lines.append("")
            let notes = VisibleText.escape(text.notes, keepingLines: true)
            for line in notes.split(separator: "\n", omittingEmptySubsequences: false) {
                lines += fold(String(line), besides: 0)
            }
        }
        return lines
    }

    private func facts(_ task: TodoTask) -> [(String, String)] {
        task.facts(now: now, in: context.tasks.calendar) + order.before.map { ("after", line($0)) }
            + order.after.map { ("before", line($0)) }
            + files.map { ("file", VisibleText.escape($0.name) + " (\(byteText($0.size)))") }
    }

    private func line(_ task: TodoTask) -> String {
        task.id.text + "  " + VisibleText.escape(task.shownName) + (task.isDone ? "  (done)" : "")
    }

    private func times(_ subtask: TodoSubtask) -> String {
        var text = ""
        if let due = subtask.due { text += "  (due \(local(due)))" }
        if let reminder = subtask.announcement { text += "  (reminder \(local(reminder)))" }
        return text
    }

    private func local(_ time: TaskTime) -> String {
        TimeText.withWeekday(time, in: context.tasks.calendar)
    }
}

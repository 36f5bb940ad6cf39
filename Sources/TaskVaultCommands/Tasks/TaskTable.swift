internal import CommandLine
internal import Tasks

/// Tasks as a table: id, state, due time, name.
struct TaskTable: Page {
    let command = "task list --reveal"
    private let shown: [ShownTask]
    private let now: PointInTime
    private let context: CommandContext

    /// Makes a table.
    init(_ shown: [ShownTask], _ tasks: OpenTasks, _ context: CommandContext) {
        self.shown = shown
        now = tasks.now
        self.context = context
    }

    func lines(_ capabilities: TerminalCapabilities) -> [String] {
        if shown.isEmpty { return [] }
        var table = TextTable([
            TextTable.Column("ID"), TextTable.Column(""), TextTable.Column("DUE"),
            TextTable.Column("TASK", takesRest: true),
        ])
        for task in shown { table.add(cells(task)) }
        return table.lines(on: capabilities)
    }

    private func cells(_ shown: ShownTask) -> [TextTable.Cell] {
        let task = shown.task
        let isOverdue = task.isOverdue(at: now)
        let due = task.due.map {
            RelativeTime.text(
                $0, now: now, in: context.tasks.calendar, isOpen: !task.isDone)
        }
        let emphasis: Style.Emphasis? = task.isDone ? .faint : nil
        return [
            TextTable.Cell(task.id.text, .faint),
            TextTable.Cell(task.isDone ? "✓" : task.hasReminder ? "!" : "", emphasis),
            TextTable.Cell(due ?? "", isOverdue ? .red : emphasis),
            TextTable.Cell(name(shown), shown.words == .hidden ? .yellow : emphasis),
        ]
    }

    private func name(_ shown: ShownTask) -> String {
        switch shown.words {
        case .hidden: return TodoTask.lock
        case .missing: return TodoTask.lock + " (its text is not in this vault)"
        case .shown(let text):
            let lock = shown.task.isProtected ? TodoTask.lock + " " : ""
            guard !text.subtasks.isEmpty else { return lock + text.name }
            let done = text.subtasks.count { $0.isDone }
            return lock + text.name + " [\(done)/\(text.subtasks.count)]"
        }
    }
}

/// A task on a page of its own, with notes and subtasks.
struct TaskSheet: Page {
    var command: String { "task show " + shown.task.id.text }

    private let shown: ShownTask
    private let now: PointInTime
    private let context: CommandContext

    /// Makes a page.
    init(_ shown: ShownTask, _ tasks: OpenTasks, _ context: CommandContext) {
        self.shown = shown
        now = tasks.now
        self.context = context
    }

    func lines(_ capabilities: TerminalCapabilities) -> [String] {
        guard let text = shown.text else { return [] }
        let task = shown.task
        let style = Style(capabilities)
        let lock = task.isProtected ? TodoTask.lock + " " : ""
        // Nothing may be wider than the screen, which has no other way to the rest of a line.
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
            for subtask in text.subtasks {
                let parts = fold(VisibleText.escape(subtask.name), besides: 10)
                lines.append(
                    style.apply(.faint, to: subtask.id.text) + (subtask.isDone ? "  ✓ " : "    ")
                        + parts[0])
                lines += parts.dropFirst().map { String(repeating: " ", count: 10) + $0 }
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
        var facts = [("id", task.id.text)]
        if let due = task.due {
            let relative = RelativeTime.text(
                due, now: now, in: context.tasks.calendar, isOpen: !task.isDone)
            facts.append(("due", "\(local(due)) (\(relative))"))
        }
        if let completion = task.completion { facts.append(("done", local(completion.time))) }
        facts.append(("created", local(task.created)))
        if task.hasReminder { facts.append(("reminder", "yes")) }
        return facts
    }

    private func local(_ time: PointInTime) -> String {
        TimeText.text(time, in: context.tasks.calendar)
    }
}

internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding
internal import VaultCore

/// Tasks as a table: id, state, due time, list, name. The shortest unique prefix of an id is emphasised.
struct TaskTable: Page {
    let command = "task list --reveal"
    private let shown: [ShownTask]
    private let prefixes: [TaskID: Int]
    private let blockers: [TaskID: [TaskID]]
    private let now: PointInTime
    private let context: CommandContext
    /// The tasks that two devices changed at the same time, and those whose text has not come.
    private let marked: Set<TaskID>
    private let arriving: Set<TaskID>

    init(_ shown: [ShownTask], _ tasks: OpenTasks, _ context: CommandContext) throws {
        self.shown = shown
        marked = context.application.sync.markedTasks()
        arriving = context.application.sync.arrivingTasks()
        let isEmphasised = TerminalCapabilities(of: context.console.output).hasColour
        prefixes =
            isEmphasised ? try tasks.list.shortestPrefixes(of: shown.map(\.task.id)) : [:]
        blockers = try tasks.list.blockers(of: shown.map(\.task))
        now = tasks.now
        self.context = context
    }

    func lines(_ capabilities: TerminalCapabilities) -> [String] {
        if shown.isEmpty { return [] }
        // A narrow screen has no room for all columns.
        let width = capabilities.columns ?? .max
        let hasLists = width >= 48 && shown.contains { $0.task.list != nil }
        let hasTimes = width >= 28
        var columns = [TextTable.Column("ID", isWhole: true), TextTable.Column("", isWhole: true)]
        if hasTimes { columns.append(TextTable.Column("DUE", isWhole: true)) }
        if hasLists { columns.append(TextTable.Column("LIST")) }
        columns.append(TextTable.Column("TASK", takesRest: true))
        var table = TextTable(columns)
        let marks = TaskMarks(capabilities)
        let moment = CalendarMoment(now, in: context.tasks.calendar)
        for shown in shown {
            let task = shown.task
            let emphasis: Style.Emphasis? = task.isDone ? .faint : nil
            var cells = [
                TextTable.Cell(task.id.text, .faint, lead: prefixes[task.id] ?? 0),
                TextTable.Cell(marks.box(task.isDone), emphasis),
            ]
            if hasTimes {
                let time = time(of: task, isShort: width < 40)
                cells.append(TextTable.Cell(time, task.isOverdue(at: moment) ? .red : emphasis))
            }
            if hasLists { cells.append(TextTable.Cell(task.list ?? "", .faint)) }
            let tags = task.tags.map { " #" + $0 }.joined()
            let signs =
                (marked.contains(task.id) ? ["(concurrent)"] : [])
                + marks.signs(
                    of: task, after: blockers[task.id] ?? [], now: now,
                    in: context.tasks.calendar)
            cells.append(
                TextTable.Cell(
                    title(shown) + tags, shown.visibility == .hidden ? .yellow : emphasis,
                    tail: signs.map { " " + $0 }.joined()))
            table.add(cells)
        }
        return table.lines(on: capabilities)
    }

    private func time(of task: TodoTask, isShort: Bool) -> String {
        guard let due = task.due else { return "" }
        return RelativeTime.text(
            due, now: now, in: context.tasks.calendar, isOpen: !task.isDone, isShort: isShort)
    }

    private func title(_ shown: ShownTask) -> String {
        switch shown.visibility {
        case .hidden where arriving.contains(shown.task.id),
            .missing where arriving.contains(shown.task.id):
            return shown.task.shownName + " arriving"
        case .hidden: return shown.task.shownName
        case .missing: return shown.task.shownName + " (its text is not in this vault)"
        case .unreadable:
            return shown.task.shownName + " (its text is of a newer version or another program)"
        case .shown(let text):
            let lock = shown.task.isProtected ? TodoTask.lock + " " : ""
            guard !text.subtasks.isEmpty else { return lock + text.name }
            let done = text.subtasks.count { $0.isDone }
            return lock + text.name + " [\(done)/\(text.subtasks.count)]"
        }
    }
}

/// The signs of a list: boxes, priority, start, reminder and repetition.
struct TaskMarks {
    private let hasUnicode: Bool

    /// Chooses signs that a terminal can show.
    init(_ capabilities: TerminalCapabilities) {
        hasUnicode = capabilities.hasUnicode
    }

    /// The checkbox of a task.
    func box(_ isDone: Bool) -> String {
        hasUnicode ? (isDone ? "☑" : "☐") : (isDone ? "[x]" : "[ ]")
    }

    /// The signs after the name and the tags of a task.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - blockers: The open tasks that precede it.
    ///   - now: The current time.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The signs, in order.
    func signs(
        of task: TodoTask, after blockers: [TaskID], now: PointInTime,
        in calendar: some LocalCalendar
    ) -> [String] {
        var signs: [String] = []
        if let wait = task.wait, task.isWaiting(at: CalendarMoment(now, in: calendar)) {
            signs.append("(starts \(RelativeTime.text(wait, now: now, in: calendar)))")
        }
        if let first = blockers.first {
            signs.append("(after \(blockers.count == 1 ? first.text : "\(blockers.count) tasks"))")
        }
        if task.priority != .none {
            signs.append(String(repeating: "!", count: Int(task.priority.rawValue)))
        }
        if task.announcement != nil, !task.isDone { signs.append(hasUnicode ? "⏰" : "(reminder)") }
        if task.repetition != nil { signs.append(hasUnicode ? "↻" : "(repeats)") }
        if !task.isDone, task.hasForeignRepetition {
            signs.append(hasUnicode ? "↻?" : "(repeats elsewhere)")
        }
        return signs
    }
}

internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

/// `task subtask add`: adds a subtask at the end.
enum AddSubtaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "subtask", "add"],
        summary: "add a subtask at the end",
        operands: [.task, .subtaskName],
        options: [.due, .remind],
        notes: [protectedNote],
        examples: [
            .init("taskvault task subtask add k7m buy paint", "a step of task k7m"),
            .init("taskvault task subtask add k7m call --due 'fri 9:00' --remind", "with times"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let editing = SubtaskEditing(context)
        try editing.edit("added") { text, task in
            text.addSubtask(try editing.name(task))
            try editing.applyTimes(to: &text.subtasks[text.subtasks.count - 1])
            return text.subtasks[text.subtasks.count - 1]
        }
    }
}

/// `task subtask done`: marks a subtask as done.
enum FinishSubtaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "subtask", "done"],
        summary: "mark a subtask as done",
        operands: [.task, .subtask],
        examples: [
            .init("taskvault task subtask done k7m 1", "the first subtask"),
            .init("taskvault task subtask done k7m 2q", "the subtask whose id begins with 2q"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try SubtaskEditing(context).editOne("done") { text, index, _ in
            text.subtasks[index].isDone = true
        }
    }
}

/// `task subtask undone`: marks a subtask as not done.
enum ReopenSubtaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "subtask", "undone"],
        summary: "mark a subtask as not done",
        operands: [.task, .subtask],
        examples: [.init("taskvault task subtask undone k7m 2q", "open it again")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try SubtaskEditing(context).editOne("not done") { text, index, _ in
            text.subtasks[index].isDone = false
        }
    }
}

/// `task subtask edit`: changes name, due time or reminder of a subtask.
enum EditSubtaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "subtask", "edit"],
        summary: "change name, due time or reminder of a subtask",
        operands: [.task, .subtask],
        options: [.newName, .due, .remind],
        notes: [protectedNote],
        examples: [
            .init("taskvault task subtask edit k7m 2 --name 'buy blue paint'", "a new name"),
            .init("taskvault task subtask edit k7m 2 --due 'fri 12:00' --remind 1h", "times"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let invocation = context.invocation
        guard [.newName, .due, .remind].contains(where: { invocation.has($0) }) else {
            throw Failure.usage(
                "nothing to change",
                hint: context.folders.command("task subtask edit ID 1 --due 'fri 18:00'"))
        }
        let editing = SubtaskEditing(context)
        try editing.editOne("changed") { text, index, task in
            try editing.applyTimes(to: &text.subtasks[index])
            guard let name = invocation.text(of: .newName) else { return }
            guard name == "-" || !task.isProtected else { throw editing.nameIsProtected }
            text.subtasks[index].name =
                name == "-"
                ? try context.console.readLine("Name", isProtected: task.isProtected) : name
        }
    }
}

/// `task subtask remind`: sets the reminder of a subtask.
enum RemindSubtaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "subtask", "remind"],
        summary: "set or remove the reminder of a subtask",
        operands: [.task, .subtask, .reminderTime],
        examples: [
            .init("taskvault task subtask remind k7m 2 on", "at its due time"),
            .init("taskvault task subtask remind k7m 2 off", "no reminder"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let typed = context.invocation.text(of: .reminderTime)
        try SubtaskEditing(context).editOne("changed") { text, index, task in
            text.subtasks[index].reminder = try TaskOptions(context).reminder(
                typed, before: text.subtasks[index].due, as: "WHEN"
            ) {
                "task subtask edit \(task.id.text) \(index + 1) --due 'tomorrow 9:00'"
            }
            text.subtasks[index].snooze = nil
        }
    }
}

/// `task subtask remove`: removes a subtask.
enum RemoveSubtaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "subtask", "remove"],
        summary: "remove a subtask",
        operands: [.task, .subtask],
        examples: [.init("taskvault task subtask remove k7m 2q", "without asking")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try SubtaskEditing(context).editOne("removed") { text, index, _ in
            text.subtasks.remove(at: index)
        }
    }
}

/// `task subtask move`: moves a subtask to another place.
enum MoveSubtaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "subtask", "move"],
        summary: "move a subtask to another place",
        operands: [.task, .subtask, .subtaskPosition],
        examples: [
            .init("taskvault task subtask move k7m 2q 1", "to the top"),
            .init("taskvault task subtask move k7m 2q last", "to the end"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let typed = context.invocation.text(of: .subtaskPosition)
        let position: Int
        switch typed {
        case "first": position = 0
        case "last": position = .max
        default:
            guard let number = Int(typed), (1...TaskTextRule.maximumSubtasks).contains(number)
            else {
                throw Failure.usage(
                    "POSITION is a number from 1, first or last",
                    hint: context.folders.command("task subtask move ID SUBTASK 1"))
            }
            position = number - 1
        }
        try SubtaskEditing(context).editOne("moved") { text, index, _ in
            let subtask = text.subtasks.remove(at: index)
            text.subtasks.insert(subtask, at: min(position, text.subtasks.count))
        }
    }
}

private let protectedNote =
    "The subtasks of a protected task are in the vault: omit the name, and it is asked for or read from standard input."

/// Edits the subtasks of the task that the operands identify.
private struct SubtaskEditing {
    private let context: CommandContext

    init(_ context: CommandContext) {
        self.context = context
    }

    /// Changes the subtasks of the task, and reports the one that `change` returns.
    func edit(_ done: String, _ change: (inout TaskText, TodoTask) throws -> TodoSubtask) throws {
        let access = context.tasks
        try access.withTasks(.changing) { tasks in
            let task = try context.task(in: tasks)
            var line = ""
            let changed = try access.editText(of: task, to: task, tasks) { text in
                let subtask = try change(&text, task)
                let position = text.subtasks.firstIndex { $0.id == subtask.id }
                line = "\(done) subtask" + (position.map { " \($0 + 1)" } ?? "")
                line += " of \(task.id.text)"
                // Only `task show` shows the name of a protected subtask.
                if !task.isProtected { line += "  " + subtask.name }
                if position != nil, !subtask.isDone {
                    line += context.times(subtask.due, reminder: subtask.announcement)
                }
            }
            guard context.console.isJSON else { return try context.console.printLine(line) }
            try context.report(done, changed, tasks)
        }
    }

    /// Changes one subtask. `change` gets its index in the text.
    func editOne(
        _ done: String, _ change: (inout TaskText, Int, TodoTask) throws -> Void
    ) throws {
        try edit(done) { text, task in
            let index = try text.subtaskIndex(context.invocation.text(of: .subtask), of: task.id)
            let old = text.subtasks[index]
            try change(&text, index, task)
            return text.subtasks.first { $0.id == old.id } ?? old
        }
    }

    /// The name of a subtask, from the operands or a question. A protected task always needs the question.
    func name(_ task: TodoTask) throws -> String {
        if let name = context.typedName(.subtaskName) {
            guard !task.isProtected else { throw nameIsProtected }
            return name
        }
        return try context.console.readLine("Name", isProtected: task.isProtected)
    }

    /// The error of a protected name among the arguments.
    var nameIsProtected: Failure {
        .usage(
            "the text of a protected task cannot be given on the command line",
            hint: "omit the name, or give --name -: it is asked for, or read from standard input")
    }

    /// Applies the options for the times of a subtask.
    func applyTimes(to subtask: inout TodoSubtask) throws {
        let invocation = context.invocation
        if let text = invocation.text(of: .due) {
            let due = text.lowercased() == "never" ? nil : try context.time(.due)
            subtask.setDue(due, in: context.tasks.calendar)
        }
        if let text = invocation.text(of: .remind) {
            subtask.reminder = try TaskOptions(context).reminder(text, before: subtask.due)
            subtask.snooze = nil
        }
    }
}

extension OperandDescription {
    static let subtask = OperandDescription(
        "SUBTASK", "the subtask's position from 1, its id, or a unique beginning of it")
    static let subtaskName = OperandDescription(
        "NAME", "the subtask; asked for or read from standard input if left out",
        count: 0...1_000)
    static let subtaskPosition = OperandDescription(
        "POSITION", "its new position: a number from 1, first or last")
}

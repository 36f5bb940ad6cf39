internal import Application
internal import CommandLine
internal import Tasks

/// `task remind`: sets the reminder of a task.
enum RemindTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "remind"],
        summary: "set or remove the reminder of tasks",
        operands: [.someTasks, .reminderTime],
        options: ChosenTasks.options,
        exclusive: TaskFilterOptions.exclusive,
        notes: [
            "The filters choose open tasks. More than three tasks, and --all, are shown with a question, which --yes answers.",
            "taskvault services announces it, also while the vault is locked; protected text is never shown.",
        ],
        examples: [
            .init("taskvault task remind k7m on", "at the due time"),
            .init("taskvault task remind k7m 10m", "ten minutes before"),
            .init("taskvault task remind k7m 'tomorrow 9:00'", "at a time"),
            .init("taskvault task remind k7m off", "no reminder"),
            .init("taskvault task remind --today --tag call 30m", "half an hour before each call"),
        ],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let typed = context.invocation.text(of: .reminderTime)
        let filters = try TaskFilterOptions(context, .open)
        try context.tasks.withTasks(.changing) { tasks in
            let chosen = try ChosenTasks(
                context.invocation.texts(of: .someTasks), filters, in: tasks, context)
            guard chosen.requireAny() else { return try context.report("changed", [], tasks) }
            let options = try TaskOptions(context)
            let edits = try chosen.tasks.map { before in
                var task = before
                task.reminder = try options.reminder(typed, before: task.due, as: "WHEN") {
                    "task edit \(task.id.text) --due 'tomorrow 9:00'"
                }
                task.snooze = nil
                return (before: before, edited: task)
            }
            try context.edit(
                edits, of: chosen, tasks, withRemarks: typed.lowercased() != "off")
        }
    }
}

extension OperandDescription {
    static let reminderTime = OperandDescription(
        "WHEN", "on for the due time, off, a time before it such as 10m, or a time")
}

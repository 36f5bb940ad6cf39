internal import Application
internal import CommandLine
internal import Tasks

/// `task remind`: sets the reminder of a task.
enum RemindTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "remind"],
        summary: "set or remove the reminder of a task",
        operands: [.task, .reminderTime],
        notes: [
            "taskvault services announces it, also while the vault is locked; protected text is never shown."
        ],
        examples: [
            .init("taskvault task remind k7m on", "at the due time"),
            .init("taskvault task remind k7m 10m", "ten minutes before"),
            .init("taskvault task remind k7m 'tomorrow 9:00'", "at a time"),
            .init("taskvault task remind k7m off", "no reminder"),
        ],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasks(.changing) { tasks in
            let before = try context.task(in: tasks)
            var task = before
            let typed = context.invocation.text(of: .reminderTime)
            task.reminder = try TaskOptions(context).reminder(typed, before: task.due, as: "WHEN") {
                "task edit \(task.id.text) --due 'tomorrow 9:00'"
            }
            task.snooze = nil
            let changed = try tasks.list.edit(before, to: task)
            try context.report("changed", changed, tasks)
            if typed.lowercased() != "off" {
                context.remark(on: changed, since: before, tasks)
            }
        }
    }
}

extension OperandDescription {
    static let reminderTime = OperandDescription(
        "WHEN", "on for the due time, off, a time before it such as 10m, or a time")
}

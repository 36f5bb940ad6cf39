internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

/// `task clear`: clears completed tasks now, or restores cleared ones.
enum ClearTasksCommand: Command {
    static let description = CommandDescription(
        path: ["task", "clear"],
        summary: "clear completed tasks now, or restore cleared ones",
        options: [.undo],
        notes: [
            """
            Completed tasks are cleared automatically after the time of the setting clear-after. Cleared tasks can be restored for 24 \
            hours and are then removed permanently. Statistics still count them.
            """
        ],
        examples: [
            .init("taskvault task clear", "clear completed tasks"),
            .init("taskvault task clear --undo", "restore"),
        ],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let isUndoing = context.invocation.has(.undo)
        try context.tasks.withTasks(.changing) { tasks in
            let count = try isUndoing ? tasks.list.undoClearing() : tasks.list.clear()
            let counted = counted(count, "task")
            try context.report(
                count: count, isUndoing ? "\(counted) restored" : "\(counted) cleared")
            if !isUndoing, count > 0 {
                context.console.notices.remark(
                    "\(context.folders.command("task clear --undo")) restores them within 24 hours"
                )
            }
        }
    }
}

extension OptionDescription {
    static let undo = OptionDescription(
        "undo", "restore tasks that were cleared in the past 24 hours")
}

internal import CommandLine
internal import Tasks

/// `task clear`: clears completed tasks now, or brings cleared ones back.
enum ClearTasksCommand: Command {
    static let description = CommandDescription(
        path: ["task", "clear"],
        summary: "clear completed tasks now, or bring cleared ones back",
        options: [.undo],
        notes: [
            """
            Completed tasks are cleared by themselves after the time of the setting clear-after. What was cleared can be brought back for 24 hours and is \
            removed for good after that. Statistics keep counting it.
            """
        ],
        examples: [
            .init("taskvault task clear", "hide what is done"),
            .init("taskvault task clear --undo", "bring it back"),
        ],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let isUndoing = context.invocation.has(.undo)
        try context.tasks.withTasks(.changing) { tasks in
            let count = try isUndoing ? tasks.list.undoClearing() : tasks.list.clear()
            let counted = counted(count, "task")
            try context.tasks.report(
                count: count, isUndoing ? "\(counted) brought back" : "\(counted) cleared")
            if !isUndoing, count > 0 {
                context.console.notices.remark(
                    "\(context.folders.command("task clear --undo")) brings them back within 24 hours"
                )
            }
        }
    }
}

extension OptionDescription {
    /// Back again.
    static let undo = OptionDescription(
        "undo", "bring back what was cleared in the past 24 hours")
}

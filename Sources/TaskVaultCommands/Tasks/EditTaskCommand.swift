internal import CommandLine
internal import Tasks

/// `task edit`: changes name, notes, due time or reminder.
enum EditTaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let invocation = context.invocation
        let changesWords = invocation.has(.newName) || invocation.has(.notes)
        let takesDueAway = invocation.text(of: .newDue)?.lowercased() == "never"
        let due = takesDueAway ? nil : try context.time(.newDue)
        guard
            changesWords || invocation.has(.newDue) || invocation.has(.reminder)
                || invocation.has(.noReminder)
        else {
            throw .usage(
                "nothing is to be changed",
                hint: context.folders.command("task edit ID --due 'fri 18:00'"))
        }
        try context.withTasks(.changing) { (tasks) throws(CommandFailure) in
            var task = try context.task(invocation.text(of: .task), in: tasks)
            if invocation.has(.newDue) { task.due = due }
            if invocation.has(.reminder) { task.hasReminder = true }
            if invocation.has(.noReminder) { task.hasReminder = false }
            let changed =
                changesWords
                ? try editWords(of: task, tasks, context)
                : try context.explaining(tasks) { () throws(TaskListError) in
                    try tasks.list.replace(task)
                }
            try context.report("changed", changed, tasks)
        }
    }

    private static func editWords(
        of task: TodoTask, _ tasks: OpenTasks, _ context: CommandContext
    ) throws(CommandFailure) -> TodoTask {
        let name = context.invocation.text(of: .newName)
        if task.isProtected { try context.requireNotesOffScreen() }
        if task.isProtected, let name, name != "-" {
            throw .usage(
                "the name of a protected task is not given on the command line",
                hint: "--name - asks for it, or reads it from standard input")
        }
        return try context.editWords(of: task, tasks) { (text) throws(CommandFailure) in
            if name == "-" {
                text.name = try context.readLine("Name", isProtected: task.isProtected)
            } else if let name {
                text.name = name
            }
            if context.invocation.has(.notes) {
                text.notes = try context.readNotes(isProtected: task.isProtected)
            }
        }
    }
}

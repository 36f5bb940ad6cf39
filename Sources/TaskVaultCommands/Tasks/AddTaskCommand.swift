internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task add`: adds a task.
enum AddTaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let due = try context.time(.due)
        let isProtected = context.invocation.has(.protected)
        let name = context.typedName(.taskName)
        if isProtected, name != nil {
            throw .usage(
                "the name of a protected task is not given on the command line",
                hint: "leave it out: it is asked for, or read from standard input")
        }
        guard isProtected || name != nil else {
            throw .usage("missing NAME", hint: context.folders.command("task add buy milk"))
        }
        if isProtected { try context.requireNotesOffScreen() }
        let hasReminder = context.invocation.has(.reminder)
        guard isProtected else {
            let text = try words(name, context)
            return try context.withTasks(.changing) { (tasks) throws(CommandFailure) in
                let task = try context.explaining(tasks) { () throws(TaskListError) in
                    try tasks.list.add(text, due: due, hasReminder: hasReminder)
                }
                try context.report("added", task, tasks)
            }
        }
        try context.withTasksAndVault(.changing) { (tasks, store) throws(CommandFailure) in
            // Before anybody types what could not be saved.
            try context.requireVerified(store)
            let text = try words(nil, context)
            // Whoever typed for longer than the window lasts is asked rather than told that it was for nothing.
            let task = try context.verifying(tasks, store) { () throws(TaskListError) in
                try tasks.list.addProtected(
                    text, due: due, hasReminder: hasReminder, in: store.secrets)
            }
            try context.report("added", task, tasks)
        }
    }

    private static func words(
        _ name: String?, _ context: CommandContext
    ) throws(CommandFailure) -> TaskText {
        // Of `??` the compiler does not see that it throws nothing else.
        var text = TaskText(name: "")
        if let name {
            text.name = name
        } else {
            text.name = try context.readLine("Name", isProtected: true)
        }
        if context.invocation.has(.notes) {
            text.notes = try context.readNotes(isProtected: name == nil)
        }
        return text
    }
}

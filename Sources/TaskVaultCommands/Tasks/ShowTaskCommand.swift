internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task show`: shows a task with notes and subtasks.
enum ShowTaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withTasks(.reading) { (tasks) throws(CommandFailure) in
            let task = try context.task(context.invocation.text(of: .task), in: tasks)
            guard task.isProtected else {
                let shown = ShownTask(task)
                guard context.isJSON else {
                    return try context.print(TaskSheet(shown, tasks, context))
                }
                return try context.printJSON { (json) throws(OutputError) in
                    try json.task(shown, now: tasks.now)
                }
            }
            try context.withStore(.reading) { (store) throws(CommandFailure) in
                let shown = try context.verifying(tasks, store) { () throws(TaskListError) in
                    try tasks.list.reveal(task, from: store.secrets)
                }
                try context.showing(TaskSheet(shown, tasks, context), store) {
                    (json) throws(OutputError) in
                    try json.task(shown, now: tasks.now)
                }
            }
        }
    }
}

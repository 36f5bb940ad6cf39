internal import CommandLine
internal import Tasks

/// `task done`: marks tasks as done, all of them or none.
enum MarkTasksDoneCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.mark(done: true)
    }
}

/// `task undone`: marks tasks as not done.
enum MarkTasksUndoneCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.mark(done: false)
    }
}

/// `task done-all`: marks all open tasks as done.
enum MarkAllTasksDoneCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withTasks(.changing) { (tasks) throws(CommandFailure) in
            let open = try context.explaining(tasks) { () throws(TaskListError) in
                try tasks.list.count(TaskFilter(.open))
            }
            if open > 0 {
                try context.requireConsent(to: "mark all open tasks as done") {
                    (prompt) throws(InputError) in
                    try prompt.confirm("Mark \(counted(open, "open task")) as done?")
                }
            }
            let changed = try context.explaining(tasks) { () throws(TaskListError) in
                try tasks.list.markAllDone(TaskFilter(.open))
            }
            guard context.isJSON else {
                return try context.printLine("\(counted(changed, "task")) marked as done")
            }
            try context.printJSON { (json) throws(OutputError) in
                try json.beginObject()
                try json.member("count", changed)
                try json.endObject()
            }
        }
    }
}

extension CommandContext {
    fileprivate func mark(done isDone: Bool) throws(CommandFailure) {
        try withTasks(.changing) { (tasks) throws(CommandFailure) in
            let found = try self.tasks(.tasks, in: tasks)
            let changed = try explaining(tasks) { () throws(TaskListError) in
                try tasks.list.mark(found, done: isDone)
            }
            try report(isDone ? "done" : "not done", changed, tasks)
        }
    }
}

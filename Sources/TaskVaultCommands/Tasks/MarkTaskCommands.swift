internal import CommandLine
internal import Tasks

/// `task done`: marks tasks as done, all of them or none.
enum MarkTasksDoneCommand: Command {
    static let description = CommandDescription(
        path: ["task", "done"],
        summary: "mark tasks as done",
        operands: [.tasks],
        notes: [
            "A completed task is cleared after the time of the setting clear-after."
        ],
        examples: [.init("taskvault task done k7m 3fx", "two tasks, both or none")],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try mark(done: true, context)
    }

    /// Marks the tasks that the operands mean, all of them or none.
    static func mark(done isDone: Bool, _ context: CommandContext) throws {
        try context.tasks.withTasks(.changing) { tasks in
            let found = try context.tasks.tasks(in: tasks)
            let changed = try tasks.list.mark(found, done: isDone)
            try context.tasks.report(isDone ? "done" : "not done", changed, tasks)
        }
    }
}

/// `task undone`: marks tasks as not done.
enum MarkTasksUndoneCommand: Command {
    static let description = CommandDescription(
        path: ["task", "undone"],
        summary: "mark tasks as not done",
        operands: [.tasks],
        examples: [.init("taskvault task undone k7m", "open it again")],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try MarkTasksDoneCommand.mark(done: false, context)
    }
}

/// `task done-all`: marks all open tasks as done.
enum MarkAllTasksDoneCommand: Command {
    static let description = CommandDescription(
        path: ["task", "done-all"],
        summary: "mark all open tasks as done",
        options: [.yes],
        notes: [
            "Asks on a terminal."
        ],
        examples: [.init("taskvault task done-all", "with a question")],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasks(.changing) { tasks in
            let open = try tasks.list.count(TaskFilter(.open))
            if open > 0 {
                try context.console.requireConsent(to: "mark all open tasks as done") { prompt in
                    try prompt.confirm("Mark \(counted(open, "open task")) as done?")
                }
            }
            let changed = try tasks.list.markAllDone(TaskFilter(.open))
            try context.tasks.report(
                count: changed, "\(counted(changed, "task")) marked as done")
        }
    }
}

internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task protect`: moves the words of a task into the vault.
enum ProtectTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "protect"],
        summary: "move the words of a task into the vault",
        operands: [.task],
        notes: [
            """
            Nothing of name, notes and subtasks is left in the tasks' SQLite file or its log. A PostgreSQL server may keep old bytes, and says nothing \
            about it. Copies that were made before, such as backups, have the words still.
            """
        ],
        examples: [.init("taskvault task protect k7m", "needs fresh verification")],
        exitCodes: .protectedTasks + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasksAndVault(.changing) { tasks, store in
            let task = try context.tasks.task(in: tasks)
            let (changed, isErased) = try tasks.list.protect(task, in: store.secrets)
            try context.tasks.report("protected", changed, tasks)
            try report(isErased, tasks, context)
        }
    }

    private static func report(
        _ isErased: Bool?, _ tasks: OpenTasks, _ context: CommandContext
    ) throws {
        switch isErased {
        case true?: return
        case nil:
            context.console.notices.warn(
                "old_bytes_on_server",
                "the words are not in the table any more, but the server may keep old bytes in its files, logs, replicas and backups"
            )
        case false?:
            throw CommandFailure(
                .failure, code: "old_bytes_pending",
                "it is done, but bytes of the words are still in the log beside \(tasks.place.title): another program is reading it",
                hint: "the next task command that finds nobody reading erases them")
        }
    }
}

/// `task unprotect`: moves the words of a task out of the vault.
enum UnprotectTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "unprotect"],
        summary: "move the words of a task out of the vault",
        operands: [.task],
        notes: [
            "Whoever can read the tasks' database can read the words then. Needs fresh verification."
        ],
        examples: [.init("taskvault task unprotect k7m", "no lock any more")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasksAndVault(.changing) { tasks, store in
            let task = try context.tasks.task(in: tasks)
            let changed = try tasks.list.unprotect(task, from: store.secrets)
            try context.tasks.report("not protected any more:", changed, tasks)
        }
    }
}

internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `task protect`: moves the text of a task into the vault.
enum ProtectTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "protect"],
        summary: "move the text of tasks into the vault",
        operands: [.someTasks],
        options: [.everyTask] + TaskFilterOptions.options.filter { $0 != .onlyProtected } + [.yes],
        exclusive: TaskFilterOptions.exclusive,
        notes: [
            "The filters choose plain tasks. More than three tasks, and --all, are shown with a question, which --yes answers.",
            """
            Nothing of name, notes and subtasks remains in the tasks' SQLite file or its log. A PostgreSQL server may keep old bytes. \
            Earlier copies, such as backups, still contain the text. The files of the task are protected, too.
            """,
        ],
        examples: [
            .init("taskvault task protect k7m", "requires verification"),
            .init("taskvault task protect --list health", "all tasks of a list"),
        ],
        exitCodes: .protectedTasks + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let filters = try TaskFilterOptions(
            context, context.invocation.has(.everyTask) ? .open : .openOrDone, isProtected: false)
        try context.tasks.withTasksAndVault(.changing) { tasks, store in
            let chosen = try ChosenTasks(
                context.invocation.texts(of: .someTasks), filters, in: tasks, context)
            guard chosen.requireAny() else { return try context.report("protected", [], tasks) }
            try chosen.confirm(
                "protect \(counted(chosen.tasks.count, "task"))", lines: chosen.lines)
            try context.vault.requireVerified(store)
            // The files change first, so an interrupted command can be repeated.
            let ids = chosen.tasks.map(\.id)
            try store.protect(filesOf: ids, true)
            let (changed, isErased) = try tasks.list.protect(chosen.tasks, in: store.secrets)
            // The files change again, because one may have been added meanwhile.
            try store.protect(filesOf: ids, true)
            try chosen.report("protected", changed, tasks)
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
                "the text was removed from the table, but the server may keep old bytes in its files, logs, replicas and backups"
            )
        case false?:
            throw Failure(
                .failure, code: "old_bytes_pending",
                "done, but the text is still in the log beside \(tasks.place.title): another program is reading it",
                hint: "a task command erases it when no other program is reading")
        }
    }
}

/// `task unprotect`: moves the text of a task out of the vault.
enum UnprotectTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "unprotect"],
        summary: "move the text of a task out of the vault",
        operands: [.task],
        notes: [
            """
            Afterwards everyone who can read the tasks' database can read the text. The files of the task stay in the vault, without \
            protection. Requires verification.
            """
        ],
        examples: [.init("taskvault task unprotect k7m", "move it out of the vault")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasksAndVault(.changing) { tasks, store in
            let task = try context.task(in: tasks)
            try context.vault.requireVerified(store)
            // The files change first, so an interrupted command can be repeated.
            try store.protect(filesOf: [task.id], false)
            let changed = try tasks.list.unprotect(task, from: store.secrets)
            try context.report("no longer protected:", changed, tasks)
        }
    }
}

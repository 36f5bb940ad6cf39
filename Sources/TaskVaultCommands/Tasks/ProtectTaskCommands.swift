internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task protect`: moves the words of a task into the vault.
enum ProtectTaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withTasksAndVault(.changing) { (tasks, store) throws(CommandFailure) in
            let task = try context.task(context.invocation.text(of: .task), in: tasks)
            let (changed, isErased) = try context.explaining(tasks) { () throws(TaskListError) in
                try tasks.list.protect(task, in: store.secrets)
            }
            try context.report("protected", changed, tasks)
            try report(isErased, tasks, context)
        }
    }

    private static func report(
        _ isErased: Bool?, _ tasks: OpenTasks, _ context: CommandContext
    ) throws(CommandFailure) {
        switch isErased {
        case true?: return
        case nil:
            context.notices.warn(
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
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withTasksAndVault(.changing) { (tasks, store) throws(CommandFailure) in
            let task = try context.task(context.invocation.text(of: .task), in: tasks)
            let changed = try context.explaining(tasks) { () throws(TaskListError) in
                try tasks.list.unprotect(task, from: store.secrets)
            }
            try context.report("not protected any more:", changed, tasks)
        }
    }
}

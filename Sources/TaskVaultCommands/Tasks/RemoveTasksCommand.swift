internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task remove`: removes tasks for good.
enum RemoveTasksCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withTasks(.changing) { (tasks) throws(CommandFailure) in
            let found = try context.tasks(.tasks, in: tasks)
            guard found.contains(where: \.isProtected) else {
                return try remove(found, tasks, nil, context)
            }
            try context.withStore(.changing) { (store) throws(CommandFailure) in
                try context.requireUnlocked(store)
                try remove(found, tasks, store.secrets, context)
            }
        }
    }

    private static func remove(
        _ found: [TodoTask], _ tasks: OpenTasks, _ vault: (any SecureStore)?,
        _ context: CommandContext
    ) throws(CommandFailure) {
        try context.requireConsent(to: "remove \(counted(found.count, "task"))") {
            (prompt) throws(InputError) in
            for task in found { try prompt.say(task.id.text + "  " + task.shownName) }
            return try prompt.confirm("Remove \(counted(found.count, "task")) for good?")
        }
        for task in found {
            try context.explaining(tasks) { () throws(TaskListError) in
                try tasks.list.remove(task, from: vault)
            }
        }
        try context.report("removed", found, tasks)
    }
}

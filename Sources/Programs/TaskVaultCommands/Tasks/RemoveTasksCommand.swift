internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `task remove`: removes tasks.
enum RemoveTasksCommand: Command {
    static let description = CommandDescription(
        path: ["task", "remove"],
        summary: "remove tasks; task undo brings them back for 24 hours",
        operands: [.tasks],
        options: [.yes],
        notes: [
            """
            Asks on a terminal. task undo brings the tasks back within 24 hours. The text of a protected task is removed from the vault, which must be unlocked; the vault keeps it sealed \
            for the time of the setting removed-days. The files of a task are removed with it if the vault is unlocked.
            """
        ],
        examples: [
            .init("taskvault task remove k7m", "with a question"),
            .init("taskvault task remove --yes k7m", "without a question"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasks(.changing) { tasks in
            let found = try context.tasks.tasks(
                context.invocation.texts(of: .tasks), in: tasks)
            guard found.contains(where: \.isProtected) else {
                return try remove(found, tasks, nil, context)
            }
            try context.vault.withStore(.changing) { store in
                try context.vault.requireUnlocked(store)
                try remove(found, tasks, store, context)
            }
        }
    }

    private static func remove(
        _ found: [TodoTask], _ tasks: OpenTasks, _ store: OpenStore?, _ context: CommandContext
    ) throws {
        try context.console.requireConsent(to: "remove \(counted(found.count, "task"))") { prompt in
            for task in found { try prompt.say(task.id.text + "  " + task.shownName) }
            return try prompt.confirm("Remove \(counted(found.count, "task"))?")
        }
        for task in found {
            try tasks.list.remove(task, from: store?.secrets)
            context.attempt(orWarn: "the files of task \(task.id.text) stay") {
                guard let store else {
                    return try context.vault.withStoreIfUnlocked { try $0.remove(filesOf: task.id) }
                }
                return try store.remove(filesOf: task.id)
            }
        }
        try context.report("removed", found, tasks)
    }
}

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
        operands: [.someTasks],
        options: ChosenTasks.options,
        exclusive: TaskFilterOptions.exclusive,
        notes: [
            """
            Shows the tasks and asks on a terminal, and needs --yes elsewhere. task undo brings the tasks back within 24 hours. The text of a protected task is removed from the vault, which must be unlocked; the vault keeps it sealed \
            for the time of the setting removed-days. The files of a task are removed with it if the vault is unlocked.
            """
        ],
        examples: [
            .init("taskvault task remove k7m", "with a question"),
            .init("taskvault task remove --yes k7m", "without a question"),
            .init("taskvault task remove --list old", "the tasks of a list"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let filters = try TaskFilterOptions(
            context, context.invocation.has(.everyTask) ? .open : .openOrDone)
        try context.tasks.withTasks(.changing) { tasks in
            let chosen = try ChosenTasks(
                context.invocation.texts(of: .someTasks), filters, in: tasks, context)
            guard chosen.requireAny() else { return try context.report("removed", [], tasks) }
            guard chosen.tasks.contains(where: \.isProtected) else {
                return try remove(chosen, tasks, nil, context)
            }
            try context.vault.withStore(.changing) { store in
                try context.vault.requireUnlocked(store)
                try remove(chosen, tasks, store, context)
            }
        }
    }

    private static func remove(
        _ chosen: ChosenTasks, _ tasks: OpenTasks, _ store: OpenStore?, _ context: CommandContext
    ) throws {
        let found = chosen.tasks
        try chosen.ask("remove \(counted(found.count, "task"))", lines: chosen.lines)
        try tasks.list.remove(found, from: store?.secrets)
        let ids = found.map(\.id)
        let owner = ids.count == 1 ? "task \(ids[0].text)" : "\(ids.count) tasks"
        context.attempt(orWarn: "the files of \(owner) stay") {
            guard let store else {
                return try context.vault.withStoreIfUnlocked { try $0.remove(filesOf: ids) }
            }
            return try store.remove(filesOf: ids)
        }
        try context.report("removed", found, tasks)
    }
}

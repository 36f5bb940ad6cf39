internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task list`: lists tasks.
enum ListTasksCommand: Command {
    static let description = CommandDescription(
        path: ["task", "list"],
        summary: "list tasks",
        options: [
            .onlyOpen, .onlyDone, .onlyOverdue, .dueBefore, .onlyProtected, .search, .order, .limit,
            .reveal,
        ],
        exclusive: [.onlyOpen, .onlyDone, .onlyOverdue],
        notes: [
            """
            A protected task shows a lock in place of its text. --reveal shows the text; if the verification window has closed, it asks \
            for the passphrase on a terminal. Revealed text is cleared from a terminal when the window closes or the vault is locked.
            """,
            """
            The option --search includes protected text only while verified, and reports the number of tasks that it could not search.
            """,
        ],
        examples: [
            .init("taskvault task", "open tasks, and recently completed ones"),
            .init("taskvault task list --overdue", "overdue tasks"),
            .init("taskvault task list --order name --search milk", "by name"),
            .init("taskvault task list --reveal", "with protected text"),
            .init("taskvault task list --json", "for a program"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let query = try query(context)
        let needle = context.invocation.text(of: .search)
        defer { rememberOrder(context) }
        try context.tasks.withTasks(.reading) { tasks in
            guard context.invocation.has(.reveal) else {
                return try list(query, needle, tasks, context)
            }
            try context.vault.withStore(.reading) { store in
                let shown = try context.vault.verifying(store) {
                    try tasks.list.reveal(query, containing: needle, from: store.secrets)
                }
                try RevealedPage(context, store).show(TaskTable(shown, tasks, context)) { json in
                    try json.tasks(shown, now: tasks.now)
                }
            }
        }
    }

    private static func list(
        _ query: TaskSelection, _ needle: String?, _ tasks: OpenTasks, _ context: CommandContext
    ) throws {
        // A search never asks for a passphrase.
        let vault = needle != nil && context.vault.usesAgent ? try? context.vault.agent() : nil
        let found = try tasks.list.find(query, containing: needle, in: vault)
        if context.console.isJSON {
            try context.console.printJSON { json in
                try json.tasks(found.tasks, now: tasks.now)
            }
        } else {
            try context.console.print(TaskTable(found.tasks, tasks, context))
        }
        try remark(found, query, tasks, context)
    }

    /// Says what a person may miss.
    private static func remark(
        _ found: FoundTasks, _ query: TaskSelection, _ tasks: OpenTasks, _ context: CommandContext
    ) throws {
        if found.unsearched > 0 {
            context.console.notices.warn(
                "not_searched",
                "\(counted(found.unsearched, "protected task")) not searched: "
                    + context.folders.command("verify"))
        }
        guard context.console.isTerminal else { return }
        if found.tasks.isEmpty {
            context.console.notices.remark(
                "no tasks: \(context.folders.command("task add buy milk"))")
        }
        if found.tasks.contains(where: { $0.words == .hidden }) {
            context.console.notices.remark(
                "\(TodoTask.lock) is a protected task: \(context.folders.command("task list --reveal")) shows it"
            )
        }
        guard let limit = query.limit, found.tasks.count == limit else { return }
        let all = try tasks.list.count(query.filter)
        if all > limit, !context.invocation.has(.search) {
            context.console.notices.remark("\(all - limit) more: --limit \(all) shows them")
        }
    }
}

extension ListTasksCommand {
    /// How many a terminal shows unless told otherwise.
    private static let terminalLimit = 200

    private static func query(_ context: CommandContext) throws -> TaskSelection {
        let invocation = context.invocation
        var filter = TaskFilter(isProtected: invocation.has(.onlyProtected) ? true : nil)
        if invocation.has(.onlyOpen) { filter.state = .open }
        if invocation.has(.onlyDone) { filter.state = .done }
        filter.dueBefore = try context.tasks.time(.dueBefore, .start)
        if invocation.has(.onlyOverdue) {
            filter.state = .open
            let now = context.console.surroundings.now()
            filter.dueBefore = filter.dueBefore.map { min($0, now) } ?? now
        }
        let isTerminal = context.console.isTerminal
        return TaskSelection(
            filter, by: try order(context),
            limit: invocation.number(of: .limit)
                ?? (isTerminal && !context.console.isJSON ? terminalLimit : nil))
    }

    /// The order that was asked for, or the remembered one.
    private static func order(_ context: CommandContext) throws -> TaskOrder {
        let setting = Setting.taskOrder
        let remembered = try context.settings.value(of: setting)
        let name = try setting.type.canonical(
            context.invocation.text(of: .order) ?? remembered, of: setting.name,
            hint: context.folders.command("settings set task-order due"))
        return TaskOrder(rawValue: name) ?? .due
    }

    /// Remembers the order that a person asked for; a program's order changes nothing for the person.
    private static func rememberOrder(_ context: CommandContext) {
        guard let order = context.invocation.text(of: .order), context.console.isTerminal,
            (try? context.settings.value(of: .taskOrder)) != order
        else { return }
        do {
            _ = try context.settings.set(.taskOrder, to: order)
        } catch {
            context.console.notices.warn(
                "order_not_remembered",
                "the order is not remembered: \(context.about.failure(error).message)")
        }
    }
}

extension OptionDescription {
    /// Not done.
    static let onlyOpen = OptionDescription("open", "only open tasks")
    /// Done.
    static let onlyDone = OptionDescription("done", "only completed tasks")
    /// Overdue.
    static let onlyOverdue = OptionDescription(
        "overdue", "only overdue tasks")
    /// Due before.
    static let dueBefore = OptionDescription(
        "due-before", .text("WHEN"),
        "only tasks that are due before this time; a day means its start")
    /// Protected.
    static let onlyProtected = OptionDescription(
        "protected", "only protected tasks")
    /// Text.
    static let search = OptionDescription(
        "search", .text("TEXT"),
        "only tasks with this text in name, notes or subtasks, upper or lower case")
    /// Order.
    static let order = OptionDescription(
        "order", .choice("ORDER", TaskOrder.allCases.map(\.rawValue)),
        "the order; on a terminal it is saved as the setting task-order")
    /// How many.
    static let limit = OptionDescription(
        "limit", .number("N", 1...1_000_000),
        "the maximum number of tasks (200 on a terminal if left out)")
}

internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `task list`: lists tasks.
enum ListTasksCommand: Command {
    static let description = CommandDescription(
        path: ["task", "list"],
        summary: "list tasks",
        options: TaskFilterOptions.options + [.order, .limit, .reveal],
        exclusive: TaskFilterOptions.exclusive,
        notes: [
            """
            A protected task shows a lock in place of its text. --reveal shows the text; if the verification window has closed, it asks \
            for the passphrase on a terminal. Revealed text is cleared from a terminal when the window closes or the vault is locked.
            """,
            """
            The option --search includes protected text only while verified, and reports the number of tasks that it could not search.
            """,
            """
            Tasks that wait for their start are left out, unless --waiting asks for them. A longer list than the screen opens in a pager: q closes it.
            """,
            """
            A task is marked concurrent if two devices changed its text at the same time. Protected text that another device has sent, but \
            that waits for a verification here, is shown as arriving.
            """,
        ],
        examples: [
            .init("taskvault task", "open tasks, and recently completed ones"),
            .init("taskvault task list --today --list home", "what is due today in a list"),
            .init("taskvault task list --order name --search milk", "by name"),
            .init("taskvault task list --ready", "what can be done now"),
            .init("taskvault task list --reveal", "with protected text"),
            .init("taskvault task list --json", "for a program"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let options = try TaskFilterOptions(context, .openOrDone)
        let query = try query(options, context)
        try context.tasks.withTasks(.reading) { tasks in
            guard context.invocation.has(.reveal) else {
                return try list(query, options, tasks, context)
            }
            try context.vault.withStore(.reading) { store in
                var found = FoundTasks(
                    tasks: try context.vault.verifying(store) {
                        try tasks.list.reveal(
                            oneMore(query), containing: options.needle, from: store.secrets)
                    })
                let isCut = found.cut(to: query.limit)
                if !found.tasks.isEmpty || context.console.isJSON {
                    let table = try TaskTable(found.tasks, tasks, context)
                    try RevealedPage(context, store).show(table) { json in
                        try json.tasks(
                            found.tasks, now: tasks.moment,
                            marked: context.application.sync.markedTasks())
                    }
                }
                remark(found, options, isCut: isCut, context)
            }
        }
    }

    /// Raises the limit by one, to detect whether there are more tasks.
    private static func oneMore(_ query: TaskSelection) -> TaskSelection {
        var more = query
        more.limit = query.limit.map { $0 + 1 }
        return more
    }

    private static func list(
        _ query: TaskSelection, _ options: TaskFilterOptions, _ tasks: OpenTasks,
        _ context: CommandContext
    ) throws {
        var found = try context.tasks.find(
            oneMore(query), containing: options.needle, in: tasks)
        let isCut = found.cut(to: query.limit)
        if context.console.isJSON {
            try context.console.printJSON { json in
                try json.tasks(
                    found.tasks, now: tasks.moment,
                    marked: context.application.sync.markedTasks())
            }
        } else {
            try context.console.page(try TaskTable(found.tasks, tasks, context).lines)
        }
        remark(found, options, isCut: isCut, context)
    }

    /// Prints remarks about missing and hidden tasks.
    private static func remark(
        _ found: FoundTasks, _ options: TaskFilterOptions, isCut: Bool, _ context: CommandContext
    ) {
        let notices = context.console.notices
        let isChosen = options.areGiven
        if found.tasks.isEmpty, isChosen, !context.console.isJSON {
            notices.remark("no matching tasks")
        }
        guard context.console.isTerminal else { return }
        if found.tasks.isEmpty, !isChosen {
            notices.remark("no tasks: \(context.folders.command("task add buy milk"))")
        }
        if found.tasks.contains(where: { $0.visibility == .hidden }) {
            notices.remark(
                "\(TodoTask.lock) is a protected task: \(context.folders.command("task list --reveal")) shows it"
            )
        }
        if isCut { notices.remark("there are more: --limit \(found.tasks.count * 10) shows more") }
    }
}

extension FoundTasks {
    /// Keeps the first tasks. Returns whether there were more.
    fileprivate mutating func cut(to limit: Int?) -> Bool {
        guard let limit, tasks.count > limit else { return false }
        tasks.removeLast(tasks.count - limit)
        return true
    }
}

extension ListTasksCommand {
    /// The default number of tasks on a terminal.
    private static let terminalLimit = 200

    private static func query(
        _ options: TaskFilterOptions, _ context: CommandContext
    ) throws -> TaskSelection {
        let isTerminal = context.console.isTerminal
        return TaskSelection(
            options.filter, by: try order(context),
            limit: context.invocation.number(of: .limit)
                ?? (isTerminal && !context.console.isJSON ? terminalLimit : nil))
    }

    /// The order from the option, or else from the setting.
    private static func order(_ context: CommandContext) throws -> TaskOrder {
        let setting = StoredSetting.taskOrder
        let usual = try context.settings.value(of: setting)
        let name = try setting.canonical(
            context.invocation.text(of: .order) ?? usual,
            hint: context.folders.command("settings set task-order due"))
        return TaskOrder(rawValue: name) ?? .due
    }
}

extension OptionDescription {
    static let order = OptionDescription(
        "order", .choice("ORDER", TaskOrder.allCases.map(\.rawValue)),
        "the order of this list; the setting task-order is that of all lists")
    static let limit = OptionDescription(
        "limit", .number("N", 1...1_000_000),
        "the maximum number of tasks (200 on a terminal if left out)")
}

internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task list`: lists tasks.
enum ListTasksCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let query = try query(context)
        let needle = context.invocation.text(of: .search)
        defer { context.rememberOrder() }
        try context.withTasks(.reading) { (tasks) throws(CommandFailure) in
            guard context.invocation.has(.reveal) else {
                return try list(query, needle, tasks, context)
            }
            try context.withStore(.reading) { (store) throws(CommandFailure) in
                let shown = try context.verifying(tasks, store) { () throws(TaskListError) in
                    try tasks.list.reveal(query, containing: needle, from: store.secrets)
                }
                try context.showing(TaskTable(shown, tasks, context), store) {
                    (json) throws(OutputError) in
                    try json.tasks(shown, now: tasks.now)
                }
            }
        }
    }

    private static func list(
        _ query: TaskQuery, _ needle: String?, _ tasks: OpenTasks, _ context: CommandContext
    ) throws(CommandFailure) {
        // Nobody is asked for a passphrase to search.
        let vault = needle != nil && context.usesAgent ? try? context.agent() : nil
        let found = try context.explaining(tasks) { () throws(TaskListError) in
            try tasks.list.find(query, containing: needle, in: vault)
        }
        if context.isJSON {
            try context.printJSON { (json) throws(OutputError) in
                try json.tasks(found.tasks, now: tasks.now)
            }
        } else {
            try context.print(TaskTable(found.tasks, tasks, context))
        }
        try remark(found, query, tasks, context)
    }

    /// Says what a person may miss.
    private static func remark(
        _ found: FoundTasks, _ query: TaskQuery, _ tasks: OpenTasks, _ context: CommandContext
    ) throws(CommandFailure) {
        if found.unsearched > 0 {
            context.notices.warn(
                "not_searched",
                "\(counted(found.unsearched, "protected task")) not searched: "
                    + context.folders.command("verify"))
        }
        guard Descriptor.isTerminal(context.surroundings.output) else { return }
        if found.tasks.isEmpty {
            context.notices.remark("no tasks: \(context.folders.command("task add buy milk"))")
        }
        if found.tasks.contains(where: { $0.words == .hidden }) {
            context.notices.remark(
                "\(TodoTask.lock) is a protected task: \(context.folders.command("task list --reveal")) shows it"
            )
        }
        guard let limit = query.limit, found.tasks.count == limit else { return }
        let all = try context.explaining(tasks) { () throws(TaskListError) in
            try tasks.list.count(query.filter)
        }
        if all > limit, !context.invocation.has(.search) {
            context.notices.remark("\(all - limit) more: --limit \(all) shows them")
        }
    }
}

extension ListTasksCommand {
    /// How many a terminal shows unless told otherwise.
    private static let terminalLimit = 200

    private static func query(_ context: CommandContext) throws(CommandFailure) -> TaskQuery {
        let invocation = context.invocation
        var filter = TaskFilter(isProtected: invocation.has(.onlyProtected) ? true : nil)
        if invocation.has(.onlyOpen) { filter.state = .open }
        if invocation.has(.onlyDone) { filter.state = .done }
        filter.dueBefore = try context.time(.dueBefore)
        if invocation.has(.onlyOverdue) {
            filter.state = .open
            let now = context.surroundings.now()
            filter.dueBefore = filter.dueBefore.map { min($0, now) } ?? now
        }
        let isTerminal = Descriptor.isTerminal(context.surroundings.output)
        return TaskQuery(
            filter, by: try context.taskOrder(),
            limit: invocation.number(of: .limit)
                ?? (isTerminal && !context.isJSON ? terminalLimit : nil))
    }
}

extension CommandContext {
    /// The order that was asked for, or the one that was remembered.
    fileprivate func taskOrder() throws(CommandFailure) -> TaskOrder {
        let remembered = try preferences()[.taskOrder]
        guard let order = TaskOrder(rawValue: invocation.text(of: .order) ?? remembered) else {
            throw .usage(
                Preference.taskOrder.explanation,
                hint: folders.command("settings set task-order due"))
        }
        return order
    }

    /// Remembers the order that a person asked for; that a program asks for one changes nothing for the person.
    fileprivate func rememberOrder() {
        guard let order = invocation.text(of: .order), Descriptor.isTerminal(surroundings.output),
            (try? preferences())?[.taskOrder] != order
        else { return }
        do throws(CommandFailure) {
            try set(.taskOrder, to: order)
        } catch {
            notices.warn("order_not_remembered", "the order is not remembered: \(error.message)")
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes tasks as an array.
    mutating func tasks(_ tasks: [ShownTask], now: PointInTime) throws(OutputError) {
        try beginArray()
        for task in tasks { try self.task(task, now: now) }
        try endArray()
    }
}

internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `task done`: marks tasks as done, all of them or none.
enum MarkTasksDoneCommand: Command {
    static let description = CommandDescription(
        path: ["task", "done"],
        summary: "mark tasks as done",
        operands: [.someTasks],
        options: [.withSubtasks] + ChosenTasks.options,
        exclusive: TaskFilterOptions.exclusive,
        notes: [
            """
            A completed task is cleared after the time of the setting clear-after. A task that repeats moves to its next time instead; times \
            that have passed are skipped.
            """,
            """
            The filters choose open tasks, without those that wait for their start; words narrow them. More than three tasks, and --all, are \
            shown with a question, which --yes answers. With --with-subtasks their subtasks are marked, too, for which a protected task \
            requires verification.
            """,
        ],
        examples: [
            .init("taskvault task done k7m 3fx", "two tasks, both or none"),
            .init("taskvault task done milk", "the one open task with milk in its name"),
            .init("taskvault task done --list shopping", "every task of a list"),
            .init(
                "taskvault task done call --overdue --yes",
                "all overdue tasks with call in the name"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let isEvery = context.invocation.has(.everyTask)
        let filters = try TaskFilterOptions(context, .open)
        try context.tasks.withTasks(.changing) { tasks in
            let chosen = try ChosenTasks(
                context.invocation.texts(of: .someTasks), filters, preferringDone: false,
                in: tasks, context)
            guard chosen.requireAny() || context.console.isJSON else { return }
            if !chosen.tasks.isEmpty {
                try chosen.confirm(
                    "mark \(counted(chosen.tasks.count, "open task")) as done",
                    lines: chosen.lines)
            }
            try confirmEnds(
                of: chosen.tasks.filter { !$0.isDone && $0.endsForeignRepetition }, context)
            let changed = try finish(chosen.tasks, tasks, context)
            if isEvery {
                try context.report(
                    count: changed.count, "\(counted(changed.count, "task")) marked as done")
            } else {
                try context.report("done", changed.map(\.task), tasks)
            }
            warn(ofSkipped: changed, context)
            try remark(onBlocked: chosen.tasks, tasks, context)
        }
    }

    /// Asks before a task is done that repeats in the program from which it was imported.
    private static func confirmEnds(of series: [TodoTask], _ context: CommandContext) throws {
        guard let first = series.first else { return }
        let subject = series.count == 1 ? "task \(first.id.text)" : counted(series.count, "task")
        try context.console.requireConsent(
            to: "end the repetition of \(subject)",
            "\(subject): it repeats in another program, by a rule that is not supported here. End all of it?"
        )
    }

    private static func finish(
        _ found: [TodoTask], _ tasks: OpenTasks, _ context: CommandContext
    ) throws -> [(task: TodoTask, hasSkipped: Bool)] {
        let isWithSubtasks = context.invocation.has(.withSubtasks)
        var ready = found
        if isWithSubtasks, found.contains(where: \.isProtected) {
            // The database does not contain the open subtasks of protected tasks.
            try context.vault.withStore(.reading) { store in
                ready = try context.vault.verifying(store) {
                    try tasks.list.withAllSubtaskRows(found, from: store.secrets)
                }
            }
        }
        return try tasks.list.finish(
            ready, withSubtasks: isWithSubtasks, in: context.tasks.calendar)
    }

    /// Remarks that a task was done before one that precedes it.
    private static func remark(
        onBlocked done: [TodoTask], _ tasks: OpenTasks, _ context: CommandContext
    ) throws {
        let blockers = try tasks.list.blockers(of: done)
        for task in done {
            guard let open = blockers[task.id] else { continue }
            context.console.notices.remark(
                "task \(task.id.text) comes after \(open.map(\.text).joined(separator: ", ")), which is open"
            )
        }
    }

    private static func warn(
        ofSkipped changed: [(task: TodoTask, hasSkipped: Bool)], _ context: CommandContext
    ) {
        let ids = changed.filter(\.hasSkipped).map(\.task.id.text)
        guard let first = ids.first else { return }
        let subject = ids.count == 1 ? "task \(first)" : "\(ids.count) tasks"
        context.console.notices.warn(
            "times_skipped", "\(subject): times of the repetition that have passed were skipped")
    }
}

/// `task undone`: marks tasks as not done.
enum MarkTasksUndoneCommand: Command {
    static let description = CommandDescription(
        path: ["task", "undone"],
        summary: "mark tasks as not done",
        operands: [.tasks],
        options: [.withSubtasks],
        examples: [.init("taskvault task undone k7m", "open it again")],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasks(.changing) { tasks in
            let found = try context.tasks.tasks(
                context.invocation.texts(of: .tasks), preferringDone: true, in: tasks)
            let changed = try tasks.list.reopen(
                found, withSubtasks: context.invocation.has(.withSubtasks))
            try context.report("not done", changed, tasks)
        }
    }
}

extension OptionDescription {
    static let withSubtasks = OptionDescription("with-subtasks", "their subtasks, too")
}

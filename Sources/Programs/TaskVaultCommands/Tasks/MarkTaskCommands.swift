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
        options: [.withSubtasks, .everyTask] + TaskFilterOptions.options + [.yes],
        notes: [
            """
            A completed task is cleared after the time of the setting clear-after. A task that repeats moves to its next time instead; times \
            that have passed are skipped.
            """,
            """
            With --all every open task is marked that the other options choose, without those that wait for their start; asks on a terminal. With --with-subtasks their subtasks are marked, \
            too, for which a protected task requires verification.
            """,
        ],
        examples: [
            .init("taskvault task done k7m 3fx", "two tasks, both or none"),
            .init("taskvault task done milk", "the one open task with milk in its name"),
            .init("taskvault task done --all --list shopping", "every task of a list"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let options = try TaskFilterOptions(context, .open)
        let typed = context.invocation.texts(of: .someTasks)
        let isEvery = context.invocation.has(.everyTask)
        guard isEvery != !typed.isEmpty else {
            throw Failure.usage(
                isEvery ? "--all and an ID exclude each other" : "missing ID",
                hint: context.folders.command("task done ID, or task done --all"))
        }
        guard isEvery || !options.areGiven else {
            throw Failure.usage(
                "a filter chooses among all tasks", hint: context.folders.command("task done --all")
            )
        }
        try context.tasks.withTasks(.changing) { tasks in
            let found =
                isEvery
                ? try chosen(options, tasks, context)
                : try context.tasks.tasks(typed, preferringDone: false, in: tasks)
            if isEvery, !found.isEmpty {
                try context.console.requireConsent(to: "mark these tasks as done") { prompt in
                    try prompt.confirm("Mark \(counted(found.count, "open task")) as done?")
                }
            }
            try confirmEnds(of: found.filter { !$0.isDone && $0.hasForeignRepetition }, context)
            let changed = try finish(found, tasks, context)
            if isEvery, changed.isEmpty, !context.console.isJSON {
                return context.console.notices.remark("no matching tasks")
            }
            if isEvery {
                try context.report(
                    count: changed.count, "\(counted(changed.count, "task")) marked as done")
            } else {
                try context.report("done", changed.map(\.task), tasks)
            }
            warn(ofSkipped: changed, context)
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

    private static func chosen(
        _ options: TaskFilterOptions, _ tasks: OpenTasks, _ context: CommandContext
    ) throws -> [TodoTask] {
        try context.tasks.find(
            TaskSelection(options.filter, by: .created), containing: options.needle, in: tasks
        )
        .tasks.map(\.task)
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

extension OperandDescription {
    static let someTasks = OperandDescription(
        "ID", .stored(.task),
        "the task's id, a unique beginning of it, or a part of its public name",
        count: 0...1_000)
}

extension OptionDescription {
    static let everyTask = OptionDescription(
        "all", "all open tasks that the other options choose")
    static let withSubtasks = OptionDescription("with-subtasks", "their subtasks, too")
}

internal import Application
internal import CommandLine
internal import Tasks

/// The tasks that the ids, words and filters of a command choose.
///
/// Without filters, each id or word means one task. With filters, the words narrow the tasks that match.
struct ChosenTasks {
    /// The options of the commands that change chosen tasks.
    static let options = [OptionDescription.everyTask] + TaskFilterOptions.options + [.yes]
    /// The number of tasks that are changed without a question.
    private static let unasked = 3
    /// The number of tasks that a question names.
    private static let named = 20

    /// The tasks, each once.
    let tasks: [TodoTask]
    /// Whether one id or word chose the task.
    let isSingle: Bool
    private let isEvery: Bool
    private let context: CommandContext

    /// Finds the tasks.
    ///
    /// - Parameters:
    ///   - typed: The ids and words.
    ///   - filters: The options.
    ///   - isDone: The state to prefer among several tasks that a word means.
    ///   - tasks: The list.
    ///   - context: The command.
    /// - Throws: A failure if nothing chooses a task, or a word means none.
    init(
        _ typed: [String], _ filters: TaskFilterOptions, preferringDone isDone: Bool? = nil,
        in tasks: OpenTasks, _ context: CommandContext
    ) throws {
        self.context = context
        isEvery = context.invocation.has(.everyTask)
        isSingle = typed.count == 1 && !filters.areGiven && !isEvery
        guard filters.areGiven || isEvery else {
            guard !typed.isEmpty else {
                let name = context.invocation.command.name
                throw Failure.usage(
                    "missing ID", hint: context.folders.command("\(name) ID, or \(name) --overdue"))
            }
            self.tasks = try context.tasks.tasks(typed, preferringDone: isDone, in: tasks)
            return
        }
        let found = try context.tasks.find(
            TaskSelection(filters.filter), containing: filters.needle, in: tasks
        ).tasks.map(\.task)
        self.tasks = typed.isEmpty ? found : try TaskList.narrow(found, to: typed)
    }

    /// Reports that filters chose no task.
    ///
    /// - Returns: Whether there is any.
    func requireAny() -> Bool {
        if tasks.isEmpty, !context.console.isJSON {
            context.console.notices.remark("no matching tasks")
        }
        return !tasks.isEmpty
    }

    /// Shows the changes and asks, if there are more than three or `--all` is given.
    ///
    /// - Parameters:
    ///   - action: The action with its subject, such as `mark 4 tasks as done`.
    ///   - lines: The lines of the changes, as many as tasks.
    /// - Throws: A failure if the person declines, or cannot be asked.
    func confirm(_ action: String, lines: [String]) throws {
        guard isEvery || lines.count > Self.unasked else { return }
        try ask(action, lines: lines)
    }

    /// Shows the changes and asks in any case.
    func ask(_ action: String, lines: [String]) throws {
        try context.console.requireConsent(to: action) { prompt in
            for line in lines.prefix(Self.named) { try prompt.say(line) }
            if lines.count > Self.named {
                try prompt.say("and \(lines.count - Self.named) more")
            }
            return try prompt.confirm(action.prefix(1).uppercased() + action.dropFirst() + "?")
        }
    }

    /// The tasks as lines: id and name.
    var lines: [String] { tasks.map { $0.id.text + "  " + $0.shownName } }

    /// Prints the result: of one named task a line or an object, of others lines or an array.
    func report(_ done: String, _ changed: [TodoTask], _ tasks: OpenTasks) throws {
        guard isSingle, let task = changed.first else {
            return try context.report(done, changed, tasks)
        }
        try context.report(done, task, tasks)
    }
}

extension TodoTask {
    /// The changes of an edit, for a question: `k7m2qx  call Ada  (due fri 2026-11-27 18:00 -> mon 2026-11-30)`.
    func changes(
        to edited: TodoTask, now: PointInTime, in calendar: some LocalCalendar
    ) -> String {
        let (old, new) = (facts(now: now, in: calendar), edited.facts(now: now, in: calendar))
        func text(_ title: String, in facts: [(String, String)]) -> String? {
            facts.first { $0.0 == title }?.1
        }
        var titles: [String] = []
        for (title, _) in old + new where !titles.contains(title) { titles.append(title) }
        let changes = titles.compactMap { title -> String? in
            let (before, after) = (text(title, in: old), text(title, in: new))
            if before == after { return nil }
            return "  (\(title) \(before ?? "none") -> \(after ?? "none"))"
        }
        let order = edited.dependencies.map(\.text).joined(separator: ", ")
        let isMoved = dependencies != edited.dependencies
        return id.text + "  " + shownName + changes.joined()
            + (isMoved ? "  (after \(order.isEmpty ? "none" : order))" : "")
    }
}

extension OperandDescription {
    static let someTasks = OperandDescription(
        "ID", .stored(.task),
        "the task's id, a unique beginning of it, or a part of its public name; with a filter, all that match",
        count: 0...1_000)
}

extension OptionDescription {
    static let everyTask = OptionDescription(
        "all", "all open tasks that the other options choose")
}

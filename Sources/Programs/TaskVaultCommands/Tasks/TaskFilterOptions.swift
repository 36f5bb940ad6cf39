internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

/// The options that select tasks. A task must match all given options.
struct TaskFilterOptions {
    /// The options of a list, and of commands that change the chosen tasks.
    static let options: [OptionDescription] = states + labels + times
    /// The options of a command whose options `--list` and `--tag` change tasks, too.
    static let others: [OptionDescription] = states + times
    private static let states: [OptionDescription] = [.onlyOpen, .onlyDone]
    private static let times: [OptionDescription] = [
        .onlyOverdue, .today, .week, .dueBefore, .waiting, .ready, .blocked, .onlyProtected,
        .search,
    ]
    /// Options of which at most one is allowed.
    static let exclusive: [OptionDescription] = states + [.waiting, .ready, .blocked]
    private static let labels: [OptionDescription] = [.onlyList, .onlyTag]

    private(set) var filter: TaskFilter
    /// The text that tasks must contain; nil for any text.
    let needle: String?
    /// Whether an option was given.
    let areGiven: Bool

    /// Reads the options of a command.
    ///
    /// - Parameters:
    ///   - context: The command.
    ///   - state: Whether the tasks are done, unless an option says so.
    ///   - hasLabels: Whether `--list` and `--tag` choose tasks, and do not change them.
    ///   - isProtected: Whether the tasks are protected, unless an option says so; nil for both.
    /// - Throws: A failure for a time that cannot be read, and for `--done` with an option that chooses open tasks.
    init(
        _ context: CommandContext, _ state: TaskFilter.State, hasLabels: Bool = true,
        isProtected: Bool? = nil
    ) throws {
        let invocation = context.invocation
        let now = context.console.surroundings.now()
        let calendar = context.tasks.calendar
        let moment = CalendarMoment(now, in: calendar)
        let given = ((hasLabels ? Self.labels : []) + Self.others).filter {
            invocation.takes($0) && invocation.has($0)
        }
        func has(_ option: OptionDescription) -> Bool { given.contains(option) }
        needle = has(.search) ? invocation.text(of: .search) : nil
        areGiven = !given.isEmpty
        filter = TaskFilter(
            state, isProtected: has(.onlyProtected) ? true : isProtected,
            start: has(.waiting) ? .after(moment) : .by(moment))
        if hasLabels {
            filter.labels = invocation.texts(of: .onlyTag).map { .tag($0) }
            if let list = invocation.text(of: .onlyList) { filter.labels.append(.list(list)) }
        }
        if has(.ready) || has(.blocked) { filter.isBlocked = has(.blocked) }
        var ends: [PointInTime] = []
        if let time = try context.time(.dueBefore) { ends.append(time.start(in: calendar)) }
        if has(.onlyOverdue) { ends.append(now) }
        for (option, day) in [(OptionDescription.today, "eod"), (.week, "eow")] where has(option) {
            ends.append(try context.tasks.time(typed: day, as: day).end(in: calendar))
        }
        filter.dueBefore = ends.min().map { CalendarMoment($0, in: calendar) }
        let areOpen = [.onlyOpen, .onlyOverdue, .today, .week, .waiting, .ready, .blocked].contains
        {
            has($0)
        }
        guard !areOpen || !has(.onlyDone) else {
            throw Failure.usage(
                "--done excludes --overdue, --today and --week, which choose open tasks",
                hint: context.folders.command("task list --done --due-before tomorrow"))
        }
        if areOpen || has(.onlyDone) { filter.state = areOpen ? .open : .done }
    }
}

extension OptionDescription {
    static let onlyOpen = OptionDescription("open", "only open tasks")
    static let onlyDone = OptionDescription("done", "only completed tasks")
    static let onlyList = OptionDescription(
        "list", .stored("NAME", .list), "only tasks of this list")
    static let onlyTag = OptionDescription(
        "tag", .stored("TAG", .tag), "only tasks with this tag; may be given several times",
        isRepeated: true)
    static let onlyOverdue = OptionDescription("overdue", "only open tasks that are overdue")
    static let today = OptionDescription("today", "only open tasks that are due today or overdue")
    static let week = OptionDescription(
        "week", "only open tasks that are due by Sunday or overdue")
    static let dueBefore = OptionDescription(
        "due-before", .text("WHEN"),
        "only tasks that are due before this time; a day means its start")
    static let waiting = OptionDescription("waiting", "only tasks that wait for their start")
    static let ready = OptionDescription(
        "ready", "only open tasks that no other open task precedes")
    static let blocked = OptionDescription(
        "blocked", "only open tasks that another open task precedes (--after)")
    static let onlyProtected = OptionDescription("protected", "only protected tasks")
    static let search = OptionDescription(
        "search", .text("TEXT"),
        "only tasks with this text in name, notes or subtasks, upper or lower case")
}

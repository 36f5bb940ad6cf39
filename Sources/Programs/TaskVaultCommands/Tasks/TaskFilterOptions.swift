internal import Application
internal import CommandLine
internal import Tasks

/// The options that select tasks. A task must match all given options.
struct TaskFilterOptions {
    /// The options of a list and of `task done --all`.
    static let options: [OptionDescription] = [
        .onlyList, .onlyTag, .onlyOverdue, .today, .week, .dueBefore, .onlyProtected, .search,
    ]

    private(set) var filter: TaskFilter
    /// The text that tasks must contain; nil for any text.
    let needle: String?
    /// Whether an option was given.
    let areGiven: Bool
    /// Whether an option selects open tasks only.
    let areOfOpenTasks: Bool

    /// Reads the options of a command.
    init(_ context: CommandContext, _ state: TaskFilter.State) throws {
        let invocation = context.invocation
        let now = context.console.surroundings.now()
        let calendar = context.tasks.calendar
        needle = invocation.text(of: .search)
        areGiven = Self.options.contains { invocation.has($0) }
        filter = TaskFilter(
            state, isProtected: invocation.has(.onlyProtected) ? true : nil,
            start: .by(CalendarMoment(now, in: calendar)))
        filter.labels = invocation.texts(of: .onlyTag).map { .tag($0) }
        if let list = invocation.text(of: .onlyList) { filter.labels.append(.list(list)) }
        var ends: [PointInTime] = []
        if let time = try context.time(.dueBefore) { ends.append(time.start(in: calendar)) }
        if invocation.has(.onlyOverdue) { ends.append(now) }
        for (option, day) in [(OptionDescription.today, "eod"), (.week, "eow")]
        where invocation.has(option) {
            ends.append(try context.tasks.time(typed: day, as: day).end(in: calendar))
        }
        filter.dueBefore = ends.min().map { CalendarMoment($0, in: calendar) }
        areOfOpenTasks = [.onlyOverdue, .today, .week].contains { invocation.has($0) }
        if areOfOpenTasks { filter.state = .open }
    }
}

extension OptionDescription {
    static let onlyList = OptionDescription("list", .text("NAME"), "only tasks of this list")
    static let onlyTag = OptionDescription(
        "tag", .text("TAG"), "only tasks with this tag; may be given several times",
        isRepeated: true)
    static let onlyOverdue = OptionDescription("overdue", "only open tasks that are overdue")
    static let today = OptionDescription("today", "only open tasks that are due today or overdue")
    static let week = OptionDescription(
        "week", "only open tasks that are due by Sunday or overdue")
    static let dueBefore = OptionDescription(
        "due-before", .text("WHEN"),
        "only tasks that are due before this time; a day means its start")
    static let onlyProtected = OptionDescription("protected", "only protected tasks")
    static let search = OptionDescription(
        "search", .text("TEXT"),
        "only tasks with this text in name, notes or subtasks, upper or lower case")
}

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
        needle = invocation.text(of: .search)
        areGiven = Self.options.contains { invocation.has($0) }
        filter = TaskFilter(
            state, isProtected: invocation.has(.onlyProtected) ? true : nil, start: .by(now))
        filter.labels = invocation.texts(of: .onlyTag).map { .tag($0) }
        if let list = invocation.text(of: .onlyList) { filter.labels.append(.list(list)) }
        var ends: [PointInTime] = []
        if let time = try context.time(.dueBefore, .start) { ends.append(time) }
        if invocation.has(.onlyOverdue) { ends.append(now) }
        if invocation.has(.today) { ends.append(try Self.end("eod", context)) }
        if invocation.has(.week) { ends.append(try Self.end("eow", context)) }
        filter.dueBefore = ends.min()
        areOfOpenTasks = [.onlyOverdue, .today, .week].contains { invocation.has($0) }
        if areOfOpenTasks { filter.state = .open }
    }

    /// Parses a time, and returns the first moment after its minute.
    private static func end(_ text: String, _ context: CommandContext) throws -> PointInTime {
        let minute = try context.tasks.time(typed: text, as: text, .end)
        return minute.advanced(by: .seconds(60))
    }
}

extension OptionDescription {
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
    static let onlyProtected = OptionDescription("protected", "only protected tasks")
    static let search = OptionDescription(
        "search", .text("TEXT"),
        "only tasks with this text in name, notes or subtasks, upper or lower case")
}

internal import Application
internal import CommandLine
internal import Tasks

/// `task stats`: shows the numbers of completed and of open tasks.
enum TaskStatisticsCommand: Command {
    static let description = CommandDescription(
        path: ["task", "stats"],
        summary: "show how many tasks were completed, and how many are open",
        options: [.days],
        examples: [
            .init("taskvault task stats", "the past two weeks"),
            .init("taskvault task stats --days 7 --json", "for a program"),
        ],
        exitCodes: .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let days = context.invocation.number(of: .days) ?? 14
        try context.tasks.withTasks(.reading) { tasks in
            let statistics = try tasks.list.statistics(days: days, in: context.tasks.calendar)
            if context.console.isJSON { return try printJSON(statistics, context) }
            try context.console.print(StatisticsPage(statistics))
        }
    }

    private static func printJSON(
        _ statistics: TaskStatistics, _ context: CommandContext
    ) throws {
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("completed_past_24_hours", statistics.completedLately)
            try json.member("open", statistics.open)
            try json.member("overdue", statistics.overdue)
            try json.member("protected", statistics.protected)
            try json.key("days")
            try json.beginArray()
            for day in statistics.days {
                try json.beginObject()
                try json.member("date", TimeText.text(day.date))
                try json.member("completed", day.completed)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
        }
    }
}

/// Statistics as lines: counts, and a bar for each day.
private struct StatisticsPage: Page {
    let command = "task stats"
    private let statistics: TaskStatistics

    init(_ statistics: TaskStatistics) {
        self.statistics = statistics
    }

    func lines(_ capabilities: TerminalCapabilities) -> [String] {
        let counts = [
            ("completed in the past 24 hours", statistics.completedLately),
            ("open", statistics.open), ("overdue", statistics.overdue),
            ("protected", statistics.protected),
        ]
        let chart = BarChart(
            statistics.days.filter { $0.completed > 0 }.map {
                BarChart.Bar(TimeText.text($0.date), $0.completed)
            })
        let numbers = counts.map { TextWidth.pad($0.0, to: 31) + String($0.1) }
        guard statistics.days.contains(where: { $0.completed > 0 }) else { return numbers }
        return numbers + [""]
            + chart.lines(limit: capabilities.columns ?? 80, isUnicode: capabilities.hasUnicode)
    }
}

extension OptionDescription {
    static let days = OptionDescription(
        "days", .number("N", 1...366), "the number of days in the chart", standard: "14")
}

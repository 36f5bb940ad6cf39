internal import CommandLine
internal import Tasks

/// `task stats`: tells what was done, and what is left.
enum TaskStatisticsCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let days = context.invocation.number(of: .days) ?? 28
        try context.withTasks(.reading) { (tasks) throws(CommandFailure) in
            let statistics = try context.explaining(tasks) { () throws(TaskListError) in
                try tasks.list.statistics(days: days, in: context.calendar)
            }
            if context.isJSON { return try printJSON(statistics, context) }
            try context.print(StatisticsPage(statistics))
        }
    }

    private static func printJSON(
        _ statistics: TaskStatistics, _ context: CommandContext
    ) throws(CommandFailure) {
        try context.printJSON { (json) throws(OutputError) in
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
            statistics.days.map { BarChart.Bar(TimeText.text($0.date), $0.completed) })
        return counts.map { TextWidth.pad($0.0, to: 31) + String($0.1) } + [""]
            + chart.lines(limit: capabilities.columns ?? 80, isUnicode: capabilities.hasUnicode)
    }
}

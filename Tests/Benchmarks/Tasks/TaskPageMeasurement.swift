internal import Tasks

/// The first page of the list in each order, against the same SELECT and those of the subtasks, and against a list of 100 tasks.
///
/// With two filters, the same tasks are found among 100 and among 100,000.
enum TaskPageMeasurement {
    private static let limit = 50
    private static let batch = 20

    static func run(_ effort: Effort, _ files: TaskFiles, into table: inout Table) throws {
        let large = try files.openLarge()
        let small = try files.openSmall()
        let bare = try BareTasks(files.large)
        defer {
            large.close()
            small.close()
        }
        // As `task list` asks.
        let shown = TaskFilter(start: .by(TaskSample.moment))
        for order in TaskOrder.allCases {
            let query = TaskSelection(shown, by: order, limit: limit)
            try requireSameAnswers(large, bare, query)
            let product = { (file: TaskFile) throws -> Double in
                try Clock.time(per: batch) {
                    for _ in 0..<batch {
                        guard try file.list.tasks(query).count == limit else {
                            throw BenchmarkFailure("a short page")
                        }
                    }
                }
            }
            let ratio = try PairedTimes.measure(rounds: effort.rounds) {
                try product(large)
            } _: {
                try Clock.time(per: batch) {
                    for _ in 0..<batch {
                        guard try bare.page(order, limit: limit).ids.count == limit else {
                            throw BenchmarkFailure("a short page")
                        }
                    }
                }
            }
            let growth = try PairedTimes.measure(rounds: effort.rounds) {
                try product(large)
            } _: {
                try product(small)
            }
            let name = "first page by \(order.rawValue), 100,000 tasks"
            table.add(name, ratio, against: "bare SELECTs, \(limit) rows")
            table.add(name, growth, against: "the same of 100", aim: 1.2)
            var filtered = query
            filtered.filter.labels = [.list(TaskSample.list), .tag(TaskSample.tag)]
            let chosen = { (file: TaskFile) throws -> Double in
                try Clock.time(per: batch) {
                    for _ in 0..<batch {
                        guard try file.list.tasks(filtered).count == limit else {
                            throw BenchmarkFailure("a short page")
                        }
                    }
                }
            }
            let chosenGrowth = try PairedTimes.measure(rounds: effort.rounds) {
                try chosen(large)
            } _: {
                try chosen(small)
            }
            table.add(
                "\(name), of a list and a tag", chosenGrowth, against: "the same of 100", aim: 1.2)
        }
        try unsafe Work.requireSame(
            "page", large.connection, bare.database, Work.allOfTasks)
    }

    private static func requireSameAnswers(
        _ file: TaskFile, _ bare: BareTasks, _ query: TaskSelection
    ) throws {
        let page = try bare.page(query.order, limit: limit)
        let found = try file.list.tasks(query)
        let ids = found.map { task in Array(task.id.text.utf8).reduce(0) { $0 << 8 | UInt64($1) } }
        let subtasks = found.reduce(0) { $0 + ($1.plainText?.subtasks.count ?? 0) }
        guard ids == page.ids, subtasks == page.subtasks else {
            throw BenchmarkFailure("product and baseline found different tasks")
        }
    }
}

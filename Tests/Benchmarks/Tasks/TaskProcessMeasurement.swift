internal import VaultAgent
internal import VaultCore

/// Commands as whole processes, against `/bin/true`.
enum TaskProcessMeasurement {
    static func run(
        _ effort: Effort, _ files: TaskFiles, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let small = try folder.makeFolder("task-home-small")
        _ = try folder.copy(files.small, to: "task-home-small/tasks.db")
        let large = try folder.makeFolder("task-home-large")
        _ = try folder.copy(files.large, to: "task-home-large/tasks.db")
        try measure(effort, "task list of 100", small, [], into: &table)
        let page = ["--limit", "50"]
        try measure(effort, "task list --limit 50 of 100,000", large, page, into: &table)
        let growth = try PairedTimes.measure(rounds: effort.rounds * 2) {
            try list(large, page)
        } _: {
            try list(small, page)
        }
        table.add("task list --limit 50 of 100,000", growth, against: "the same of 100", aim: 1.5)
        let whole = try (0..<effort.slowRounds).map { _ in try list(large, []) }
        table.add(
            "task list, all of 100,000",
            .itemsPerSecond(Double(Benchmarks.largeCount) / whole.median * 1e9))
        try withAgent(effort, files, in: folder, into: &table)
    }

    /// The same beside an agent that has a vault unlocked.
    private static func withAgent(
        _ effort: Effort, _ files: TaskFiles, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let vault = try BenchmarkVault("task-process.db", in: folder)
        try vault.setCost(AgentMeasurement.cost)
        let home = try AgentHome(of: vault, in: folder, named: "task-home-agent")
        defer { home.end() }
        _ = try folder.copy(files.small, to: "task-home-agent/tasks.db")
        try home.client().unlock(with: .passphrase(try BenchmarkVault.passphrase()))
        try measure(effort, "task list of 100, with an agent", home.path, [], into: &table)
    }

    private static func measure(
        _ effort: Effort, _ name: String, _ home: String, _ options: [String],
        into table: inout Table
    ) throws {
        let times = try PairedTimes.measure(rounds: effort.rounds * 5) {
            try list(home, options)
        } _: {
            try Child.time(["/bin/true"])
        }
        table.add(name, times, against: "/bin/true")
        table.add(
            "  more than /bin/true", .time(times.first.median - times.second.median),
            atMost: .time(10e6))
    }

    private static func list(_ home: String, _ options: [String]) throws -> Double {
        try Child.time([TaskVaultExecutable.path, "--home", home, "task", "list"] + options)
    }
}

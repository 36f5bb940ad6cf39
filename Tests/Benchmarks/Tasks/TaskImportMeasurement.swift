internal import Platform
internal import Tasks
internal import TextCoding

/// 100,000 tasks taken in at once: by the list against bare inserts of the same rows in the same order, and by the command from a file.
enum TaskImportMeasurement {
    static func run(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws -> TaskFiles {
        var shuffle = Shuffle()
        let tasks = TaskSample.tasks(0..<Benchmarks.largeCount, using: &shuffle)
        let empty = folder.path(of: "tasks-empty.db")
        try TaskFile(empty, count: 0).close()
        var times = PairedTimes()
        var large = ""
        for round in 0..<max(1, effort.slowRounds / 3) {
            large = try folder.copy(empty, to: "tasks-\(round).db")
            let bare = try folder.copy(empty, to: "tasks-\(round)-bare.db")
            let file = try TaskFile(large, count: Benchmarks.largeCount)
            defer { file.close() }
            let time = try Clock.time { try file.list.insert(tasks) }
            times.add(time, try repeatBare(file, bare))
        }
        table.add("import of 100,000 tasks", times, against: "bare insert, one transaction")
        let small = try folder.copy(empty, to: "tasks-small.db")
        let file = try TaskFile(small, count: TaskFiles.smallCount)
        try file.list.insert(Array(tasks.prefix(TaskFiles.smallCount)))
        file.close()
        try command(effort, tasks, in: folder, into: &table)
        return TaskFiles(small: small, large: large)
    }

    /// Inserts what the product inserted into a file as it was before.
    private static func repeatBare(_ file: TaskFile, _ path: String) throws -> Double {
        // The newest is the first one that was inserted.
        let inserted = try file.list.tasks(TaskSelection(by: .created))
        guard inserted.count == file.count else { throw BenchmarkFailure("a short list") }
        let reader = try StoredTaskReader(file.path, isFinal: true)
        let stored = try inserted.map { try reader.read($0.id, completedAt: $0.completion?.time) }
        let bare = try BareTasks(path)
        let time = try Clock.time { try bare.insert(stored) }
        try unsafe Work.requireSame(
            "import of tasks", file.connection, bare.database, Work.allOfTasks)
        return time
    }

    /// `task import` of a file, as a whole process.
    private static func command(
        _ effort: Effort, _ tasks: [TodoTask], in folder: ScratchFolder, into table: inout Table
    ) throws {
        let path = folder.path(of: "tasks.json")
        var bytes: [UInt8] = []
        let exported = tasks.map { ExchangedTask($0) }
        bytes = try TaskExport.write(
            exported, as: .taskVault, in: SystemCalendar(), to: ByteBuffer()
        ).bytes
        try folder.save(bytes, as: "tasks.json")
        let times = try (0..<max(1, effort.slowRounds / 3)).map { round in
            let home = try folder.makeFolder("import-home-\(round)")
            return try Child.time([
                TaskVaultExecutable.path, "--home", home, "task", "import", path,
            ])
        }
        table.add(
            "task import of a file of 100,000",
            .itemsPerSecond(Double(tasks.count) / times.median * 1e9),
            atLeast: .itemsPerSecond(20_000))
    }
}

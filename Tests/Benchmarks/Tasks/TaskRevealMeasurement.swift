internal import SecretMemory
internal import SecureStorage
internal import Tasks
internal import VaultAgent
internal import VaultCore

/// Text of protected tasks, from the vault itself and through its agent: shown, searched, and moved there.
enum TaskRevealMeasurement {
    private static let count = 10_000
    private static let shownCount = 1_000

    static func run(_ effort: Effort, in folder: ScratchFolder, into table: inout Table) throws {
        let vault = try BenchmarkVault("text.db", in: folder)
        try vault.setCost(AgentMeasurement.cost)
        let file = try TaskFile(folder.path(of: "tasks-protected.db"), count: count)
        defer { file.close() }
        let names = try fill(vault, file)
        let home = try AgentHome(of: vault, in: folder, named: "text-home")
        defer { home.end() }
        let client = try home.client()
        try client.unlock(with: .passphrase(try BenchmarkVault.passphrase()))
        let bare = try BareText(vault, file, names)
        try vault.withOpen { open in
            try open.verifyAll()
            let stores: [(String, any SecureStore)] = [("", open.vault), (", agent", client)]
            for (how, store) in stores {
                try reveal(effort, how, file, store, bare, into: &table)
            }
            for (how, store) in stores { try search(effort, how, file, store, into: &table) }
            // From here on the list grows.
            for (how, store) in stores { try protect(how, file, store, into: &table) }
            try unsafe Work.requireSame(
                "reveal", open.connection, bare.vault, [.header, .items, .buckets, .state])
            try unsafe Work.requireSame(
                "reveal", file.connection, bare.tasks.database, Work.allOfTasks)
        }
    }

    /// Makes protected tasks, all at once.
    ///
    /// - Returns: The names of their text in the order in which they are listed.
    private static func fill(_ vault: BenchmarkVault, _ file: TaskFile) throws -> [SecretName] {
        var shuffle = Shuffle()
        var tasks = TaskSample.tasks(0..<count, using: &shuffle)
        for index in tasks.indices {
            tasks[index].completion = nil
            tasks[index].content = .protected(
                ProtectedTextID(of: tasks[index].id, number: shuffle.next()))
        }
        let names = tasks.compactMap { $0.textID.map { ProtectedText.name(of: $0) } }
        try vault.fill(names, SecretAttributes(accessClass: .afterVerification)) {
            (number) throws(SecureStoreError) in
            do {
                return try ProtectedText.encode(TaskSample.text(number))
            } catch {
                throw .unavailable(.outOfMemory, detail: "out of guarded memory")
            }
        }
        try file.list.insert(tasks)
        return names
    }

    private static func reveal(
        _ effort: Effort, _ how: String, _ file: TaskFile, _ store: any SecureStore,
        _ bare: BareText, into table: inout Table
    ) throws {
        let query = TaskSelection(by: .created, limit: shownCount)
        let times = try PairedTimes.measure(rounds: effort.rounds) {
            var shown: [ShownTask] = []
            let time = try Clock.time { shown = try file.list.reveal(query, from: store) }
            for (number, task) in shown.enumerated() where task.text != TaskSample.text(number) {
                throw BenchmarkFailure("wrong text")
            }
            return time
        } _: {
            try Clock.time { try bare.open(shownCount) }
        }
        table.add(
            "1,000 protected tasks shown\(how)", times, against: "bare SELECTs + 2 opens each",
            aim: how.isEmpty ? 2 : nil)
    }

    private static func search(
        _ effort: Effort, _ how: String, _ file: TaskFile, _ store: any SecureStore,
        into table: inout Table
    ) throws {
        let times = try (0..<effort.slowRounds).map { _ in
            try Clock.time {
                let found = try file.list.find(
                    TaskSelection(by: .created), containing: "Neighbours 0004711", in: store)
                guard found.tasks.count == 1, found.unsearched == 0 else {
                    throw BenchmarkFailure("the search found \(found.tasks.count)")
                }
            }
        }
        table.add("search of 10,000 protected tasks\(how)", .time(times.median), atMost: .time(1e9))
    }

    /// `task protect` of 1,000 tasks beside the others.
    private static func protect(
        _ how: String, _ file: TaskFile, _ store: any SecureStore, into table: inout Table
    ) throws {
        let times = try (0..<3).map { _ in
            try file.list.insert((0..<shownCount).map { TaskSample.task($0) })
            let tasks = try file.list.tasks(
                TaskSelection(TaskFilter(.open, isProtected: false), limit: shownCount))
            return try Clock.time { try file.list.protect(tasks, in: store) }
        }
        table.add("1,000 tasks protected at once\(how)", .time(times.median), atMost: .time(1e9))
    }
}

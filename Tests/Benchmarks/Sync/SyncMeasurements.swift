internal import CSQLite
internal import SecretMemory
internal import SecureStorage
internal import Tasks
internal import VaultCore

/// Two homes that exchange changes through a folder, and what sync costs other commands.
enum SyncMeasurements {
    static let count = 10_000

    static func run(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        try firstExchange(in: folder, into: &table)
        try TaskChampionMeasurement.run(effort, in: folder, into: &table)
        #if os(Linux)
            try SyncCommandMeasurement.run(effort, in: folder, into: &table)
            try SyncProgramMeasurement.run(effort, into: &table)
        #else
            table.add("commands, sync on and off", skipped: "measured on Linux only")
        #endif
    }

    private static func firstExchange(in folder: ScratchFolder, into table: inout Table) throws {
        let group = try SyncGroup("sync", in: folder)
        defer { group.close() }
        let (first, second) = (group.homes[0], group.homes[1])
        _ = try first.vault.timeFilling(upTo: count)
        try fillTasks(first)
        let time = try Clock.time {
            try first.sync()
            try second.sync()
        }
        try requireEqual(first, second)
        table.add(
            "first exchange of 10,000 secrets and 10,000 tasks", .time(time), atMost: .time(10e9))
        let bytes = try group.remoteBytes()
        let sealed = try sealedContent(first)
        table.add(
            "  bytes at the remote", .bytes(Double(bytes)), against: "records of vault and list",
            .bytes(Double(sealed)), ratio: Double(bytes) / Double(sealed), aim: 1.5)
        try changes(first, second, into: &table)
        try sameNames(in: folder, into: &table)
    }

    private static func fillTasks(_ home: SyncHome) throws {
        var shuffle = Shuffle()
        try home.tasks.list.insert(TaskSample.tasks(0..<count, using: &shuffle))
    }

    /// The bytes that vault and list store of items and tasks, without indexes.
    private static func sealedContent(_ home: SyncHome) throws -> Int {
        try payload(home.vault.path, ["items"]) + payload(home.tasks.path, ["tasks", "subtasks"])
    }

    private static func payload(_ path: String, _ tables: [String]) throws -> Int {
        let database = try BareDatabase(path)
        return try tables.reduce(0) { sum, table in
            let columns = try database.texts("SELECT name FROM pragma_table_info('\(table)')")
            let sizes = columns.map { "coalesce(length(CAST(\"\($0)\" AS BLOB)), 0)" }
            let text = try database.texts(
                "SELECT CAST(sum(\(sizes.joined(separator: "+"))) AS TEXT) FROM \(table)")
            return sum + (text.first.flatMap { Int($0) } ?? 0)
        }
    }

    /// 500 secrets and 500 tasks that changed in one home.
    private static func changes(
        _ first: SyncHome, _ second: SyncHome, into table: inout Table
    ) throws {
        try second.sync()
        try first.sync()
        var value = try SecretBytes(count: Sample.valueSize)
        for number in 0..<500 {
            Sample.fill(&value, for: number + 1_000_000)
            _ = try first.open.vault.update(
                Sample.name(number), to: value, SecretEdit(), expecting: nil)
        }
        let tasks = try first.tasks.list.tasks(TaskSelection(TaskFilter(.open), limit: 500))
        for task in tasks {
            var edited = task
            edited.priority = task.priority == .high ? .low : .high
            try first.tasks.list.edit(task, to: edited)
        }
        let time = try Clock.time {
            try first.sync()
            try second.sync()
        }
        try requireEqual(first, second)
        table.add("round of 1,000 changes between two homes", .time(time), atMost: .time(2e9))
        let quiet = try Clock.time(per: 10) { for _ in 0..<10 { try second.sync() } }
        table.add("round without changes, 10,000 and 10,000, in one process", .time(quiet))
    }

    /// Two homes that had the same secrets before they met.
    private static func sameNames(in folder: ScratchFolder, into table: inout Table) throws {
        let group = try SyncGroup("same", in: folder)
        defer { group.close() }
        for home in group.homes { _ = try home.vault.timeFilling(upTo: count) }
        let (first, second) = (group.homes[0], group.homes[1])
        let time = try Clock.time {
            try first.syncSecrets()
            try second.syncSecrets()
            try first.syncSecrets()
        }
        try requireEqual(first, second)
        table.add(
            "first exchange of 10,000 secrets that both homes have", .time(time),
            atMost: .time(10e9))
    }

    private static func requireEqual(_ first: SyncHome, _ second: SyncHome) throws {
        let secrets = try [first, second].map { home in
            try home.open.vault.list().map { "\($0.name) \($0.attributes.label)" }
        }
        let names = try [first, second].map { home in
            try home.tasks.repository.tasks(TaskSelection(TaskFilter(.openOrDone))).map {
                "\($0.id) \($0.plainText?.name ?? "") \($0.priority)"
            }.sorted()
        }
        guard secrets[0] == secrets[1], names[0] == names[1] else {
            throw BenchmarkFailure("the homes differ")
        }
    }
}

extension BareDatabase {
    /// The first column of all rows, as text.
    func texts(_ sql: String) throws -> [String] {
        let statement = try prepare(sql)
        var texts: [String] = []
        while try statement.step() {
            if let text = unsafe sqlite3_column_text(statement.pointer, 0) {
                unsafe texts.append(String(cString: text))
            }
        }
        return texts
    }
}

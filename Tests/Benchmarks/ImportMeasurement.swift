/// The vaults that the measurements share.
struct Vaults {
    let empty: BenchmarkVault
    let small: BenchmarkVault
    let large: BenchmarkVault

    static let smallCount = 100
}

/// Bulk import, against an insert of the same rows in the order of their tags, in one transaction; and the size of the file.
enum ImportMeasurement {
    static func run(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws -> Vaults {
        var times = PairedTimes()
        var large: BenchmarkVault?
        var bareSize = 0
        for round in 0..<max(1, effort.slowRounds / 3) {
            let vault = try BenchmarkVault("import-\(round).db", in: folder)
            let barePath = try folder.copy(vault.path, to: "import-\(round)-bare.db")
            let time = try vault.timeFilling(upTo: Benchmarks.largeCount)
            times.add(time, try repeatBare(vault, barePath))
            bareSize = try sizeOfFile(barePath)
            large = vault
        }
        guard let large else { throw BenchmarkFailure("no round") }
        table.add("import of 100,000", times, against: "bare insert, one transaction")
        try addSizes(large, bareSize, into: &table)
        let small = try BenchmarkVault("small.db", in: folder)
        _ = try small.timeFilling(upTo: Vaults.smallCount)
        return Vaults(
            empty: try BenchmarkVault("empty.db", in: folder), small: small, large: large)
    }

    /// The times of so many items in one transaction, beside those of the bare calls.
    static func times(
        of count: Int, rounds: Int, in folder: ScratchFolder
    ) throws -> PairedTimes {
        var times = PairedTimes()
        for round in 0..<rounds {
            let vault = try BenchmarkVault("import-\(count)-\(round).db", in: folder)
            let barePath = try folder.copy(vault.path, to: "import-\(count)-\(round)-bare.db")
            let time = try vault.timeFilling(upTo: count)
            times.add(time, try repeatBare(vault, barePath))
        }
        return times
    }

    /// Writes what the product wrote into a copy of the vault as it was before.
    private static func repeatBare(_ vault: BenchmarkVault, _ path: String) throws -> Double {
        let content = try VaultContent(vault.path)
        let bare = try BareDatabase(path)
        let writer = try BareWriter(bare)
        let time = try Clock.time { try writer.writeAll(content) }
        try vault.withOpen { open in
            try unsafe Work.requireSame(
                "import", open.connection, bare, [.header, .items, .buckets, .links, .state])
        }
        return time
    }

    private static func addSizes(
        _ large: BenchmarkVault, _ bareSize: Int, into table: inout Table
    ) throws {
        let count = Double(Benchmarks.largeCount)
        let size = try Double(sizeOfFile(large.path))
        table.add("bytes an item on disk, imported", .bytes(size / count), atMost: .bytes(400))
        table.add(
            "file of 100,000", .mebibytes(size / 1_048_576), against: "bare file, same rows",
            .mebibytes(Double(bareSize) / 1_048_576), ratio: size / Double(bareSize))
    }
}

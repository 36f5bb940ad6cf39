internal import Database
internal import SecretMemory
internal import SecureStorage
internal import TestSupport
internal import VaultCore
internal import VaultStorage

/// Durable saves to a vault on a PostgreSQL server, which syncs, against commits of one row with the same code for the connection.
enum PostgreSQLSaveMeasurement {
    static func run(_ effort: Effort, in folder: ScratchFolder, into table: inout Table) throws {
        let title = "save, PostgreSQL"
        guard PostgreSQLServer.isWanted else {
            table.add(title, skipped: PostgreSQLServer.reason)
            return
        }
        let server = try PostgreSQLServer(settings: ["fsync=on"])
        defer { server.stop() }
        let storage = try VaultDatabase.create(.server(PostgreSQLAddress(server.address())))
        defer { storage.close() }
        // A database that each server has.
        let bare = try VaultDatabase.create(
            .server(PostgreSQLAddress(server.address(of: "template1"))))
        defer { bare.close() }
        let environment = VaultEnvironment(
            rollbackRecords: FileRollbackRecords(
                folder: folder.path(of: "server-records"), place: folder.path(of: "server.db"),
                syncsAtOnce: true),
            limits: .testing)
        let code = try VaultCreation.create(
            in: storage, environment, passphrase: try BenchmarkVault.passphrase(),
            cost: KeyDerivationCost(passes: 1, memoryKiB: 8))
        let vault = try LockedVault(storage, environment).unlock(with: .recoveryCode(code))
        var value = try SecretBytes(count: Sample.valueSize)
        var (saved, inserted) = (0, 0)
        let times = try PairedTimes.measure(rounds: effort.saves) {
            saved += 1
            let name = try Sample.name(saved)
            Sample.fill(&value, for: saved)
            return try Clock.time { _ = try vault.save(value, as: name, SecretAttributes()) }
        } _: {
            inserted += 1
            let row = row(inserted)
            return try Clock.time { try bare.write { try $0.insertItem(row) } }
        }
        table.add(title, times, against: "commit of one row")
    }

    /// A row of the size of a sample.
    private static func row(_ number: Int) -> ItemRecord {
        var shuffle = Shuffle()
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &shuffle) }
        }
        let tag = unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) } + bytes(24)
        return ItemRecord(
            tag: tag, itemID: bytes(16), accessClass: 1, revision: 1, format: 1,
            attributes: bytes(168), value: bytes(104))
    }
}

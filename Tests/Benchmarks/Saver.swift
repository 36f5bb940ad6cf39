internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// Two copies of a vault file for the baseline to write to.
struct BareCopies {
    /// Gets everything that a save writes: row, bucket record, link and state.
    let records: String
    /// Gets the row only.
    let rows: String

    init(of vault: BenchmarkVault, in folder: ScratchFolder) throws {
        records = try folder.copy(vault.path, to: "records-bare.db")
        rows = try folder.copy(vault.path, to: "rows-bare.db")
    }
}

/// The rollback record's file by the C functions of a commit; as there, the sync follows later.
private final class BareRollbackRecord {
    private let descriptor: Int32
    private var bytes = [UInt8](repeating: 1, count: 200)
    private var slot = 0

    init(_ path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw BenchmarkFailure("no file \(path)") }
    }

    deinit { close(descriptor) }

    func write() throws {
        slot = 100 - slot
        let isLocked = flock(descriptor, LOCK_EX) == 0
        let read = unsafe pread(descriptor, &bytes, bytes.count, 0)
        let written = unsafe pwrite(descriptor, bytes, 100, off_t(slot))
        guard isLocked, read >= 0, written == 100, flock(descriptor, LOCK_UN) == 0 else {
            throw BenchmarkFailure("the record was not written")
        }
    }
}

/// Saves by the product, and writes what it wrote into the two bare copies.
final class Saver {
    private let open: OpenVault
    private let keys: BareKeys
    private let reader: BareRecordReader
    private let bareRecords: BareDatabase
    private let recordWriter: BareWriter
    private let bareRows: BareDatabase
    private let rowWriter: BareWriter
    private let rollbackRecord: BareRollbackRecord

    /// Opens the vault and the copies; all three must have had the same saves.
    init(_ vault: BenchmarkVault, _ copies: BareCopies) throws {
        bareRecords = try BareDatabase(copies.records)
        bareRows = try BareDatabase(copies.rows)
        recordWriter = try BareWriter(bareRecords)
        rowWriter = try BareWriter(bareRows)
        rollbackRecord = try BareRollbackRecord(copies.records + "-record")
        open = try vault.open()
        let side = try BareDatabase(vault.path)
        keys = try BareKeys(side, passphrase: BenchmarkVault.passphraseText)
        reader = try BareRecordReader(side)
    }

    /// Saves one item by the product, and tells how long that took and what it wrote.
    func save(_ number: Int) throws -> (time: Double, change: StoredChange) {
        let time = try Self.timeSave(open, number)
        let name = try Sample.name(number)
        let tag = keys.tag(service: name.service, account: name.account)
        return (time, try reader.change(tag))
    }

    /// Writes all that a save wrote.
    func timeRecords(_ change: StoredChange) throws -> Double {
        try Clock.time {
            try recordWriter.writeDurably(change)
            try rollbackRecord.write()
        }
    }

    /// Writes the row that a save wrote.
    func timeRow(_ change: StoredChange) throws -> Double {
        try Clock.time { try rowWriter.insertDurably(change.row) }
    }

    /// Saves one item by the product.
    static func timeSave(_ open: OpenVault, _ number: Int) throws -> Double {
        let name = try Sample.name(number)
        var value = try SecretBytes(count: Sample.valueSize)
        Sample.fill(&value, for: number)
        return try Clock.time { try open.vault.save(value, as: name, SecretAttributes()) }
    }

    /// Makes sure that all three have the same settings and hold the same bytes.
    func requireSame() throws {
        try unsafe Work.requireSame(
            "save", open.connection, bareRecords, [.header, .items, .buckets, .links, .state])
        try unsafe Work.requireSame("save of the row", open.connection, bareRows, [.items])
    }

    /// Makes sure that another setting of a baseline, and a row that it lacks, would have been noticed; what it changes is not put back.
    func requireThatDifferencesAreNoticed() throws {
        for (database, difference) in [
            (bareRows, "PRAGMA synchronous = NORMAL"),
            (bareRecords, "DELETE FROM items WHERE tag = (SELECT min(tag) FROM items)"),
        ] {
            try database.run(difference)
            do {
                try requireSame()
            } catch is BenchmarkFailure {
                print("control: a baseline is refused after \(difference)")
                continue
            }
            throw BenchmarkFailure("nothing is noticed after \(difference)")
        }
    }

    func close() {
        open.close()
    }
}

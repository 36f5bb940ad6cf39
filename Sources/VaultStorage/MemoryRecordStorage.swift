internal import Synchronization

/// Records in memory, gone with the object: for tests and previews. Thread-safe.
///
/// Readers work on a copy and never wait for a writer; writers wait for one another. A call of ``write(_:)`` from inside another never
/// returns.
public final class MemoryRecordStorage: RecordStorage {
    private let contents = Mutex<MemoryContents?>(MemoryContents())
    private let writing = StorageLock()

    /// Makes a storage without records.
    public init() {}

    /// The state record and the row with this tag.
    public func stateAndItem(
        tag: [UInt8]
    ) throws(DatabaseError) -> (state: [UInt8]?, item: ItemRecord?) {
        let snapshot = try currentContents()
        return (snapshot.state, snapshot.items[tag])
    }

    /// Runs `body` on a copy of all records.
    public func read<Result, Failure: Error>(
        _ body: (any RecordReader) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        let snapshot = try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
            try currentContents()
        }
        return try Self.run(MemoryRecordWriter(snapshot), body)
    }

    /// Runs `body` on a copy of all records, which then takes their place.
    public func write<Result, Failure: Error>(
        _ body: (any RecordWriter) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        try writing.withLock { () throws(StorageFailure<Failure>) in
            let snapshot = try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
                try currentContents()
            }
            let writer = MemoryRecordWriter(snapshot)
            let result = try Self.run(writer, body)
            let changed = writer.contents
            let isOpen = contents.withLock { stored in
                if stored != nil { stored = changed }
                return stored != nil
            }
            guard isOpen else { throw .storage(.closed) }
            return result
        }
    }

    /// Nothing to do: memory of records that are gone goes back to the system as it is.
    public func eraseOldBytes() throws(DatabaseError) -> Bool? {
        _ = try currentContents()
        return true
    }

    /// Writes the records into a new vault file.
    public func backup(to path: String) throws(DatabaseError) {
        let snapshot = try currentContents()
        let database = try VaultDatabase.createInMemory()
        try snapshot.write(to: database)
        try BackupFile.write(database, to: path)
    }

    /// Forgets the records.
    public func close() {
        contents.withLock { $0 = nil }
    }

    private func currentContents() throws(DatabaseError) -> MemoryContents {
        guard let snapshot = contents.withLock({ $0 }) else { throw .closed }
        return snapshot
    }

    private static func run<Result, Failure: Error>(
        _ writer: MemoryRecordWriter, _ body: (MemoryRecordWriter) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        defer { writer.end() }
        do {
            return try body(writer)
        } catch {
            throw .body(error)
        }
    }
}

/// What a storage in memory holds.
struct MemoryContents: Sendable {
    var header: [UInt8]?
    var state: [UInt8]?
    var buckets: [UInt8: [UInt8]] = [:]
    var items: [[UInt8]: ItemRecord] = [:]

    /// All rows, ascending by tag.
    var sortedItems: [ItemRecord] {
        items.values.sorted { $0.tag.lexicographicallyPrecedes($1.tag) }
    }

    func write(to database: VaultDatabase) throws(DatabaseError) {
        if let header { try database.putHeader(header) }
        if let state { try database.insertState(state) }
        for (number, bytes) in buckets { try database.putBucket(number, bytes: bytes) }
        for item in sortedItems { try database.insertItem(item) }
    }
}

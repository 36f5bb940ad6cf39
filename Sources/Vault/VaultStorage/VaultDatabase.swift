// Re-exports locations, options and errors of a database: `import VaultStorage` suffices to open a vault's records.
@_exported public import Database
internal import Platform

/// The records of a vault in a file, on a server or in memory, with all SQL of the vault.
///
/// The database is untrusted until the vault has verified its content. Any number of machines may use a server concurrently; writers are
/// serialised. Thread-safe: calls wait for each other, so a nested call on the same object deadlocks. The next call reopens a lost or
/// closed connection, with all checks.
public final class VaultDatabase: RecordStorage {
    let pool: DatabasePool
    /// The state record of the newest snapshot that was read outside transactions.
    private let committed = LockedValue<CommittedState?>(nil)

    private struct CommittedState: Sendable {
        let version: DataVersion
        let record: [UInt8]?
    }

    private init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// Creates a vault's tables without records: a file of mode 0600, or a schema on a server.
    ///
    /// - Parameters:
    ///   - place: The place. The folder of a file must exist and be safe (`VaultLocation`).
    ///   - lockTimeout: How long a call waits for other writers.
    ///   - timeout: How long a server may take to respond.
    /// - Returns: The records, for reading and writing.
    /// - Throws: ``DatabaseError/alreadyExists`` if the path exists or the server has a vault; ``DatabaseError/foreign(reason:)`` for
    ///   unknown tables; ``DatabaseError/unreachable(reason:)``.
    public static func create(
        _ place: DatabasePlace, lockTimeout: Duration = DatabaseOptions.standardLockTimeout,
        timeout: Duration = .seconds(30)
    ) throws -> VaultDatabase {
        let options = DatabaseOptions(lockTimeout: lockTimeout, timeout: timeout)
        let database = VaultDatabase(try DatabasePool.create(place, .vault, options))
        guard try database.isEmpty() else { throw DatabaseError.alreadyExists }
        return database
    }

    /// Opens a vault's tables.
    ///
    /// - Parameters:
    ///   - place: The place of the tables. A file and its folder must be safe (`VaultLocation`).
    ///   - mode: The permitted access.
    ///   - lockTimeout: How long a call waits for other writers.
    ///   - timeout: How long a server may take to respond.
    /// - Returns: The records.
    /// - Throws: ``DatabaseError/notFound`` if there is no vault, or only an incomplete one on a server;
    ///   ``DatabaseError/unsafeLocation(path:reason:)``, ``DatabaseError/foreign(reason:)``, ``DatabaseError/newerVersion(_:)`` or
    ///   ``DatabaseError/damaged(reason:)`` for other content; ``DatabaseError/readOnly``; ``DatabaseError/unreachable(reason:)``.
    public static func open(
        _ place: DatabasePlace, mode: StorageMode,
        lockTimeout: Duration = DatabaseOptions.standardLockTimeout,
        timeout: Duration = .seconds(30)
    ) throws -> VaultDatabase {
        let options = DatabaseOptions(mode: mode, lockTimeout: lockTimeout, timeout: timeout)
        let database = VaultDatabase(try DatabasePool.open(place, .vault, options))
        if case .server = place, try database.isEmpty() { throw DatabaseError.notFound }
        return database
    }

    /// Records in memory, discarded with the object.
    ///
    /// - Throws: ``DatabaseError/outOfMemory``.
    public static func inMemory() throws -> VaultDatabase {
        VaultDatabase(try DatabasePool.open(.memory, .vault))
    }

    private func isEmpty() throws -> Bool {
        try pool.single { transaction in
            try transaction.rows(
                """
                SELECT id FROM header UNION ALL SELECT id FROM state
                UNION ALL SELECT number FROM buckets UNION ALL SELECT counter FROM links
                UNION ALL SELECT number FROM chunks UNION ALL SELECT class FROM items
                UNION ALL SELECT class FROM earlier LIMIT 1
                """
            ) { _ in }.isEmpty
        }
    }

    /// Runs `body` on one snapshot; see ``RecordStorage``.
    public func read<Result>(_ body: (any RecordReader) throws -> Result) throws -> Result {
        try pool.read { try body(StoredRecords($0)) }
    }

    /// Runs `body` in a transaction for writing; see ``RecordStorage``.
    public func write<Result>(_ body: (any RecordWriter) throws -> Result) throws -> Result {
        var stateChange: (before: [UInt8]?, after: [UInt8])?
        return try pool.write { transaction in
            let records = StoredRecords(transaction)
            let result = try body(records)
            stateChange = records.stateChange
            return result
        } isCommitted: { transaction in
            // If another machine has changed the state since, the outcome stays unknown.
            guard let (before, after) = stateChange, before != after else { return nil }
            let state = try StoredRecords(transaction).state()
            return state == after ? true : state == before ? false : nil
        }
    }

    /// Reads state and row in one statement, which sees one snapshot without a transaction.
    ///
    /// With SQLite, the state record is cached until any connection commits to the database file. PostgreSQL has no such cache.
    public func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?) {
        try pool.single { transaction in
            let records = StoredRecords(transaction)
            if let known = committed.withLock({ $0 }) {
                let item = try records.item(tag: tag)
                if try transaction.dataVersion() == known.version { return (known.record, item) }
            }
            let both = try records.stateAndItem(tag: tag)
            let version = try transaction.dataVersion()
            committed.withLock { committed in
                committed = version.map { CommittedState(version: $0, record: both.state) }
            }
            return both
        }
    }

    /// Moves the log into the file and truncates it. Overwritten bytes in the file itself are already zero (`secure_delete`).
    ///
    /// - Returns: `false` if readers prevent it for about two seconds; nil on a server, which keeps old rows and logs.
    /// - Throws: ``DatabaseError/readOnly`` in that mode; `DatabaseError`.
    public func eraseOldBytes() throws -> Bool? {
        try pool.eraseOldBytes()
    }

    /// As ``eraseOldBytes()``, without waiting for readers.
    public func eraseOldBytesAtOnce() throws -> Bool? {
        try eraseOldBytes(attempts: 1, lockTimeout: .zero)
    }

    /// As ``eraseOldBytes()``; each attempt waits up to `lockTimeout` for other connections.
    func eraseOldBytes(attempts: Int, lockTimeout: Duration) throws -> Bool? {
        try pool.eraseOldBytes(attempts: attempts, lockTimeout: lockTimeout)
    }

    /// Copies one snapshot into a new vault file of mode 0600; other processes may write concurrently.
    ///
    /// The file appears when it is complete and durable. If the vault is in a file, the copy's folder may be less safe than the vault's,
    /// because the copy is sealed, too.
    public func backup(to path: String) throws {
        guard case .server = pool.place else { return try pool.backup(to: path) }
        guard !SafeFolder.split(path).name.isEmpty else {
            throw DatabaseError.unsafeLocation(path: path, reason: "not the name of a file")
        }
        // A closed storage must fail before a file is created.
        _ = try read { try $0.header() }
        // Use a file: the copy may be larger than the memory.
        let staged = try StagedVaultFile(for: path)
        let copy = try VaultDatabase.create(.file(staged.path))
        defer { copy.close() }
        try read { reader in
            try copy.write { writer in try writer.replaceAll(with: reader) }
        }
        guard try copy.leaveWALMode() else { throw DatabaseError.busy }
        copy.close()
        _ = try staged.install(replacing: false)
    }

    /// Returns the space of removed rows to the file system. Does nothing on a server, which reuses the space itself.
    public func returnSpace() throws {
        try pool.returnSpace()
    }

    /// The space used and available on the file system of the file; nil on a server and in memory.
    public func diskUse() throws -> DiskUse? {
        try pool.diskUse()
    }

    /// Closes the connection if the path now names another file. The next call opens that file with all checks.
    public func followPath() throws {
        try pool.followPath()
    }

    /// Whether SQLite finds the whole file well-formed; see ``RecordStorage``.
    public func isWellFormed() throws -> Bool {
        try pool.isWellFormed()
    }

    /// Checkpoints the log and leaves WAL mode. This fails while another connection has the file open.
    ///
    /// - Returns: `false` if another connection has the file open.
    func leaveWALMode() throws -> Bool {
        try pool.leaveWALMode()
    }

    /// Ends calls of other threads; see ``RecordStorage``.
    public func interrupt() {
        pool.interrupt()
    }

    /// Closes the database. The last connection to a file removes its log files.
    public func close() {
        pool.close()
    }
}

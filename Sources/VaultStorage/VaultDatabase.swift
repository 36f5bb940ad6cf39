public import Database
internal import Synchronization

/// The records of a vault in a file, on a server, or in memory: all SQL of the vault.
///
/// The database is treated as hostile until the vault has verified what it holds. Any number of machines may use a server at once;
/// writers take turns. Thread-safe: calls wait for one another. A call from inside the function that another call of the same object
/// runs never returns. A connection that was lost or given up is opened again by the next call, with every check.
public final class VaultDatabase: RecordStorage {
    let pool: DatabasePool
    /// The state record of the newest snapshot that was read outside of transactions.
    private let committed = Mutex<CommittedState?>(nil)

    private struct CommittedState: Sendable {
        let version: DataVersion
        let record: [UInt8]?
    }

    private init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// Makes a vault's tables without records: a file of mode 0600, or a schema on a server.
    ///
    /// - Parameters:
    ///   - place: Where. The folder of a file exists and is safe (`VaultLocation`).
    ///   - lockTimeout: How long a call waits for other writers.
    ///   - timeout: How long a server may take to answer.
    /// - Returns: The records, for reading and writing.
    /// - Throws: ``DatabaseError/alreadyExists`` if there is a file at the path or a vault on the server;
    ///   ``DatabaseError/foreign(reason:)`` if there are other tables; ``DatabaseError/unreachable(reason:)``.
    public static func create(
        _ place: DatabasePlace, lockTimeout: Duration = .seconds(5),
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
    ///   - place: Where they are. A file and its folder are safe (`VaultLocation`).
    ///   - mode: What may be done with them.
    ///   - lockTimeout: How long a call waits for other writers.
    ///   - timeout: How long a server may take to answer.
    /// - Returns: The records.
    /// - Throws: ``DatabaseError/notFound`` if there is no vault, or one on a server that is only being made;
    ///   ``DatabaseError/unsafeLocation(path:reason:)``, ``DatabaseError/foreign(reason:)``, ``DatabaseError/newerVersion(_:)`` or
    ///   ``DatabaseError/damaged(reason:)`` for what is there instead; ``DatabaseError/readOnly``; ``DatabaseError/unreachable(reason:)``.
    public static func open(
        _ place: DatabasePlace, mode: StorageMode, lockTimeout: Duration = .seconds(5),
        timeout: Duration = .seconds(30)
    ) throws -> VaultDatabase {
        let options = DatabaseOptions(mode: mode, lockTimeout: lockTimeout, timeout: timeout)
        let database = VaultDatabase(try DatabasePool.open(place, .vault, options))
        if case .server = place, try database.isEmpty() { throw DatabaseError.notFound }
        return database
    }

    /// Records in memory, gone with the object.
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
                UNION ALL SELECT number FROM buckets UNION ALL SELECT class FROM items LIMIT 1
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
        try pool.write { try body(StoredRecords($0)) }
    }

    /// Reads state and row by one statement, which is one snapshot without a transaction around it.
    ///
    /// While nobody commits anything to a file, the state stays what it was and is not fetched again.
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

    /// Moves the log into the file and cuts it to nothing. Overwritten bytes in the file itself are zeros already (`secure_delete`).
    ///
    /// - Returns: `false` if readers prevent it for about two seconds; nil on a server, which keeps old rows and logs.
    /// - Throws: ``DatabaseError/readOnly`` in that mode; `DatabaseError`.
    public func eraseOldBytes() throws -> Bool? {
        try pool.eraseOldBytes()
    }

    /// As ``eraseOldBytes()``, each attempt waiting up to `patience`.
    func eraseOldBytes(attempts: Int, patience: Duration) throws -> Bool? {
        try pool.eraseOldBytes(attempts: attempts, patience: patience)
    }

    /// Copies one snapshot into a new vault file of mode 0600; other processes may write meanwhile.
    ///
    /// The file appears under its name when it is complete and on the medium. Its folder need not be as safe as the vault's: a backup is
    /// sealed like the vault itself.
    public func backup(to path: String) throws {
        guard case .server = pool.place else { return try pool.backup(to: path) }
        let copy = try VaultDatabase.inMemory()
        try read { reader in
            try copy.write { writer in try writer.replaceAll(with: reader) }
        }
        try copy.pool.backup(to: path)
    }

    /// Gives the connection up if the path names another file by now; the next call opens what is there with every check.
    public func followPath() throws {
        try pool.followPath()
    }

    /// Moves the log into the file and does without it from now on, which works only while nobody else has the file open.
    ///
    /// - Returns: Whether it worked.
    func leaveLog() throws -> Bool {
        try pool.leaveLog()
    }

    /// Ends calls that wait for a server.
    public func interrupt() {
        pool.interrupt()
    }

    /// Closes the database. The last user of a file leaves nothing beside it.
    public func close() {
        pool.close()
    }
}

/// A vault file: an SQLite database that is treated as hostile until the vault has verified what it holds.
///
/// Thread-safe: calls wait for one another. A call from inside the function that another call of the same object runs never returns.
/// Several objects for one file, in one process or more, are fine. After a failure to read, write or sync, the connection is given up;
/// the next call opens the file again with every check.
public final class SQLiteRecordStorage: RecordStorage {
    /// What a storage may do with its file.
    public typealias Mode = StorageMode

    let file: SafeDatabaseFile<VaultSchema>

    /// The vault file, absolute.
    public var location: VaultLocation { file.location }

    private init(_ file: SafeDatabaseFile<VaultSchema>) {
        self.file = file
    }

    /// Makes a vault file without records, mode 0600.
    ///
    /// - Parameters:
    ///   - path: Where; its folder exists and is safe (``VaultLocation``).
    ///   - busyTimeout: How long a call waits for other processes.
    /// - Returns: The storage, for reading and writing.
    /// - Throws: ``DatabaseError/alreadyExists`` if there is something at the path. After a failure nothing is left there.
    public static func create(
        at path: String, busyTimeout: Duration = .seconds(5)
    ) throws(DatabaseError) -> SQLiteRecordStorage {
        SQLiteRecordStorage(try SafeDatabaseFile.create(at: path, busyTimeout: busyTimeout))
    }

    /// Opens a vault file.
    ///
    /// - Parameters:
    ///   - path: The file; it and its folder are safe (``VaultLocation``).
    ///   - mode: What may be done with it.
    ///   - busyTimeout: How long a call waits for other processes.
    /// - Returns: The storage.
    /// - Throws: ``DatabaseError/notFound``, ``DatabaseError/unsafeLocation(path:reason:)``, ``DatabaseError/foreign(reason:)``,
    ///   ``DatabaseError/newerVersion(_:)`` or ``DatabaseError/damaged(reason:)`` for what is there instead;
    ///   ``DatabaseError/readOnly`` if it cannot be written in the mode for writing, or cannot be read without writing.
    public static func open(
        at path: String, mode: Mode, busyTimeout: Duration = .seconds(5)
    ) throws(DatabaseError) -> SQLiteRecordStorage {
        SQLiteRecordStorage(
            try SafeDatabaseFile.open(at: path, mode: mode, busyTimeout: busyTimeout))
    }

    /// Closes the storage. The last one to a file leaves nothing beside it.
    public func close() {
        file.close()
    }

    /// Gives the connection up if the path names another file by now, or none; the next call opens what is there with every check.
    ///
    /// Writing calls look for themselves. One that reads for long asks from time to time: the file that it has open may have been replaced.
    public func followPath() throws(DatabaseError) {
        try file.followPath()
    }

    /// Runs `body` with the open database, one call at a time.
    func withDatabase<Value>(
        _ body: (VaultDatabase) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try file.withDatabase(body)
    }
}

extension SQLiteRecordStorage {
    /// Reads state and row by one statement, which is one snapshot without a transaction around it.
    public func stateAndItem(
        tag: [UInt8]
    ) throws(DatabaseError) -> (state: [UInt8]?, item: ItemRecord?) {
        try withDatabase { (database) throws(DatabaseError) in
            try database.committedStateAndItem(tag: tag)
        }
    }

    /// Runs `body` in a transaction, whose snapshot is that of its first call.
    public func read<Result, Failure: Error>(
        _ body: (any RecordReader) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        try file.read { (transaction) throws(Failure) in
            try body(SQLiteRecordReader(transaction))
        }
    }

    /// Runs `body` in a transaction that is the only one that writes, and commits.
    public func write<Result, Failure: Error>(
        _ body: (any RecordWriter) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        try file.write { (transaction) throws(Failure) in
            try body(SQLiteRecordWriter(transaction))
        }
    }
}

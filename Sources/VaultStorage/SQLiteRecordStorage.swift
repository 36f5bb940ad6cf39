internal import SQLiteDatabase

/// A vault file: an SQLite database that is treated as hostile until the vault has verified what it holds.
///
/// Thread-safe: calls wait for one another. A call from inside the function that another call of the same object runs never returns.
/// Several objects for one file, in one process or more, are fine. After a failure to read, write or sync, the connection is given up;
/// the next call opens the file again with every check.
///
/// Unchecked, because the database is used under the lock only, and a caller's results need not be sendable.
public final class SQLiteRecordStorage: RecordStorage, @unchecked Sendable {
    /// What a storage may do with its file.
    public enum Mode: Sendable {
        /// Reads and writes.
        case readWrite
        /// Reads only. Where the file may be written, a log that a writer left behind may still be moved into it.
        case readOnly
    }

    /// The vault file, absolute.
    public let location: VaultLocation
    let mode: Mode
    let busyTimeout: Duration
    let lock = StorageLock()
    private var database: VaultDatabase?
    private var isClosed = false

    private init(
        _ database: VaultDatabase, at location: VaultLocation, mode: Mode, busyTimeout: Duration
    ) {
        self.database = database
        self.location = location
        self.mode = mode
        self.busyTimeout = busyTimeout
    }

    /// Makes a vault file without records, mode 0600.
    ///
    /// - Parameters:
    ///   - path: Where; its folder exists and is safe (``VaultLocation``).
    ///   - busyTimeout: How long a call waits for other processes.
    /// - Returns: The storage, for reading and writing.
    /// - Throws: ``StorageError/alreadyExists`` if there is something at the path. After a failure nothing is left there.
    public static func create(
        at path: String, busyTimeout: Duration = .seconds(5)
    ) throws(StorageError) -> SQLiteRecordStorage {
        let location = try VaultLocation(path: path)
        let database = try VaultDatabase.create(location, busyTimeout: busyTimeout)
        return SQLiteRecordStorage(
            database, at: location, mode: .readWrite, busyTimeout: busyTimeout)
    }

    /// Opens a vault file.
    ///
    /// - Parameters:
    ///   - path: The file; it and its folder are safe (``VaultLocation``).
    ///   - mode: What may be done with it.
    ///   - busyTimeout: How long a call waits for other processes.
    /// - Returns: The storage.
    /// - Throws: ``StorageError/notFound``, ``StorageError/unsafeLocation(path:reason:)``, ``StorageError/foreign(reason:)``,
    ///   ``StorageError/newerVersion(_:)`` or ``StorageError/damaged(reason:)`` for what is there instead;
    ///   ``StorageError/readOnly`` if it cannot be written in the mode for writing, or cannot be read without writing.
    public static func open(
        at path: String, mode: Mode, busyTimeout: Duration = .seconds(5)
    ) throws(StorageError) -> SQLiteRecordStorage {
        let location = try VaultLocation(path: path)
        let database = try VaultDatabase.open(location, mode: mode, busyTimeout: busyTimeout)
        return SQLiteRecordStorage(database, at: location, mode: mode, busyTimeout: busyTimeout)
    }

    /// Closes the storage. The last one to a file leaves nothing beside it.
    public func close() {
        lock.withLock {
            isClosed = true
            database?.connection.close()
            database = nil
        }
    }

    /// Gives the connection up if the path names another file by now, or none; the next call opens what is there with every check.
    ///
    /// Writing calls look for themselves. One that reads for long asks from time to time: the file that it has open may have been replaced.
    public func followPath() throws(StorageError) {
        try lock.withLock { () throws(StorageError) in
            guard let database, !database.isBroken, try database.hasMoved() else { return }
            database.connection.close()
            self.database = nil
        }
    }

    /// Runs `body` with the open database, one call at a time.
    func withDatabase<Value>(
        _ body: (VaultDatabase) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try lock.withLock { () throws(StorageError) in try body(try currentDatabase()) }
    }

    /// The open database; opened again if the connection was given up. To be called with the lock held.
    func currentDatabase() throws(StorageError) -> VaultDatabase {
        if isClosed { throw .closed }
        if let database, !database.isBroken { return database }
        return try reopen()
    }

    /// Closes the connection and opens the file again with every check. To be called with the lock held.
    func reopen() throws(StorageError) -> VaultDatabase {
        database?.connection.close()
        database = nil
        let location = try VaultLocation(path: location.path)
        let opened = try VaultDatabase.open(location, mode: mode, busyTimeout: busyTimeout)
        database = opened
        return opened
    }
}

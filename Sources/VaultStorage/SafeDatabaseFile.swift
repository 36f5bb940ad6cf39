internal import Database

/// A database file of one kind, opened with every check, and again after a failure or where another file took its place.
///
/// Thread-safe: calls wait for one another. A call from inside the function that another call of the same object runs never returns.
///
/// Unchecked, because the database is used under the lock only, and a caller's results need not be sendable.
package final class SafeDatabaseFile<Kind: DatabaseKind>: @unchecked Sendable {
    /// The file, absolute.
    package let location: VaultLocation
    private let mode: StorageMode
    private let busyTimeout: Duration
    private let lock = StorageLock()
    private var database: SafeDatabase<Kind>?
    private var isClosed = false

    private init(
        _ database: SafeDatabase<Kind>, at location: VaultLocation, mode: StorageMode,
        busyTimeout: Duration
    ) {
        self.database = database
        self.location = location
        self.mode = mode
        self.busyTimeout = busyTimeout
    }

    /// Makes a file without rows, mode 0600, for reading and writing.
    package static func create(
        at path: String, busyTimeout: Duration
    ) throws(DatabaseError) -> SafeDatabaseFile {
        let location = try VaultLocation(path: path)
        let database = try SafeDatabase<Kind>.create(location, busyTimeout: busyTimeout)
        return SafeDatabaseFile(
            database, at: location, mode: .readWrite, busyTimeout: busyTimeout)
    }

    /// Opens a file that is there.
    package static func open(
        at path: String, mode: StorageMode, busyTimeout: Duration
    ) throws(DatabaseError) -> SafeDatabaseFile {
        let location = try VaultLocation(path: path)
        let database = try SafeDatabase<Kind>.open(location, mode: mode, busyTimeout: busyTimeout)
        return SafeDatabaseFile(database, at: location, mode: mode, busyTimeout: busyTimeout)
    }

    /// Opens a file for reading and writing, and makes it first where there is none.
    package static func openOrCreate(
        at path: String, busyTimeout: Duration
    ) throws(DatabaseError) -> SafeDatabaseFile {
        let location = try VaultLocation(path: path)
        let database = try SafeDatabase<Kind>.openOrCreate(location, busyTimeout: busyTimeout)
        return SafeDatabaseFile(
            database, at: location, mode: .readWrite, busyTimeout: busyTimeout)
    }

    /// Closes the file. The last one to close it leaves nothing beside it.
    package func close() {
        lock.withLock {
            isClosed = true
            database?.connection.close()
            database = nil
        }
    }

    /// Gives the connection up if the path names another file by now, or none; the next call opens what is there with every check.
    package func followPath() throws(DatabaseError) {
        try lock.withLock { () throws(DatabaseError) in
            guard let database, !database.isBroken, try database.hasMoved() else { return }
            database.connection.close()
            self.database = nil
        }
    }

    /// Runs `body` with the open database, one call at a time.
    package func withDatabase<Value>(
        _ body: (SafeDatabase<Kind>) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try lock.withLock { () throws(DatabaseError) in try body(try currentDatabase()) }
    }

    /// As ``withDatabase(_:)``, with the file that the path names now: one that took the place of another is opened first, with every check.
    package func withCurrentDatabase<Value>(
        _ body: (SafeDatabase<Kind>) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try lock.withLock { () throws(DatabaseError) in
            let database = try currentDatabase()
            return try body(try database.hasMoved() ? try reopen() : database)
        }
    }

    /// The open database; opened again if the connection was given up. To be called with the lock held.
    private func currentDatabase() throws(DatabaseError) -> SafeDatabase<Kind> {
        if isClosed { throw .closed }
        if let database, !database.isBroken { return database }
        return try reopen()
    }

    /// Closes the connection and opens the file again with every check. To be called with the lock held.
    private func reopen() throws(DatabaseError) -> SafeDatabase<Kind> {
        database?.connection.close()
        database = nil
        let location = try VaultLocation(path: location.path)
        let opened = try SafeDatabase<Kind>.open(location, mode: mode, busyTimeout: busyTimeout)
        database = opened
        return opened
    }
}

extension SafeDatabaseFile {
    /// Runs `body` in a transaction, whose snapshot is that of its first call.
    package func read<Result, Failure: Error>(
        _ body: (DatabaseTransaction<Kind>) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        try lock.withLock { () throws(StorageFailure<Failure>) in
            let database = try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
                let database = try currentDatabase()
                try database.begin(.deferred)
                return database
            }
            let transaction = DatabaseTransaction(database)
            return try database.finish(transaction) { () throws(Failure) in
                try body(transaction)
            }
        }
    }

    /// Runs `body` in a transaction that is the only one that writes, and commits.
    package func write<Result, Failure: Error>(
        _ body: (DatabaseTransaction<Kind>) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        guard mode == .readWrite else { throw .storage(.readOnly) }
        return try lock.withLock { () throws(StorageFailure<Failure>) in
            let database = try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
                let database = try currentDatabase()
                if try database.beginWriting() { return database }
                // Somebody put another file in place: what was written to the old one would be lost.
                let reopened = try reopen()
                guard try reopened.beginWriting() else { throw .busy }
                return reopened
            }
            let transaction = DatabaseTransaction(database)
            return try database.finish(transaction) { () throws(Failure) in
                try body(transaction)
            }
        }
    }

    /// Moves the log into the file and cuts it to nothing; overwritten bytes in the file itself are zeros already (`secure_delete`).
    ///
    /// - Parameters:
    ///   - isRewriting: Whether the file is written anew before, for content of which `secure_delete` misses copies.
    ///   - attempts: How often to try.
    ///   - patience: How long each attempt waits for other connections.
    /// - Returns: `false` if others prevented it.
    /// - Throws: ``DatabaseError/readOnly`` in the mode for reading; what SQLite ran into.
    package func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, patience: Duration
    ) throws(DatabaseError) -> Bool {
        guard mode == .readWrite else { throw .readOnly }
        return try withDatabase { (database) throws(DatabaseError) in
            do throws(DatabaseError) {
                return try database.eraseOldBytes(
                    rewriting: isRewriting, attempts: attempts, patience: patience,
                    busyTimeout: busyTimeout)
            } catch .busy {
                return false
            }
        }
    }
}

extension SafeDatabase {
    fileprivate func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, patience: Duration, busyTimeout: Duration
    ) throws(DatabaseError) -> Bool {
        try perform { (connection) throws(SQLiteError) in
            try connection.setBusyTimeout(patience)
            defer { try? connection.setBusyTimeout(busyTimeout) }
            if isRewriting { try connection.rewrite() }
            for _ in 0..<attempts {
                if try connection.truncateLog() { return true }
            }
            return false
        }
    }
}

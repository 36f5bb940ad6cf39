internal import SQLiteDatabase

extension SQLiteRecordStorage {
    /// Reads state and row by one statement, which is one snapshot without a transaction around it.
    public func stateAndItem(
        tag: [UInt8]
    ) throws(StorageError) -> (state: [UInt8]?, item: ItemRecord?) {
        try withDatabase { (database) throws(StorageError) in
            try database.committedStateAndItem(tag: tag)
        }
    }

    /// Runs `body` in a transaction, whose snapshot is that of its first call.
    public func read<Result, Failure: Error>(
        _ body: (any RecordReader) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        try lock.withLock { () throws(StorageFailure<Failure>) in
            let database = try StorageFailure<Failure>.wrapping { () throws(StorageError) in
                let database = try currentDatabase()
                try database.begin(.deferred)
                return database
            }
            let reader = SQLiteRecordReader(database)
            return try database.finish(reader) { () throws(Failure) in try body(reader) }
        }
    }

    /// Runs `body` in a transaction that is the only one that writes, and commits.
    public func write<Result, Failure: Error>(
        _ body: (any RecordWriter) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        guard mode == .readWrite else { throw .storage(.readOnly) }
        return try lock.withLock { () throws(StorageFailure<Failure>) in
            let database = try StorageFailure<Failure>.wrapping { () throws(StorageError) in
                let database = try currentDatabase()
                if try database.beginWriting() { return database }
                // Somebody put another file in place: what was written to the old one would be lost.
                let reopened = try reopen()
                guard try reopened.beginWriting() else { throw .busy }
                return reopened
            }
            let writer = SQLiteRecordWriter(database)
            return try database.finish(writer) { () throws(Failure) in try body(writer) }
        }
    }
}

extension VaultDatabase {
    func begin(_ kind: DatabaseConnection.TransactionKind) throws(StorageError) {
        try perform { (connection) throws(DatabaseError) in try connection.begin(kind) }
    }

    /// Begins a transaction for writing.
    ///
    /// - Returns: `false`, without a transaction, if the path names another file by now.
    func beginWriting() throws(StorageError) -> Bool {
        do throws(StorageError) {
            try begin(.immediate)
            // With the lock in hand: whoever replaces a vault under its lock is done, or has not begun.
            guard try !hasMoved() else {
                rollback()
                return false
            }
            try requireVerifiedSchema()
            return true
        } catch {
            rollback()
            // SQLite fails in several ways when its file is gone.
            if try hasMoved() { return false }
            throw error
        }
    }

    func hasMoved() throws(StorageError) -> Bool {
        try perform { (connection) throws(DatabaseError) in try connection.hasMoved() }
    }

    /// Runs `body` and commits, or rolls back.
    func finish<Value, Failure: Error>(
        _ user: SQLiteRecordReader, _ body: () throws(Failure) -> Value
    ) throws(StorageFailure<Failure>) -> Value {
        defer { user.end() }
        let value: Value
        do {
            value = try body()
        } catch {
            rollback()
            throw .body(error)
        }
        do throws(StorageError) {
            // A failure that `body` kept to itself still forbids to commit what it left half done.
            if let failure = user.failure { throw failure }
            try perform { (connection) throws(DatabaseError) in try connection.commit() }
        } catch {
            rollback()
            throw .storage(error)
        }
        return value
    }
}

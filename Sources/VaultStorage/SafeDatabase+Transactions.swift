internal import Database

extension SafeDatabase {
    func begin(_ kind: SQLiteConnection.TransactionKind) throws(DatabaseError) {
        try perform { (connection) throws(SQLiteError) in try connection.begin(kind) }
    }

    /// Begins a transaction for writing.
    ///
    /// - Returns: `false`, without a transaction, if the path names another file by now.
    func beginWriting() throws(DatabaseError) -> Bool {
        do throws(DatabaseError) {
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

    func hasMoved() throws(DatabaseError) -> Bool {
        try perform { (connection) throws(SQLiteError) in try connection.hasMoved() }
    }

    /// Runs `body` and commits, or rolls back.
    func finish<Value, Failure: Error>(
        _ transaction: DatabaseTransaction<Kind>, _ body: () throws(Failure) -> Value
    ) throws(StorageFailure<Failure>) -> Value {
        defer { transaction.end() }
        let value: Value
        do {
            value = try body()
        } catch {
            rollback()
            throw .body(error)
        }
        do throws(DatabaseError) {
            // A failure that `body` kept to itself still forbids to commit what it left half done.
            if let failure = transaction.failure { throw failure }
            try perform { (connection) throws(SQLiteError) in try connection.commit() }
        } catch {
            rollback()
            throw .storage(error)
        }
        return value
    }
}

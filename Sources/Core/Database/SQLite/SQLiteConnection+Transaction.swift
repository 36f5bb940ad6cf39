internal import CSQLite

extension SQLiteConnection {
    /// When a transaction acquires its lock.
    public enum TransactionKind: Sendable {
        /// At the first statement, where the snapshot begins: for reading.
        case deferred
        /// Immediately, excluding other writers: for writing.
        case immediate
    }

    /// Begins a transaction.
    public func begin(_ kind: TransactionKind) throws {
        switch kind {
        case .deferred: try execute("BEGIN")
        case .immediate: try execute("BEGIN IMMEDIATE")
        }
    }

    /// Commits. The changes are durable when it returns. If it throws, the transaction may still be open.
    public func commit() throws {
        try execute("COMMIT")
    }

    /// Rolls back; does nothing if SQLite has rolled back already, as it does after some failures.
    public func rollback() throws {
        guard isInTransaction else { return }
        try execute("ROLLBACK")
    }

    /// A number that changes when any connection commits a change, including this one.
    ///
    /// It belongs to the last snapshot of this connection; this connection's open transaction does not change it.
    /// The corresponding C function is `sqlite3_file_control` with `SQLITE_FCNTL_DATA_VERSION`.
    public func dataVersion() throws -> UInt32 {
        var version: UInt32 = 0
        let result = unsafe sqlite3_file_control(
            try open(), "main", SQLITE_FCNTL_DATA_VERSION, &version)
        guard result == SQLITE_OK else { throw failure(result, "inspect") }
        return version
    }

    /// Whether a transaction is open. The corresponding C function is `sqlite3_get_autocommit`.
    public var isInTransaction: Bool {
        guard let handle = unsafe handle else { return false }
        return unsafe sqlite3_get_autocommit(handle) == 0
    }
}

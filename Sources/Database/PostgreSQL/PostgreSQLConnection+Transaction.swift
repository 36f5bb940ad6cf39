internal import CPostgreSQL

extension PostgreSQLConnection {
    /// What a transaction is for.
    public enum TransactionKind: Sendable {
        /// One snapshot, that of the first statement; nothing can be changed.
        case reading
        /// Each statement sees what was committed before it.
        case writing
        /// One snapshot, and whoever changes what somebody else changed since gets ``SQLState/serializationFailure``.
        case writingSnapshot
    }

    /// Begins a transaction.
    ///
    /// - Parameters:
    ///   - kind: What it is for.
    ///   - table: The name of a table that nobody else may write, or lock like this, until the transaction ends. It is locked before the
    ///     snapshot is taken, so that the snapshot has what the one before committed.
    /// - Throws: `PostgreSQLError`, and there is no transaction.
    public func begin(
        _ kind: TransactionKind, locking table: String? = nil
    ) throws {
        let begin =
            switch kind {
            case .reading: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            case .writing: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
            case .writingSnapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"
            }
        let lock = table.map { "; LOCK TABLE \($0) IN SHARE ROW EXCLUSIVE MODE" } ?? ""
        do {
            try run(script: begin + lock)
        } catch {
            try? rollback()
            throw error
        }
    }

    /// Commits.
    ///
    /// - Throws: ``PostgreSQLError/connectionLost`` or ``PostgreSQLError/timedOut`` if it is not known whether the changes are there; after any
    ///   other error they are not.
    public func commit() throws {
        // A transaction in which something failed is rolled back instead, and no error is told.
        guard try run(script: "COMMIT") == "COMMIT" else {
            throw PostgreSQLError.server(.failedTransaction)
        }
    }

    /// Rolls back; nothing happens outside a transaction, and where the connection has ended.
    public func rollback() throws {
        guard isInTransaction else { return }
        try run(script: "ROLLBACK")
    }

    /// Whether nothing but rolling back is left: a statement of the transaction failed, or the connection has ended.
    public var isFailed: Bool {
        guard isOpen else { return true }
        return unsafe functions.pointee.PQtransactionStatus(handle)
            == UInt32(cpostgresql_in_failed_transaction)
    }

    /// Whether a transaction is open, also one that failed. The corresponding C function is `PQtransactionStatus`.
    public var isInTransaction: Bool {
        guard let handle = unsafe handle else { return false }
        let status = unsafe functions.pointee.PQtransactionStatus(handle)
        return status == UInt32(cpostgresql_in_transaction)
            || status == UInt32(cpostgresql_in_failed_transaction)
    }
}

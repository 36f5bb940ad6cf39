internal import CPostgreSQL

extension PostgreSQLConnection {
    /// The purpose of a transaction.
    public enum TransactionKind: Sendable {
        /// One snapshot, which begins at the first statement; read-only.
        case reading
        /// Each statement sees all earlier commits.
        case writing
        /// One snapshot. Changing a row that another transaction changed meanwhile fails with ``SQLState/serializationFailure``.
        case writingSnapshot
    }

    /// Begins a transaction.
    ///
    /// - Parameters:
    ///   - kind: The purpose.
    ///   - table: The name of a table to lock against other writers until the transaction ends. It is locked before the snapshot, so that
    ///     the
    /// snapshot includes the previous writer's commit.
    ///   - query: A `SELECT` of text columns to run in the same round trip.
    /// - Returns: Its rows.
    /// - Throws: ``DatabaseError``; no transaction is then open.
    @discardableResult
    public func begin(
        _ kind: TransactionKind, locking table: String? = nil, then query: String? = nil
    ) throws -> [PostgreSQLRow] {
        let begin =
            switch kind {
            case .reading: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            case .writing: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
            case .writingSnapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"
            }
        let lock = table.map { "; LOCK TABLE \($0) IN SHARE ROW EXCLUSIVE MODE" } ?? ""
        do {
            return try answer(to: begin + lock + (query.map { "; \($0)" } ?? "")).rows
        } catch {
            try? rollback()
            throw error
        }
    }

    /// Commits.
    ///
    /// - Throws: ``DatabaseError``. If the connection is then closed, the outcome is unknown; otherwise the changes are not stored.
    public func commit() throws {
        // The server rolls back a failed transaction instead, without an error.
        guard try run(script: "COMMIT") == "COMMIT" else {
            throw DatabaseError(server: .failedTransaction)
        }
    }

    /// Rolls back; does nothing outside a transaction or on a closed connection.
    public func rollback() throws {
        guard isInTransaction else { return }
        try run(script: "ROLLBACK")
    }

    /// Whether only a rollback is possible: a statement failed, or the connection is closed.
    public var isFailed: Bool {
        guard isOpen else { return true }
        return unsafe functions.pointee.PQtransactionStatus(handle)
            == UInt32(cpostgresql_in_failed_transaction)
    }

    /// Whether a transaction is open, even a failed one. The corresponding C function is `PQtransactionStatus`.
    public var isInTransaction: Bool {
        guard let handle = unsafe handle else { return false }
        let status = unsafe functions.pointee.PQtransactionStatus(handle)
        return status == UInt32(cpostgresql_in_transaction)
            || status == UInt32(cpostgresql_in_failed_transaction)
    }
}

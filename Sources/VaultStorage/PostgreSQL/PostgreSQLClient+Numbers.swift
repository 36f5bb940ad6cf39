internal import Database

/// Transactions that are known by their numbers.
extension PostgreSQLClient {
    /// Runs `body` in a transaction that is the only one that writes, and commits.
    ///
    /// - Throws: ``DatabaseError/outcomeUnknown`` if the connection was lost during the commit, and the server cannot be asked what became of
    ///   the transaction's number; what the server and `body` ran into.
    package func write<Result, Failure: Error>(
        _ body: (PostgreSQLTransaction<Kind>) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        var number: TransactionNumber?
        return try write(
            { (transaction) throws(Failure) in
                let result = try body(transaction)
                // Where this fails the transaction has failed, and is not committed.
                number = try? transaction.call { (tables) throws(DatabaseError) in
                    try tables.transactionNumber()
                }
                return result
            },
            isCommitted: { (tables) throws(DatabaseError) in
                switch number {
                case .assigned(let number): try tables.isCommitted(number)
                // Nothing was changed, which is as good as committed.
                case .notAssigned: true
                case nil: nil
                }
            })
    }
}

/// What a transaction is known by: a number that it gets with its first change.
private enum TransactionNumber {
    case assigned(String)
    case notAssigned
}

extension PostgreSQLTables {
    /// Makes sure that every text can be stored.
    ///
    /// - Throws: ``DatabaseError/foreign(reason:)`` where it cannot.
    package func requireUnicode() throws(DatabaseError) {
        let isUnicode = try perform { (connection) throws(PostgreSQLError) in
            try connection.rows("SELECT current_setting('server_encoding')").first?.text(at: 0)
                == "UTF8"
        }
        guard isUnicode else { throw .foreign(reason: "the database's encoding is not UTF8") }
    }

    /// The number of the transaction that is open; asking for it gives it none, which would have to be written to the server's log.
    fileprivate func transactionNumber() throws(DatabaseError) -> TransactionNumber? {
        try perform { (connection) throws(PostgreSQLError) in
            let rows = try connection.rows("SELECT pg_current_xact_id_if_assigned()::text")
            return try rows.first.map { (row) throws(PostgreSQLError) in
                row.isNull(at: 0) ? .notAssigned : .assigned(try row.text(at: 0))
            }
        }
    }

    /// Whether the transaction of a number was committed; nil if the server does not know any more.
    fileprivate func isCommitted(_ number: String) throws(DatabaseError) -> Bool? {
        try perform { (connection) throws(PostgreSQLError) in
            let rows = try connection.rows(
                "SELECT pg_xact_status($1::text::xid8)", [.text(number)])
            guard let row = rows.first, !row.isNull(at: 0) else { return nil }
            switch try row.text(at: 0) {
            case "committed": return true
            case "aborted": return false
            default: return nil
            }
        }
    }
}

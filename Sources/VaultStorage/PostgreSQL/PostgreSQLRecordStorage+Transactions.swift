extension PostgreSQLRecordStorage {
    /// Reads state and row by one statement, which is one snapshot without a transaction around it.
    public func stateAndItem(
        tag: [UInt8]
    ) throws(DatabaseError) -> (state: [UInt8]?, item: ItemRecord?) {
        // Two assignments: over a tuple that a function returns here, Swift 6.3's optimiser produces code that its own check refuses.
        var state: [UInt8]?
        var item: ItemRecord?
        try client.withTables { (vault) throws(DatabaseError) in
            (state, item) = try vault.stateAndItem(tag: tag)
        }
        return (state, item)
    }

    /// Runs `body` in a transaction, whose snapshot is that of its first call.
    public func read<Result, Failure: Error>(
        _ body: (any RecordReader) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        try client.read { (transaction) throws(Failure) in
            try body(PostgreSQLRecordReader(transaction))
        }
    }

    /// Runs `body` in a transaction that is the only one that writes, and commits.
    ///
    /// - Throws: ``DatabaseError/outcomeUnknown`` if the connection was lost during the commit, and the state record does not tell whether it
    ///   happened.
    public func write<Result, Failure: Error>(
        _ body: (any RecordWriter) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        var stateChange: PostgreSQLRecordWriter.StateChange?
        return try client.write(
            { (transaction) throws(Failure) in
                let writer = PostgreSQLRecordWriter(transaction)
                let result = try body(writer)
                stateChange = writer.stateChange
                return result
            },
            isCommitted: { (vault) throws(DatabaseError) in
                try stateChange?.isCommitted(whenThereIs: vault.state())
            })
    }
}

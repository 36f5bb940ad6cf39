internal import PostgreSQLDatabase

extension PostgreSQLRecordStorage {
    /// Reads state and row by one statement, which is one snapshot without a transaction around it.
    public func stateAndItem(
        tag: [UInt8]
    ) throws(StorageError) -> (state: [UInt8]?, item: ItemRecord?) {
        try lock.withLock { () throws(StorageError) in
            try withVault { (vault) throws(StorageError) in try vault.stateAndItem(tag: tag) }
        }
    }

    /// Runs `body` in a transaction, whose snapshot is that of its first call.
    public func read<Result, Failure: Error>(
        _ body: (any RecordReader) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        try lock.withLock { () throws(StorageFailure<Failure>) in
            let vault = try StorageFailure<Failure>.wrapping { () throws(StorageError) in
                try withVault { (vault) throws(StorageError) in
                    try vault.perform { (connection) throws(PostgreSQLError) in
                        try connection.begin(.reading)
                    }
                    return vault
                }
            }
            let reader = PostgreSQLRecordReader(vault)
            // Nothing is changed: that the end of the transaction is lost does no harm.
            return try vault.finish(
                reader, by: { () throws(StorageError) in vault.rollback() },
                { () throws(Failure) in try body(reader) })
        }
    }

    /// Runs `body` in a transaction that is the only one that writes, and commits.
    ///
    /// - Throws: ``StorageError/outcomeUnknown`` if the connection was lost during the commit, and the state record does not tell whether it
    ///   happened.
    public func write<Result, Failure: Error>(
        _ body: (any RecordWriter) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        guard mode == .readWrite else { throw .storage(.readOnly) }
        return try lock.withLock { () throws(StorageFailure<Failure>) in
            let vault = try StorageFailure<Failure>.wrapping { () throws(StorageError) in
                try withVault { (vault) throws(StorageError) in
                    try vault.beginWriting()
                    return vault
                }
            }
            let writer = PostgreSQLRecordWriter(vault)
            return try vault.finish(
                writer, by: { () throws(StorageError) in try commit(vault, writer) },
                { () throws(Failure) in try body(writer) })
        }
    }

    private func commit(
        _ vault: PostgreSQLVault, _ writer: PostgreSQLRecordWriter
    ) throws(StorageError) {
        do throws(PostgreSQLError) {
            try vault.connection.commit()
        } catch .connectionLost, .timedOut {
            // It may have happened all the same: what is stored now decides.
            guard try isCommitted(writer) else {
                throw StorageError(PostgreSQLError.connectionLost)
            }
        } catch {
            throw StorageError(error)
        }
    }

    /// Whether a transaction was committed whose connection was lost meanwhile.
    private func isCommitted(_ writer: PostgreSQLRecordWriter) throws(StorageError) -> Bool {
        guard let change = writer.stateChange, change.before != change.after else {
            throw .outcomeUnknown
        }
        let state: [UInt8]?
        do throws(StorageError) {
            let vault = try reopen(patience: options.timeout)
            // Its server process may still be at it. With the lock that it had, nothing can happen any more.
            try vault.beginWriting()
            defer { vault.rollback() }
            state = try vault.state()
        } catch {
            throw .outcomeUnknown
        }
        if state == change.after { return true }
        // Neither: somebody else has written since.
        guard state == change.before else { throw .outcomeUnknown }
        return false
    }
}

extension PostgreSQLVault {
    /// Begins a transaction for writing: the lock first, then the snapshot, which has all that the writer before committed.
    func beginWriting() throws(StorageError) {
        try perform { (connection) throws(PostgreSQLError) in
            try connection.begin(.writingSnapshot, locking: "taskvault.vault_header")
        }
        do throws(StorageError) {
            // Another machine may have a newer program, which migrated the tables.
            try PostgreSQLVaultSchema.requireNewestVersion(connection)
        } catch {
            rollback()
            throw error
        }
    }

    /// Runs `body` and ends the transaction, or rolls it back.
    func finish<Value, Failure: Error>(
        _ user: PostgreSQLRecordReader, by end: () throws(StorageError) -> Void,
        _ body: () throws(Failure) -> Value
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
            try end()
        } catch {
            rollback()
            throw .storage(error)
        }
        return value
    }
}

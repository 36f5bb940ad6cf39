package import Database
internal import Platform

/// Tables of one kind in a database of a server, whose connection is opened again after it was lost, with every check.
///
/// Thread-safe: calls wait for one another. A call from inside the function that another call of the same object runs never returns.
///
/// Unchecked, because the connection is used under the lock only, and a caller's results need not be sendable.
package final class PostgreSQLClient<Kind: PostgreSQLTableKind>: @unchecked Sendable {
    private let address: PostgreSQLAddress
    private let mode: StorageMode
    private let options: PostgreSQLOptions
    private let lock = StorageLock()
    private var tables: PostgreSQLTables<Kind>?
    private var isClosed = false

    private init(
        _ address: PostgreSQLAddress, mode: StorageMode, _ options: PostgreSQLOptions,
        _ tables: PostgreSQLTables<Kind>
    ) {
        self.address = address
        self.mode = mode
        self.options = options
        self.tables = tables
    }

    /// Opens tables that are there.
    package static func open(
        _ address: PostgreSQLAddress, mode: StorageMode, _ options: PostgreSQLOptions
    ) throws(DatabaseError) -> PostgreSQLClient {
        PostgreSQLClient(
            address, mode: mode, options,
            try PostgreSQLTables<Kind>.open(address, mode: mode, options))
    }

    /// Opens tables for reading and writing, and makes them first where there are none.
    package static func openOrCreate(
        _ address: PostgreSQLAddress, _ options: PostgreSQLOptions
    ) throws(DatabaseError) -> PostgreSQLClient {
        PostgreSQLClient(
            address, mode: .readWrite, options,
            try PostgreSQLTables<Kind>.openOrCreate(address, options))
    }

    /// Makes calls fail that wait for the server, those of other threads among them; what is left to do then is to close.
    package func interrupt() {
        options.interruption.interrupt()
    }

    /// Closes the connection.
    package func close() {
        lock.withLock {
            isClosed = true
            tables?.connection.close()
            tables = nil
        }
    }

    /// Makes sure that it was not closed.
    package func requireOpen() throws(DatabaseError) {
        try lock.withLock { () throws(DatabaseError) in if isClosed { throw .closed } }
    }

    /// Runs `body`, one call at a time, and once again with a new connection if it turns out that the server ended the first.
    ///
    /// For what can be done twice.
    package func withTables<Value>(
        _ body: (PostgreSQLTables<Kind>) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try lock.withLock { () throws(DatabaseError) in try withLockedTables(body) }
    }

    private func withLockedTables<Value>(
        _ body: (PostgreSQLTables<Kind>) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        if isClosed { throw .closed }
        guard let tables, tables.connection.isOpen else { return try body(try reopen()) }
        do throws(DatabaseError) {
            return try body(tables)
        } catch {
            guard tables.wasLost else { throw error }
            return try body(try reopen())
        }
    }

    private func reopen() throws(DatabaseError) -> PostgreSQLTables<Kind> {
        tables?.connection.close()
        tables = nil
        let opened = try PostgreSQLTables<Kind>.open(address, mode: mode, options)
        tables = opened
        return opened
    }

    /// As ``reopen()``, again and again for a while: a server that ended may be about to start.
    private func reopenPatiently() throws(DatabaseError) -> PostgreSQLTables<Kind> {
        let deadline = ContinuousClock.now + options.timeout
        while true {
            do throws(DatabaseError) {
                return try reopen()
            } catch {
                guard case .unreachable = error, ContinuousClock.now < deadline,
                    !options.interruption.hasHappened
                else { throw error }
                usleep(UInt32.random(in: 20_000...100_000))
            }
        }
    }

    /// Runs `body` in a transaction, whose snapshot is that of its first call.
    package func read<Result, Failure: Error>(
        _ body: (PostgreSQLTransaction<Kind>) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        try lock.withLock { () throws(StorageFailure<Failure>) in
            let tables = try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
                try withLockedTables { (tables) throws(DatabaseError) in
                    try tables.beginReading()
                    return tables
                }
            }
            let transaction = PostgreSQLTransaction(tables)
            // Nothing is changed: that the end of the transaction is lost does no harm.
            return try tables.finish(
                transaction, by: { () throws(DatabaseError) in tables.rollback() },
                { () throws(Failure) in try body(transaction) })
        }
    }

    /// Runs `body` in a transaction that is the only one that writes, and commits.
    ///
    /// - Parameters:
    ///   - body: That.
    ///   - isCommitted: Tells afterwards, if the connection was lost during the commit, whether it happened; nil where that cannot be told. The
    ///     transaction has ended in one way or the other by then.
    /// - Returns: What `body` returns.
    /// - Throws: ``DatabaseError/outcomeUnknown`` if it cannot be found out whether a commit happened; what the server and `body` ran into.
    package func write<Result, Failure: Error>(
        _ body: (PostgreSQLTransaction<Kind>) throws(Failure) -> Result,
        isCommitted: (PostgreSQLTables<Kind>) throws(DatabaseError) -> Bool?
    ) throws(StorageFailure<Failure>) -> Result {
        guard mode == .readWrite else { throw .storage(.readOnly) }
        return try lock.withLock { () throws(StorageFailure<Failure>) in
            let tables = try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
                try withLockedTables { (tables) throws(DatabaseError) in
                    try tables.beginWriting()
                    return tables
                }
            }
            let transaction = PostgreSQLTransaction(tables)
            return try tables.finish(
                transaction,
                by: { () throws(DatabaseError) in try commit(tables, isCommitted) },
                { () throws(Failure) in try body(transaction) })
        }
    }

    private func commit(
        _ tables: PostgreSQLTables<Kind>,
        _ isCommitted: (PostgreSQLTables<Kind>) throws(DatabaseError) -> Bool?
    ) throws(DatabaseError) {
        do throws(PostgreSQLError) {
            return try tables.connection.commit()
        } catch .connectionLost, .timedOut {
            // It may have happened all the same.
        } catch {
            throw DatabaseError(error)
        }
        let answer: Bool?
        do throws(DatabaseError) {
            let later = try reopenPatiently()
            // The server's process of the lost connection may still be at it. With the lock that it had, nothing can happen any more.
            try later.beginWriting()
            defer { later.rollback() }
            answer = try isCommitted(later)
        } catch {
            throw .outcomeUnknown
        }
        switch answer {
        case true?: return
        case false?: throw DatabaseError(PostgreSQLError.connectionLost)
        case nil: throw .outcomeUnknown
        }
    }
}

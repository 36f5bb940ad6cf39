package import Database

/// A connection to a database whose tables were looked at. Not thread-safe.
package final class PostgreSQLTables<Kind: PostgreSQLTableKind> {
    /// The connection.
    package let connection: PostgreSQLConnection
    /// Whether the server ended the connection; not whether it did not answer in time.
    private(set) var wasLost = false

    private init(_ connection: PostgreSQLConnection) {
        self.connection = connection
    }

    /// Connects, and makes the tables where they are missing.
    static func openOrCreate(
        _ address: PostgreSQLAddress, _ options: PostgreSQLOptions
    ) throws(DatabaseError) -> PostgreSQLTables {
        let connection = try connect(address, options)
        try Kind.migrate(connection)
        try Kind.verify(connection)
        return PostgreSQLTables(connection)
    }

    /// Connects to tables that are there.
    static func open(
        _ address: PostgreSQLAddress, mode: StorageMode, _ options: PostgreSQLOptions
    ) throws(DatabaseError) -> PostgreSQLTables {
        let connection = try connect(address, options)
        if mode == .readWrite, try Kind.isOlder(connection) { try Kind.migrate(connection) }
        try Kind.verify(connection)
        return PostgreSQLTables(connection)
    }

    private static func connect(
        _ address: PostgreSQLAddress, _ options: PostgreSQLOptions
    ) throws(DatabaseError) -> PostgreSQLConnection {
        do {
            return try PostgreSQLConnection(to: address, options: options)
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Runs SQL.
    package func perform<Value>(
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(DatabaseError) -> Value {
        do {
            return try body(connection)
        } catch {
            if error == .connectionLost { wasLost = true }
            throw DatabaseError(error)
        }
    }

    /// Begins a transaction for reading, whose snapshot is that of its first call.
    func beginReading() throws(DatabaseError) {
        try perform { (connection) throws(PostgreSQLError) in try connection.begin(.reading) }
    }

    /// Begins a transaction for writing: the lock first, then the snapshot, which has all that the writer before committed.
    func beginWriting() throws(DatabaseError) {
        try perform { (connection) throws(PostgreSQLError) in
            try connection.begin(.writingSnapshot, locking: Kind.lockedTable)
        }
        do throws(DatabaseError) {
            // Another machine may have a newer program, which migrated the tables.
            try Kind.requireNewestVersion(connection)
        } catch {
            rollback()
            throw error
        }
    }

    /// Ends a transaction that is not to be committed.
    func rollback() {
        do {
            try connection.rollback()
        } catch {
            // The transaction goes with the connection.
            connection.close()
        }
    }

    /// Runs `body` and ends the transaction, or rolls it back.
    func finish<Value, Failure: Error>(
        _ transaction: PostgreSQLTransaction<Kind>, by end: () throws(DatabaseError) -> Void,
        _ body: () throws(Failure) -> Value
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
            try end()
        } catch {
            rollback()
            throw .storage(error)
        }
        return value
    }
}

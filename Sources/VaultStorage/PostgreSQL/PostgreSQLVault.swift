internal import PostgreSQLDatabase

/// A connection to a database with a vault whose tables were looked at. Not thread-safe.
final class PostgreSQLVault {
    let connection: PostgreSQLConnection
    /// Whether the server ended the connection; not whether it did not answer in time.
    private(set) var wasLost = false

    private init(_ connection: PostgreSQLConnection) {
        self.connection = connection
    }

    /// Reads an address.
    static func address(_ text: String) throws(StorageError) -> PostgreSQLAddress {
        do {
            return try PostgreSQLAddress(text)
        } catch {
            throw StorageError(error)
        }
    }

    /// Connects, and makes the tables where they are missing.
    static func create(
        _ address: PostgreSQLAddress, _ options: PostgreSQLOptions
    ) throws(StorageError) -> PostgreSQLVault {
        let connection = try connect(address, options)
        try PostgreSQLVaultSchema.migrate(connection)
        try PostgreSQLVaultSchema.verify(connection)
        return PostgreSQLVault(connection)
    }

    /// Connects to a vault that is there.
    static func open(
        _ address: PostgreSQLAddress, mode: PostgreSQLRecordStorage.Mode,
        _ options: PostgreSQLOptions
    ) throws(StorageError) -> PostgreSQLVault {
        let connection = try connect(address, options)
        if mode == .readWrite, try PostgreSQLVaultSchema.isOlder(connection) {
            try PostgreSQLVaultSchema.migrate(connection)
        }
        try PostgreSQLVaultSchema.verify(connection)
        return PostgreSQLVault(connection)
    }

    private static func connect(
        _ address: PostgreSQLAddress, _ options: PostgreSQLOptions
    ) throws(StorageError) -> PostgreSQLConnection {
        do {
            return try PostgreSQLConnection(to: address, options: options)
        } catch {
            throw StorageError(error)
        }
    }

    /// Runs SQL.
    func perform<Value>(
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Value
    ) throws(StorageError) -> Value {
        do {
            return try body(connection)
        } catch {
            if error == .connectionLost { wasLost = true }
            throw StorageError(error)
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
}

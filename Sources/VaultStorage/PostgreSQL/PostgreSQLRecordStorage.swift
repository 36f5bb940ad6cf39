internal import Database

/// A vault in a database of a PostgreSQL server, which is trusted no more than a file.
///
/// For people with several machines: any number of them may read and write at once; writers take turns. The tables are those of the schema
/// `taskvault` whose names begin with `vault_`. Thread-safe: calls wait for one another. A call from inside the function that another call of
/// the same object runs never returns. A connection that was lost is opened again by the next call, with every check.
public final class PostgreSQLRecordStorage: RecordStorage {
    let client: PostgreSQLClient<PostgreSQLVaultSchema>

    private init(_ client: PostgreSQLClient<PostgreSQLVaultSchema>) {
        self.client = client
    }

    /// Makes the tables of a vault, without records.
    ///
    /// - Parameters:
    ///   - address: The database, `postgresql://user@host/database`; never with a password, which is looked for in `~/.pgpass`.
    ///   - timeout: How long the server may take to answer.
    ///   - lockTimeout: How long a call waits for other writers.
    /// - Returns: The storage, for reading and writing.
    /// - Throws: ``DatabaseError/alreadyExists`` if there is a vault in the database, ``DatabaseError/foreign(reason:)`` if there are other tables
    ///   of the same names, ``DatabaseError/unreachable(reason:)`` if the address is not to be used or nobody answers there.
    public static func create(
        at address: String, timeout: Duration = .seconds(30), lockTimeout: Duration = .seconds(5)
    ) throws(DatabaseError) -> PostgreSQLRecordStorage {
        let client = try PostgreSQLClient<PostgreSQLVaultSchema>.openOrCreate(
            Self.address(address), PostgreSQLOptions(timeout: timeout, lockTimeout: lockTimeout))
        guard try isEmpty(client) else { throw .alreadyExists }
        return PostgreSQLRecordStorage(client)
    }

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - address: The database, `postgresql://user@host/database`; never with a password, which is looked for in `~/.pgpass`.
    ///   - mode: What may be done with it.
    ///   - timeout: How long the server may take to answer.
    ///   - lockTimeout: How long a call waits for other writers.
    /// - Returns: The storage.
    /// - Throws: ``DatabaseError/notFound`` if there is no vault in the database, or one that is only being made, ``DatabaseError/foreign(reason:)``,
    ///   ``DatabaseError/newerVersion(_:)`` for what is there instead, ``DatabaseError/unreachable(reason:)`` if the address is not to be used or
    ///   nobody answers there.
    public static func open(
        at address: String, mode: StorageMode, timeout: Duration = .seconds(30),
        lockTimeout: Duration = .seconds(5)
    ) throws(DatabaseError) -> PostgreSQLRecordStorage {
        let client = try PostgreSQLClient<PostgreSQLVaultSchema>.open(
            Self.address(address), mode: mode,
            PostgreSQLOptions(timeout: timeout, lockTimeout: lockTimeout))
        guard try !isEmpty(client) else { throw .notFound }
        return PostgreSQLRecordStorage(client)
    }

    /// Whether there is nothing but tables: a vault that somebody is making, or began to make, is none yet.
    private static func isEmpty(
        _ client: PostgreSQLClient<PostgreSQLVaultSchema>
    ) throws(DatabaseError) -> Bool {
        try client.withTables { (vault) throws(DatabaseError) in try vault.isEmpty() }
    }

    private static func address(_ text: String) throws(DatabaseError) -> PostgreSQLAddress {
        do {
            return try PostgreSQLAddress(text)
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Ends calls that wait for the server.
    public func interrupt() {
        client.interrupt()
    }

    /// Closes the storage.
    public func close() {
        client.close()
    }

    /// Nobody can know: servers keep rows that were replaced for a while, and logs and copies of them for longer.
    ///
    /// - Returns: nil.
    public func eraseOldBytes() throws(DatabaseError) -> Bool? {
        try client.requireOpen()
        return nil
    }
}

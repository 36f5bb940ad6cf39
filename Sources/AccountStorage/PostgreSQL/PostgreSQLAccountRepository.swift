public import Accounts
public import Database
internal import VaultStorage

/// The accounts in a database of a PostgreSQL server, for several auth servers or one that keeps nothing on its own machine.
///
/// The tables are those of the schema `taskvault` whose names begin with `account_`. Thread-safe. Writers wait for one another, also for
/// those of other machines; readers have connections of their own, and wait neither for writers nor, as long as there are enough, for one
/// another. So the repository can also be read from inside ``change(_:)``, and shows what was there before. A call of ``change(_:)`` from
/// inside another never returns. A connection that was lost is opened again by the next call, with every check.
public final class PostgreSQLAccountRepository: AccountRepository, StoredAccountReader {
    private let writer: PostgreSQLClient<PostgreSQLAccountSchema>
    private let readers: ConnectionPool<PostgreSQLClient<PostgreSQLAccountSchema>>

    private init(
        _ writer: PostgreSQLClient<PostgreSQLAccountSchema>, _ address: PostgreSQLAddress,
        _ options: PostgreSQLOptions, readers limit: Int
    ) {
        self.writer = writer
        readers = ConnectionPool(limit: limit) { () throws(DatabaseError) in
            try PostgreSQLClient.open(address, mode: .readOnly, options)
        }
    }

    /// Opens the accounts of a database, and makes the tables first where there are none.
    ///
    /// - Parameters:
    ///   - address: The database.
    ///   - connections: How many connections there may be: one for writers, the others, at least one, for readers.
    ///   - timeout: How long the server may take to answer.
    ///   - lockTimeout: How long a call waits for writers of other processes.
    /// - Returns: The repository.
    /// - Throws: `foreign` or `newerVersion` for what is there instead; `unreachable` if nobody answers, or does not let us in.
    public static func open(
        _ address: PostgreSQLAddress, connections: Int = 4, timeout: Duration = .seconds(30),
        lockTimeout: Duration = .seconds(5)
    ) throws(AccountRepositoryError) -> PostgreSQLAccountRepository {
        try AccountRepositoryError.mapping { () throws(DatabaseError) in
            let options = PostgreSQLOptions(timeout: timeout, lockTimeout: lockTimeout)
            let writer = try PostgreSQLClient<PostgreSQLAccountSchema>.openOrCreate(
                address, options)
            try writer.withTables { (tables) throws(DatabaseError) in try tables.requireUnicode() }
            return PostgreSQLAccountRepository(
                writer, address, options, readers: max(connections, 2) - 1)
        }
    }

    /// Runs `body` in a transaction that is the only one that writes, also of all machines, and commits it.
    ///
    /// - Throws: `outcomeUnknown` if the connection was lost during the commit, and the server cannot be asked whether it happened.
    public func change<Result, Failure: Error>(
        _ body: (any AccountWriter) throws(Failure) -> Result
    ) throws(AccountRepositoryFailure<Failure>) -> Result {
        do throws(StorageFailure<Failure>) {
            return try writer.write { (transaction) throws(Failure) in
                try body(StoredAccountWriter(transaction))
            }
        } catch {
            throw AccountRepositoryFailure(error)
        }
    }

    /// Asks the server; see `AccountRepository`.
    public func check() throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.check() }
    }

    /// Closes the connections.
    public func close() {
        readers.close()
        writer.close()
    }

    /// Runs `body`, which is to be one statement: that is one snapshot without a transaction around it.
    func run<Value>(
        _ body: (PostgreSQLTables<PostgreSQLAccountSchema>) throws(DatabaseError) -> Value
    ) throws(AccountRepositoryError) -> Value {
        try AccountRepositoryError.mapping { () throws(DatabaseError) in
            try readers.use { (client) throws(DatabaseError) in try client.withTables(body) }
        }
    }
}

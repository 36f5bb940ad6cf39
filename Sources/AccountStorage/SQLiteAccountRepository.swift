public import Accounts
public import VaultStorage

/// The accounts in a file: an SQLite database that only its owner can read, and that is opened as if it were hostile.
///
/// Thread-safe. Writers wait for one another; readers have connections of their own, and wait neither for writers nor, as long as there are
/// enough, for one another. So the repository can also be read from inside ``change(_:)``, and shows what was there before. A call of
/// ``change(_:)`` from inside another never returns. Several objects for one file, in one process or more, are fine.
public final class SQLiteAccountRepository: AccountRepository, StoredAccountReader {
    private let file: SafeDatabaseFile<AccountSchema>
    private let readers: ConnectionPool<SafeDatabaseFile<AccountSchema>>

    /// The file, absolute.
    public var location: VaultLocation { file.location }

    private init(
        _ file: SafeDatabaseFile<AccountSchema>, _ mode: StorageMode, readers limit: Int,
        busyTimeout: Duration
    ) {
        self.file = file
        let path = file.location.path
        readers = ConnectionPool(first: mode == .readOnly ? file : nil, limit: limit) {
            () throws(DatabaseError) in
            try SafeDatabaseFile.open(at: path, mode: .readOnly, busyTimeout: busyTimeout)
        }
    }

    /// Opens a file of accounts that is there.
    ///
    /// - Parameters:
    ///   - path: The file; it and its folder are safe (`VaultLocation`).
    ///   - mode: What may be done with it.
    ///   - readers: How many read at the same time, at most.
    ///   - busyTimeout: How long a call waits for other processes.
    /// - Returns: The repository; nil where there is no such file.
    /// - Throws: `unsafeLocation`, `foreign`, `newerVersion` or `damaged` for what is there instead; `readOnly`.
    public static func open(
        at path: String, mode: StorageMode, readers: Int = 4, busyTimeout: Duration = .seconds(5)
    ) throws(AccountRepositoryError) -> SQLiteAccountRepository? {
        do throws(DatabaseError) {
            let file = try SafeDatabaseFile<AccountSchema>.open(
                at: path, mode: mode, busyTimeout: busyTimeout)
            return SQLiteAccountRepository(
                file, mode, readers: readers, busyTimeout: busyTimeout)
        } catch .notFound {
            return nil
        } catch {
            throw AccountRepositoryError(opening: error)
        }
    }

    /// Opens a file of accounts for reading and writing, and makes it first, with mode 0600, where there is none.
    ///
    /// - Parameters:
    ///   - path: The file; its folder exists and is safe (`VaultLocation`).
    ///   - readers: How many read at the same time, at most.
    ///   - busyTimeout: How long a call waits for other processes.
    /// - Returns: The repository.
    /// - Throws: As ``open(at:mode:readers:busyTimeout:)``.
    public static func openOrCreate(
        at path: String, readers: Int = 4, busyTimeout: Duration = .seconds(5)
    ) throws(AccountRepositoryError) -> SQLiteAccountRepository {
        do throws(DatabaseError) {
            let file = try SafeDatabaseFile<AccountSchema>.openOrCreate(
                at: path, busyTimeout: busyTimeout)
            return SQLiteAccountRepository(
                file, .readWrite, readers: readers, busyTimeout: busyTimeout)
        } catch {
            throw AccountRepositoryError(opening: error)
        }
    }

    /// Runs `body` in a transaction that is the only one that writes, also of all processes, and commits it.
    public func change<Result, Failure: Error>(
        _ body: (any AccountWriter) throws(Failure) -> Result
    ) throws(AccountRepositoryFailure<Failure>) -> Result {
        do throws(StorageFailure<Failure>) {
            return try file.write { (transaction) throws(Failure) in
                try body(StoredAccountWriter(transaction))
            }
        } catch {
            throw AccountRepositoryFailure(error)
        }
    }

    /// Reads a little of the file; see `AccountRepository`.
    public func check() throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.check() }
    }

    /// Closes the file. The last one to close it leaves nothing beside it.
    public func close() {
        readers.close()
        file.close()
    }

    /// Runs `body` with the file that the path names now. It is to be one statement, which is one snapshot without a transaction around it.
    func run<Value>(
        _ body: (SafeDatabase<AccountSchema>) throws(DatabaseError) -> Value
    ) throws(AccountRepositoryError) -> Value {
        try AccountRepositoryError.mapping { () throws(DatabaseError) in
            try readers.use { (file) throws(DatabaseError) in
                try file.withCurrentDatabase(body)
            }
        }
    }
}

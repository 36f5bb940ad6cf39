public import Database
internal import Platform

/// The accounts in a file, on a server, or in memory. See `Docs/Storage.md`.
///
/// Thread-safe. Writers wait for one another, also for those of other processes and machines. Readers have their own connections and never
/// wait for a writer, so ``read(_:)`` is allowed inside ``change(_:)`` and sees the state before it. In memory there is one connection for
/// all: a call inside the function of another one never returns. Nor does ``change(_:)`` inside itself, in any database.
///
/// A lost connection is opened again by the next call, and a file that was replaced is opened instead of the old one, with every check.
/// An expired row exists until it is purged: the caller has the clock. Errors of the database are thrown as they are.
public final class AccountRepository: Sendable {
    let pool: DatabasePool

    private init(_ pool: DatabasePool) {
        self.pool = pool
    }

    /// Opens existing accounts.
    ///
    /// - Parameters:
    ///   - place: The database. A file and its folder must be safe (`VaultLocation`).
    ///   - options: The mode, timeouts, and the number of connections: one for writers, the others, at least one, for readers.
    /// - Returns: The accounts.
    /// - Throws: `DatabaseError.notFound` if there is no such file or there are no tables on the server;
    ///   `DatabaseError.unsafeLocation`, `DatabaseError.foreign`, `DatabaseError.newerVersion` or
    ///   `DatabaseError.damaged`; `DatabaseError.readOnly`; `DatabaseError.unreachable`.
    public static func open(
        _ place: DatabasePlace, _ options: DatabaseOptions = standardOptions
    ) throws -> AccountRepository {
        AccountRepository(
            try DatabasePool.open(place, AccountSchema.schema, fitting(options, place)))
    }

    /// Opens accounts for reading and writing, and makes the tables first if they do not exist: in a file of mode 0600, or on a server.
    ///
    /// - Throws: As ``open(_:_:)``; `DatabaseError.notFound` if the folder does not exist.
    public static func openOrCreate(
        _ place: DatabasePlace, _ options: DatabaseOptions = standardOptions
    ) throws -> AccountRepository {
        AccountRepository(
            try DatabasePool.openOrCreate(place, AccountSchema.schema, fitting(options, place)))
    }

    /// One connection for writers and at most four for readers.
    public static var standardOptions: DatabaseOptions { DatabaseOptions(connections: 5) }

    private static func fitting(
        _ options: DatabaseOptions, _ place: DatabasePlace
    ) -> DatabaseOptions {
        var options = options
        options.connections =
            switch place {
            case .memory: 1
            case .file, .server: max(options.connections, 2)
            }
        return options
    }

    /// Runs queries. Each sees the commits before it, so several of them may see different states.
    ///
    /// - Parameter body: Runs the queries. It runs twice if a server closed the connection.
    /// - Returns: The result of `body`.
    /// - Throws: `DatabaseError`, and the errors of `body`.
    public func read<Result>(_ body: (AccountTransaction) throws -> Result) throws -> Result {
        try pool.single(following: true) { try body(AccountTransaction($0)) }
    }

    /// Runs `body` in a transaction without other writers, and commits it durably: all of its changes or none. An error of `body` rolls it back.
    ///
    /// - Throws: The errors of `body`; `DatabaseError.outcomeUnknown` if a server was lost during the commit and cannot be asked.
    @discardableResult
    public func change<Result>(_ body: (AccountTransaction) throws -> Result) throws -> Result {
        try pool.write { try body(AccountTransaction($0)) }
    }

    /// Tells other servers of a file that inboxes changed. Call it after the commit: they watch the file, and would see a write before it.
    ///
    /// A database server tells its listeners itself, at the commit.
    func signalInboxes() {
        if case .file(let path) = pool.place { FileSystem.touch(path) }
    }

    /// Whether a change that failed with this error certainly changed nothing, and may succeed later.
    public func canRetry(after error: any Error) -> Bool {
        switch error as? DatabaseError {
        case .busy, .unreachable, .full, .readOnly, .outOfMemory: true
        default: false
        }
    }

    /// A number that changes with each commit, of this server or another one; nil if the database has no such count. See `DatabasePool.commitCount()`.
    package func commitCount() -> CommitCount? { pool.commitCount() }

    /// Checks that the database answers. Reads at most one row.
    public func check() throws {
        try pool.single(following: true) {
            _ = try $0.rows("SELECT id FROM accounts LIMIT 1") { _ in }
        }
    }

    /// Checks that the database can be written: changes one row durably.
    ///
    /// - Throws: An error of the database.
    public func checkWritable() throws {
        try pool.write { transaction in
            // Another value each time: SQLite does not write a page that stays the same.
            _ = try transaction.change(
                """
                INSERT INTO changes (id, last) VALUES (1, 1)
                ON CONFLICT (id) DO UPDATE SET last = changes.last + 1
                """)
        }
    }

    /// Closes all connections; later calls fail. The last user of a file leaves nothing beside it. Closing twice is allowed.
    public func close() {
        pool.close()
    }
}

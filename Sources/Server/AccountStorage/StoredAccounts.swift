public import Accounts
public import Database
internal import Platform

/// The accounts in a file, on a server, or in memory. See `Docs/Storage.md`.
///
/// Thread-safe. Writers wait for one another, also for those of other processes and machines. Readers have their own connections and never
/// wait for a writer, so a query is allowed inside ``change(_:)`` and sees the state before it. In memory there is one connection for all:
/// such a query never returns. Nor does ``change(_:)`` inside itself, in any database.
///
/// A lost connection is opened again by the next call, and a file that was replaced is opened instead of the old one, with every check.
public final class StoredAccounts: AccountRepository, AccountQueries {
    private let pool: DatabasePool

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
    ) throws -> StoredAccounts {
        StoredAccounts(try DatabasePool.open(place, AccountSchema.schema, fitting(options, place)))
    }

    /// Opens accounts for reading and writing, and makes the tables first if they do not exist: in a file of mode 0600, or on a server.
    ///
    /// - Throws: As ``open(_:_:)``; `DatabaseError.notFound` if the folder does not exist.
    public static func openOrCreate(
        _ place: DatabasePlace, _ options: DatabaseOptions = standardOptions
    ) throws -> StoredAccounts {
        StoredAccounts(
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

    /// Runs a transaction; see `AccountRepository`.
    ///
    /// - Throws: `DatabaseError.outcomeUnknown` if a server was lost during the commit and cannot be asked.
    @discardableResult
    public func change<Result>(_ body: (any AccountWriter) throws -> Result) throws -> Result {
        let isOnServer = if case .server = pool.place { true } else { false }
        var hasChangedInboxes = false
        let result = try pool.write { transaction in
            let writer = StoredAccountWriter(transaction, isOnServer: isOnServer)
            let value = try body(writer)
            hasChangedInboxes = writer.hasChangedInboxes
            return value
        }
        // The other servers of a file watch it for this; they would see a write before its commit.
        if hasChangedInboxes, case .file(let path) = pool.place { FileSystem.touch(path) }
        return result
    }

    /// Whether a later attempt may succeed; see `AccountRepository`.
    public func canRetry(after error: any Error) -> Bool {
        switch error as? DatabaseError {
        case .busy, .unreachable, .full, .readOnly, .outOfMemory: true
        default: false
        }
    }

    /// Reads at most one row; see `AccountRepository`.
    public func check() throws {
        try run { _ = try $0.rows("SELECT id FROM accounts LIMIT 1") { _ in } }
    }

    /// Closes all connections. The last user of a file leaves nothing beside it.
    public func close() {
        pool.close()
    }

    func run<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try pool.single(following: true, body)
    }
}

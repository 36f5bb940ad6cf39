/// The tables of one ``Schema``, behind one connection to a file or a server.
///
/// ``DatabasePool`` chooses the implementation, opens and locks databases, and runs transactions. Not thread-safe.
package protocol Database: AnyObject {
    /// Whether the connection is usable. A failure that leaves its state uncertain makes it unusable.
    var isUsable: Bool { get }
    /// Whether a server closed the connection. The call may be repeated on a new connection.
    var wasLost: Bool { get }
    /// Whether a transaction is open and has not failed.
    var isInTransaction: Bool { get }

    /// The maximum number of rows that one statement should return.
    var pageSize: Int { get }

    /// Begins a transaction.
    ///
    /// - Returns: `false`, without a transaction, if the path now names another file.
    func begin(_ kind: TransactionKind) throws -> Bool
    /// Commits the transaction durably.
    ///
    /// - Parameter isCommitted: Called if the connection was lost meanwhile. Returns whether the changes are stored, or nil if unknown.
    ///   Without
    /// it, the transaction's id decides.
    /// - Throws: ``DatabaseError/outcomeUnknown`` if the connection was lost and the server cannot be queried.
    func commit(_ isCommitted: CommitCheck?) throws
    /// Rolls back the transaction; does nothing outside a transaction.
    func rollback()

    /// Runs a statement and reads its rows.
    ///
    /// - Parameters:
    ///   - sql: One statement with parameters `$1`, `$2`, ….
    ///   - values: The parameters. Each statement always gets the same types.
    ///   - read: Reads a row, which is valid only during the call.
    /// - Throws: ``DatabaseError``, and the errors of `read`.
    func forEachRow(
        _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Void
    ) throws
    /// Runs a statement.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - values: Its parameters.
    ///   - isErasing: Whether to overwrite the bytes of removed rows in a file. Otherwise the statement is faster.
    /// - Returns: The number of changed rows.
    /// - Throws: ``DatabaseError``.
    func change(_ sql: SQL, _ values: [DatabaseValue], erasing isErasing: Bool) throws -> Int

    /// Whether the path still names this database file.
    func isCurrent() throws -> Bool
    /// A number that changes when any connection commits a change; nil if the database has none.
    func dataVersion() throws -> DataVersion?
    /// Erases copies of overwritten bytes.
    ///
    /// - Parameters:
    ///   - isRewriting: Whether to rewrite the file first.
    ///   - attempts: The number of attempts.
    ///   - lockTimeout: How long each attempt waits for other connections.
    /// - Returns: `false` if other connections prevented it; nil on a server, which keeps copies.
    /// - Throws: ``DatabaseError``.
    func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, lockTimeout: Duration
    ) throws -> Bool?
    /// Returns unused pages to the file system, in one short transaction.
    ///
    /// - Returns: Whether more unused pages are left.
    func returnSpace() throws -> Bool
    /// Checkpoints the log and leaves WAL mode. This fails while another connection has the file open.
    ///
    /// - Returns: `false` if another connection has the file open.
    func leaveWALMode() throws -> Bool
    /// Whether all pages and rows are well-formed; `true` on a server, which checks them itself.
    func isWellFormed() throws -> Bool
    /// Closes the connection. A second call does nothing.
    func close()
}

extension Database {
    package func isWellFormed() throws -> Bool { true }
}

/// Queries the tables whether a transaction was committed; nil if the tables do not show it.
package typealias CommitCheck = (Transaction) throws -> Bool?

/// The purpose of a transaction.
package enum TransactionKind: Sendable {
    /// Reads one snapshot, which begins at the first statement.
    case reading
    /// Reads one snapshot and writes; excludes other writers.
    case writing
}

/// The version of the data that one connection sees.
package struct DataVersion: Sendable, Hashable {
    let connection: UInt64
    let number: UInt32
}

/// The permitted access to a database.
public enum StorageMode: Sendable {
    /// Reads and writes.
    case readWrite
    /// Reads only. A writer's log beside a writable file may still be checkpointed.
    case readOnly
}

/// The value of a parameter; nil is NULL.
public enum DatabaseValue: Sendable, Hashable {
    /// A value for `bytea`.
    case bytes([UInt8]?)
    /// A value for `bigint`.
    case integer(Int64?)
    /// A value for `text`, without U+0000, which PostgreSQL rejects.
    case text(String?)
}

/// A row of a result. Column indexes start at 0.
///
/// A column of an unexpected type is ``DatabaseError/damaged(reason:)``; types are never converted.
package protocol Row {
    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool
    /// A column of bytes.
    func bytes(_ column: Int32) throws -> [UInt8]
    /// A column with an integer.
    func integer(_ column: Int32) throws -> Int64
    /// A column of text that is valid UTF-8.
    func text(_ column: Int32) throws -> String
}

extension Row {
    /// A column of bytes, or NULL.
    package func optionalBytes(_ column: Int32) throws -> [UInt8]? {
        isNull(column) ? nil : try bytes(column)
    }

    /// A column with an integer, or NULL.
    package func optionalInteger(_ column: Int32) throws -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    /// A column of text, or NULL.
    package func optionalText(_ column: Int32) throws -> String? {
        isNull(column) ? nil : try text(column)
    }
}

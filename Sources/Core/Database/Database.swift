/// The tables of one ``Schema``, behind one connection to a file or a server.
///
/// ``DatabasePool`` opens databases, locks them and runs transactions, and chooses the implementation. Not thread-safe.
package protocol Database: AnyObject {
    /// Whether the connection can still be used. A failure that leaves it in an uncertain state makes it unusable.
    var isUsable: Bool { get }
    /// Whether a server closed the connection. The call may be repeated on a new one.
    var wasLost: Bool { get }
    /// Whether a transaction is open and has not failed.
    var isInTransaction: Bool { get }

    /// The maximum number of rows that one statement should return.
    var pageSize: Int { get }

    /// Begins a transaction.
    ///
    /// - Returns: `false`, without a transaction, if the path now names another file.
    func begin(_ kind: TransactionKind) throws -> Bool
    /// Commits durably.
    ///
    /// - Parameter isCommitted: Tells afterwards, if a server was lost meanwhile, whether the changes are there; nil if that is unknown.
    ///   Without it, the transaction's id tells.
    /// - Throws: ``DatabaseError/outcomeUnknown`` if a server was lost meanwhile and cannot be asked.
    func commit(_ isCommitted: CommitCheck?) throws
    /// Rolls back a transaction. Allowed outside of one.
    func rollback()

    /// Runs a statement and reads its rows.
    ///
    /// - Parameters:
    ///   - sql: One statement with parameters `$1`, `$2`, ….
    ///   - values: The parameters. Each statement always gets the same types.
    ///   - read: Reads a row, which is valid during the call only.
    /// - Throws: ``DatabaseError``, and the errors of `read`.
    func forEachRow(
        _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Void
    ) throws
    /// Runs a statement.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - values: Its parameters.
    ///   - isErasing: Whether the bytes of removed rows are overwritten in a file; without that, it takes less time.
    /// - Returns: The number of changed rows.
    /// - Throws: ``DatabaseError``.
    func change(_ sql: SQL, _ values: [DatabaseValue], erasing isErasing: Bool) throws -> Int

    /// Whether the path still names this database file.
    func isCurrent() throws -> Bool
    /// Differs between two moments if any connection committed a change in between; nil if the database has no such number.
    func dataVersion() throws -> DataVersion?
    /// Erases copies of overwritten bytes.
    ///
    /// - Parameters:
    ///   - isRewriting: Whether to rewrite the file first.
    ///   - attempts: The number of attempts.
    ///   - patience: How long each attempt waits for other connections.
    /// - Returns: `false` if other connections prevented it; nil on a server, which keeps copies.
    /// - Throws: ``DatabaseError``.
    func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, patience: Duration
    ) throws -> Bool?
    /// Returns unused pages to the file system, in one short transaction.
    ///
    /// - Returns: Whether there are more of them.
    func returnSpace() throws -> Bool
    /// Moves the log into the file and leaves log mode, which works only while no other connection has the file open.
    ///
    /// - Returns: Whether it worked.
    func leaveLog() throws -> Bool
    /// Closes the connection. Closing twice is allowed.
    func close()
}

/// Tells from the tables whether a transaction was committed.
package typealias CommitCheck = (Transaction) throws -> Bool?

/// The purpose of a transaction.
package enum TransactionKind: Sendable {
    /// One snapshot, taken at the first statement.
    case reading
    /// One snapshot, and no concurrent writer.
    case writing
}

/// A state of the data, as one connection sees it.
package struct DataVersion: Sendable, Hashable {
    let connection: UInt64
    let number: UInt32
}

/// The permitted access to a database.
public enum StorageMode: Sendable {
    /// Reads and writes.
    case readWrite
    /// Reads only. A writer's log beside a writable file may still be moved into it.
    case readOnly
}

/// The text of a statement: one text for both databases, or one for each.
///
/// Literals cannot be interpolated, which excludes SQL injection.
package struct SQL: Sendable, ExpressibleByStringLiteral {
    enum Text: Sendable {
        /// A literal, which is prepared once for each connection.
        case literal(StaticString)
        /// A concatenation of literals that the program keeps, prepared once for each connection.
        case constant(ConstantText)
        /// A concatenation of literals, prepared for each run.
        case assembled(String)
    }

    let sqlite: Text
    let postgreSQL: Text

    /// The same text for both databases.
    package init(stringLiteral text: StaticString) {
        sqlite = .literal(text)
        postgreSQL = .literal(text)
    }

    /// A text for each database.
    package init(sqlite: StaticString, postgreSQL: StaticString) {
        self.sqlite = .literal(sqlite)
        self.postgreSQL = .literal(postgreSQL)
    }

    /// Texts assembled from the program's own literals, for a `static let`. They are prepared once, as literals are.
    package init(constantForSQLite sqlite: String, postgreSQL: String) {
        self.sqlite = .constant(ConstantText(sqlite))
        self.postgreSQL = .constant(ConstantText(postgreSQL))
    }

    /// The same constant text for both databases.
    package init(constant text: String) {
        self.init(constantForSQLite: text, postgreSQL: text)
    }

    /// Texts assembled from the program's own literals, prepared for each run.
    package init(assembledForSQLite sqlite: String, postgreSQL: String) {
        self.sqlite = .assembled(sqlite)
        self.postgreSQL = .assembled(postgreSQL)
    }
}

/// The text of a statement, with an identity by which a connection finds the prepared statement.
final class ConstantText: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// The value of a parameter; nil is NULL.
public enum DatabaseValue: Sendable, Hashable {
    /// For `bytea`.
    case bytes([UInt8]?)
    /// For `bigint`.
    case integer(Int64?)
    /// For `text`; without U+0000, which PostgreSQL refuses.
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

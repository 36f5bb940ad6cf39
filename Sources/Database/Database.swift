/// The tables of one ``Schema``, behind one connection to a file or a server.
///
/// ``DatabasePool`` opens databases, locks them and runs transactions; it chooses the implementation in one line. Not thread-safe.
package protocol Database: AnyObject {
    /// Whether further calls make sense. A failure that leaves the connection in doubt makes it unusable.
    var isUsable: Bool { get }
    /// Whether a server ended the connection. The call may be repeated on a new one.
    var wasLost: Bool { get }
    /// Whether a transaction is open and has not failed.
    var isInTransaction: Bool { get }

    /// Begins a transaction.
    ///
    /// - Returns: `false`, without a transaction, if the path names another file by now.
    func begin(_ kind: TransactionKind) throws -> Bool
    /// Commits durably.
    ///
    /// - Throws: ``DatabaseError/outcomeUnknown`` if a server was lost meanwhile and cannot be asked.
    func commit() throws
    /// Ends a transaction without its changes. Allowed outside of one.
    func rollback()

    /// Runs a statement and reads its rows.
    ///
    /// - Parameters:
    ///   - sql: One statement with parameters `$1`, `$2`, ….
    ///   - values: The parameters. Each statement always gets the same types.
    ///   - read: Makes a value of a row, which is valid during the call only.
    /// - Returns: The values, in the order of the rows.
    /// - Throws: ``DatabaseError``, and what `read` throws.
    func rows<Value>(
        _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Value
    ) throws -> [Value]
    /// Runs a statement.
    ///
    /// - Returns: The number of rows that it changed.
    func change(_ sql: SQL, _ values: [DatabaseValue]) throws -> Int

    /// Whether the place still names this database, and no other file.
    func isCurrent() throws -> Bool
    /// Differs between two moments if anybody committed a change in between; nil where the database does not tell.
    func dataVersion() throws -> DataVersion?
    /// Removes what earlier commits left of overwritten bytes.
    ///
    /// - Parameters:
    ///   - isRewriting: Whether the file is written anew first.
    ///   - attempts: How often to try.
    ///   - patience: How long each attempt waits for other connections.
    /// - Returns: `false` if others prevented it; nil on a server, which keeps copies.
    /// - Throws: ``DatabaseError``.
    func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, patience: Duration
    ) throws -> Bool?
    /// Moves the log into the file and does without it from now on, which works only while nobody else has the file open.
    ///
    /// - Returns: Whether it worked.
    func leaveLog() throws -> Bool
    /// Closes the connection. Closing twice is allowed.
    func close()
}

/// What a transaction is for.
package enum TransactionKind: Sendable {
    /// One snapshot, that of its first statement.
    case reading
    /// One snapshot, and no other writer until it ends.
    case writing
}

/// A state of the data, as one connection sees it.
package struct DataVersion: Sendable, Hashable {
    let connection: UInt64
    let number: UInt32
}

/// What may be done with a database.
public enum StorageMode: Sendable {
    /// Reads and writes.
    case readWrite
    /// Reads only. A log that a writer left beside a writable file may still be moved into it.
    case readOnly
}

/// The text of a statement: one for both databases, or one for each where they differ.
///
/// A literal cannot be interpolated, so no text from outside gets in.
package struct SQL: Sendable, ExpressibleByStringLiteral {
    enum Text: Sendable {
        /// A literal, which is prepared once for each connection.
        case literal(StaticString)
        /// Assembled of literals, prepared for each run.
        case assembled(String)
    }

    let sqlite: Text
    let postgreSQL: Text

    /// The same text for both.
    package init(stringLiteral text: StaticString) {
        sqlite = .literal(text)
        postgreSQL = .literal(text)
    }

    /// A text for each.
    package init(sqlite: StaticString, postgreSQL: StaticString) {
        self.sqlite = .literal(sqlite)
        self.postgreSQL = .literal(postgreSQL)
    }

    /// Texts that the program assembled of its own literals.
    package init(assembledForSQLite sqlite: String, postgreSQL: String) {
        self.sqlite = .assembled(sqlite)
        self.postgreSQL = .assembled(postgreSQL)
    }
}

/// A row of an answer. Columns are counted from 0.
///
/// A column of another type than asked for is ``DatabaseError/damaged(reason:)``, never a conversion.
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

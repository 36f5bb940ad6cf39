/// A database for the length of one transaction, or of some statements outside a transaction.
///
/// Every use after the end fails. Not thread-safe.
package final class Transaction {
    private let database: any Database
    private let kind: TransactionKind?
    private var hasEnded = false
    /// The first failure of the database. It prevents the commit, even if the caller caught it.
    private(set) var failure: (any Error)?
    /// Whether a statement has changed a row.
    package private(set) var hasChanges = false

    init(_ database: any Database, _ kind: TransactionKind?) {
        self.database = database
        self.kind = kind
    }

    /// The maximum number of rows that one statement should return. A server's answer is held in memory as a whole.
    package var pageSize: Int { database.pageSize }

    func end() {
        hasEnded = true
    }

    /// Runs a statement and reads its rows; see ``Database``.
    package func forEachRow(
        _ sql: SQL, _ values: [DatabaseValue] = [], _ read: (any Row) throws -> Void
    ) throws {
        try call { try database.forEachRow(sql, values, read) }
    }

    /// Runs a statement and converts its rows.
    package func rows<Value>(
        _ sql: SQL, _ values: [DatabaseValue] = [], _ read: (any Row) throws -> Value
    ) throws -> [Value] {
        var found: [Value] = []
        try forEachRow(sql, values) { found.append(try read($0)) }
        return found
    }

    /// Runs a statement that returns at most one row.
    ///
    /// - Throws: ``DatabaseError/damaged(reason:)`` for more than one row.
    package func row<Value>(
        _ sql: SQL, _ values: [DatabaseValue] = [], _ read: (any Row) throws -> Value
    ) throws -> Value? {
        var found: Value?
        try forEachRow(sql, values) {
            guard found == nil else { throw DatabaseError.damaged(reason: "a key has two rows") }
            found = try read($0)
        }
        return found
    }

    /// Runs a statement; see ``Database``.
    ///
    /// - Returns: The number of changed rows.
    /// - Throws: ``DatabaseError/readOnly`` outside ``DatabasePool/write(_:)``.
    @discardableResult
    package func change(
        _ sql: SQL, _ values: [DatabaseValue] = [], erasing isErasing: Bool = true
    ) throws -> Int {
        try call {
            guard kind == .writing else { throw DatabaseError.readOnly }
            let count = try database.change(sql, values, erasing: isErasing)
            if count > 0 { hasChanges = true }
            return count
        }
    }

    /// A number that changes with each commit of any connection; nil if the database has none.
    package func dataVersion() throws -> DataVersion? {
        try call { try database.dataVersion() }
    }

    private func call<Value>(_ body: () throws -> Value) throws -> Value {
        guard !hasEnded else { throw DatabaseError.closed }
        // SQLite rolls back automatically after some failures: later statements would see another snapshot, or be committed alone.
        guard kind == nil || database.isInTransaction else { throw failure ?? DatabaseError.closed }
        do {
            return try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}

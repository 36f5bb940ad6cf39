internal import Database

/// The tables for the time of one transaction. Refuses to go on after it ended.
package final class PostgreSQLTransaction<Kind: PostgreSQLTableKind> {
    private let tables: PostgreSQLTables<Kind>
    private var hasEnded = false
    /// The first failure of the server inside the transaction.
    private(set) var failure: DatabaseError?

    /// Begins nothing: the transaction stands already.
    init(_ tables: PostgreSQLTables<Kind>) {
        self.tables = tables
    }

    /// Ends the loan: whoever kept the transaction has nothing from it.
    func end() {
        hasEnded = true
    }

    /// Runs one call, if the transaction still stands.
    package func call<Value>(
        _ body: (PostgreSQLTables<Kind>) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        guard !hasEnded else { throw .closed }
        // After a failure the server takes nothing more.
        if let failure, tables.connection.isFailed { throw failure }
        do {
            return try body(tables)
        } catch {
            switch error {
            case .alreadyExists, .missing: break
            default: failure = failure ?? error
            }
            throw error
        }
    }
}

internal import Database

/// One transaction, which refuses to go on after it ended.
package final class DatabaseTransaction<Kind: DatabaseKind> {
    let database: SafeDatabase<Kind>
    private var hasEnded = false
    /// The first failure of SQLite inside the transaction.
    private(set) var failure: DatabaseError?

    /// Begins nothing: the transaction stands already.
    init(_ database: SafeDatabase<Kind>) {
        self.database = database
    }

    /// Ends the loan: whoever kept the transaction has nothing from it.
    func end() {
        hasEnded = true
    }

    /// Runs one call, if the transaction still stands.
    ///
    /// After some failures SQLite rolls back by itself; what came then would be of another snapshot, or be committed alone.
    package func call<Value>(
        _ body: (SafeDatabase<Kind>) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try requireTransaction()
        do {
            return try body(database)
        } catch {
            note(error)
            throw error
        }
    }

    func requireTransaction() throws(DatabaseError) {
        guard !hasEnded else { throw .closed }
        guard database.connection.isInTransaction else { throw failure ?? .closed }
    }

    func note(_ error: DatabaseError) {
        switch error {
        case .alreadyExists, .missing: break
        default: failure = failure ?? error
        }
    }
}

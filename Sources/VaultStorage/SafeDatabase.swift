package import Database

/// A connection to a file of one kind that passed every check. Not thread-safe.
package final class SafeDatabase<Kind: DatabaseKind> {
    let connection: SQLiteConnection
    /// The schema that was verified.
    var schemaCookie: Int64 = 0
    /// What is remembered of a committed snapshot.
    var memory: Kind.Memory?
    /// Whether a failure made the connection unfit for further use.
    private(set) var isBroken = false

    /// Takes over a connection to a database whose schema is about to be verified.
    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Runs SQL, and gives the connection up after a failure that leaves its state in doubt.
    package func perform<Value: ~Copyable>(
        _ body: (SQLiteConnection) throws(SQLiteError) -> Value
    ) throws(DatabaseError) -> Value {
        do {
            return try body(connection)
        } catch {
            if error.endsConnection { isBroken = true }
            throw DatabaseError(error)
        }
    }

    /// Looks at the schema again if anybody changed it since: a trigger could act on the next write, and a newer program may have
    /// migrated the file. To be called inside a transaction.
    func requireVerifiedSchema() throws(DatabaseError) {
        let cookie = try perform { (connection) throws(SQLiteError) in
            try connection.schemaCookie()
        }
        guard cookie != schemaCookie else { return }
        do {
            schemaCookie = try Kind.file.verify(connection)
        } catch {
            isBroken = true
            throw error
        }
    }

    /// Ends a transaction that is not to be committed.
    func rollback() {
        do {
            try connection.rollback()
        } catch {
            // The transaction goes with the connection.
            isBroken = true
        }
    }
}

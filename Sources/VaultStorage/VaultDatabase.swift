internal import SQLiteDatabase

/// A connection to a vault file that passed every check. Not thread-safe.
final class VaultDatabase {
    let connection: DatabaseConnection
    /// The schema that was verified.
    var schemaCookie: Int64
    /// The state record of a committed snapshot.
    var committedState: CommittedState?
    /// Whether a failure made the connection unfit for further use.
    private(set) var isBroken = false

    /// A state record, and the data version of the snapshot that it is from.
    struct CommittedState {
        let version: UInt32
        let record: [UInt8]?
    }

    /// Takes over a connection to a database whose schema was verified, or is about to be.
    init(verified connection: DatabaseConnection, schemaCookie: Int64) {
        self.connection = connection
        self.schemaCookie = schemaCookie
    }

    /// Runs SQL, and gives the connection up after a failure that leaves its state in doubt.
    func perform<Value: ~Copyable>(
        _ body: (DatabaseConnection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        do {
            return try body(connection)
        } catch {
            if error.endsConnection { isBroken = true }
            throw StorageError(error)
        }
    }

    /// Looks at the schema again if anybody changed it since: a trigger could act on the next write, and a newer program may have
    /// migrated the file. To be called inside a transaction.
    func requireVerifiedSchema() throws(StorageError) {
        let cookie = try perform { (connection) throws(DatabaseError) in
            try connection.schemaCookie()
        }
        guard cookie != schemaCookie else { return }
        do {
            schemaCookie = try VaultSchema.verify(connection)
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

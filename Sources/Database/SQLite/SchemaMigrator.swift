/// Brings the schema of a database to the newest version, step by step.
///
/// The version is the database's `user_version`. Each step is one transaction together with its number, so an interrupted migration goes
/// on where it stopped, and of two processes that migrate at once the second finds the work done. Steps are never edited after release.
public struct SchemaMigrator: Sendable {
    /// One step.
    public struct Migration: Sendable {
        /// The version of a database after this step.
        public let version: Int32
        /// The statements of the step.
        public let script: String

        /// Makes a step.
        public init(version: Int32, script: String) {
            self.version = version
            self.script = script
        }
    }

    /// Why a database could not be brought to the newest version.
    public enum Failure: Error, Sendable, Hashable {
        /// It has a version that this program does not know.
        case newerVersion(Int32)
        /// SQLite failed; the database is as it was before the step.
        case database(DatabaseError)
    }

    private let migrations: [Migration]

    /// Makes a migrator.
    ///
    /// - Parameter migrations: All steps there ever were, by version, each greater than the one before and than 0.
    public init(_ migrations: [Migration]) {
        precondition(
            zip([0] + migrations.map(\.version), migrations).allSatisfy { $0 < $1.version },
            "migrations must be in ascending order")
        self.migrations = migrations
    }

    /// The version that a migrated database has.
    public var newestVersion: Int32 { migrations.last?.version ?? 0 }

    /// Runs the steps that the database lacks; takes no lock where it lacks none.
    public func migrate(_ connection: DatabaseConnection) throws(Failure) {
        let version = try Self.mapping { () throws(DatabaseError) in
            try connection.schemaVersion()
        }
        if version > newestVersion { throw .newerVersion(version) }
        for migration in migrations where migration.version > version {
            try Self.mapping { () throws(DatabaseError) in try connection.begin(.immediate) }
            do throws(Failure) {
                try apply(migration, to: connection)
            } catch {
                // What the step ran into is the error to tell; a connection that cannot roll back does so when it is closed.
                try? connection.rollback()
                throw error
            }
        }
    }

    private func apply(
        _ migration: Migration, to connection: DatabaseConnection
    ) throws(Failure) {
        // Read again inside the transaction: another process may have run the step, or a newer program more than that.
        let version = try Self.mapping { () throws(DatabaseError) in
            try connection.schemaVersion()
        }
        if version > newestVersion { throw .newerVersion(version) }
        try Self.mapping { () throws(DatabaseError) in
            if version < migration.version {
                try connection.run(script: migration.script)
                try connection.run(script: "PRAGMA user_version = \(migration.version)")
            }
            try connection.commit()
        }
    }

    private static func mapping<Value>(
        _ body: () throws(DatabaseError) -> Value
    ) throws(Failure) -> Value {
        do {
            return try body()
        } catch {
            throw .database(error)
        }
    }
}

extension DatabaseConnection {
    /// The version of the schema, `PRAGMA user_version`; 0 in a new database.
    public func schemaVersion() throws(DatabaseError) -> Int32 {
        Int32(truncatingIfNeeded: try number("PRAGMA user_version"))
    }

    /// The mark of the kind of file, `PRAGMA application_id`; 0 in a new database.
    public func applicationID() throws(DatabaseError) -> Int32 {
        Int32(truncatingIfNeeded: try number("PRAGMA application_id"))
    }

    /// A number that changes whenever the schema does, `PRAGMA schema_version`.
    public func schemaCookie() throws(DatabaseError) -> Int64 {
        try number("PRAGMA schema_version")
    }

    private func number(_ sql: StaticString) throws(DatabaseError) -> Int64 {
        let statement = try statement(sql)
        guard try statement.step() else { return 0 }
        return try statement.integer(at: 0)
    }
}

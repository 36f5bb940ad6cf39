/// Brings a part of a schema to its newest version, step by step.
///
/// The version is a row of a table of its own. Each run is one transaction, so an interrupted one changes nothing, and of two programs that
/// migrate at once the second finds the work done. Steps are never edited after release.
public struct PostgreSQLMigrator: Sendable {
    /// One step.
    public struct Migration: Sendable {
        /// The version after this step.
        public let version: Int64
        /// The statements of the step.
        public let script: String

        /// Makes a step.
        public init(version: Int64, script: String) {
            self.version = version
            self.script = script
        }
    }

    /// Why the newest version was not reached.
    public enum Failure: Error, Sendable, Hashable {
        /// There is a version that this program does not know.
        case newerVersion(Int64)
        /// The server failed, or refused.
        case database(PostgreSQLError)
    }

    private let schema: String
    private let versionTable: String
    private let migrations: [Migration]

    /// Makes a migrator.
    ///
    /// - Parameters:
    ///   - schema: The schema; it is made where it is missing.
    ///   - versionTable: The table of the version, in that schema.
    ///   - migrations: All steps there ever were, by version, each greater than the one before and than 0.
    public init(schema: StaticString, versionTable: StaticString, _ migrations: [Migration]) {
        precondition(
            zip([0] + migrations.map(\.version), migrations).allSatisfy { $0 < $1.version },
            "migrations must be in ascending order")
        self.schema = "\(schema)"
        self.versionTable = "\(versionTable)"
        self.migrations = migrations
    }

    /// The version after all steps.
    public var newestVersion: Int64 { migrations.last?.version ?? 0 }

    /// The version that is there; nil where there is none.
    public func version(on connection: PostgreSQLConnection) throws(PostgreSQLError) -> Int64? {
        let tables = try connection.rows(
            """
            SELECT 1::bigint FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = $1 AND relname = $2
            """, [.text(schema), .text(versionTable)])
        guard !tables.isEmpty else { return nil }
        let rows = try connection.rows(once: "SELECT version FROM \(schema).\(versionTable)")
        guard rows.count < 2 else { throw .mismatch }
        return try rows.first?.integer(at: 0)
    }

    /// Runs the steps that are missing; changes nothing where none is.
    public func migrate(_ connection: PostgreSQLConnection) throws(Failure) {
        guard try needsMigration(connection) else { return }
        do throws(Failure) {
            try Self.mapping { () throws(PostgreSQLError) in
                try connection.begin(.writing)
                // One at a time, also while there is no table that could be locked.
                try connection.execute(
                    "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
                    [.text(schema + "." + versionTable)])
            }
            // Read again: another program may have run the steps, or a newer one more than these.
            if try needsMigration(connection) { try apply(connection) }
            try Self.mapping { () throws(PostgreSQLError) in try connection.commit() }
        } catch {
            // What the step ran into is the error to tell; a connection that cannot roll back has ended.
            try? connection.rollback()
            throw error
        }
    }

    private func needsMigration(_ connection: PostgreSQLConnection) throws(Failure) -> Bool {
        let found = try Self.mapping { () throws(PostgreSQLError) in
            try version(on: connection) ?? 0
        }
        if found > newestVersion { throw .newerVersion(found) }
        return found < newestVersion
    }

    private func apply(_ connection: PostgreSQLConnection) throws(Failure) {
        try Self.mapping { () throws(PostgreSQLError) in
            let schemas = try connection.rows(
                "SELECT 1::bigint FROM pg_namespace WHERE nspname = $1", [.text(schema)])
            // Asking for the schema alone would need the right to make one.
            if schemas.isEmpty { try connection.run(script: "CREATE SCHEMA \(schema)") }
            let found = try version(on: connection)
            if found == nil {
                try connection.run(
                    script: """
                        CREATE TABLE \(schema).\(versionTable) (version bigint NOT NULL);
                        INSERT INTO \(schema).\(versionTable) VALUES (0);
                        """)
            }
            for migration in migrations where migration.version > found ?? 0 {
                try connection.run(script: migration.script)
            }
            try connection.run(
                script: "UPDATE \(schema).\(versionTable) SET version = \(newestVersion)")
        }
    }

    private static func mapping<Value>(
        _ body: () throws(PostgreSQLError) -> Value
    ) throws(Failure) -> Value {
        do {
            return try body()
        } catch {
            throw .database(error)
        }
    }
}

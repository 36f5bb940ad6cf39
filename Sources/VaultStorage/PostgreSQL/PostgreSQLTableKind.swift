package import Database

/// Tables of one purpose in a database of a server: how they are made, and told from others. They lie in the schema `taskvault`.
package protocol PostgreSQLTableKind: Sendable {
    /// What the tables are those of, such as "vault".
    static var noun: String { get }
    /// How the names of the tables begin.
    static var prefix: String { get }
    /// Every version of the tables. Released steps are never edited.
    static var migrator: PostgreSQLMigrator { get }
    /// What the server's catalog says of the newest version (`PostgreSQLConnection.description(ofTablesNamed:in:)`).
    static var description: [String] { get }
    /// The table that whoever writes locks first.
    static var lockedTable: StaticString { get }
    /// Reads the version.
    static var versionQuery: StaticString { get }
}

extension PostgreSQLTableKind {
    private static var shapeIsWrong: DatabaseError {
        .foreign(reason: "the tables are not those of a \(noun)")
    }

    /// Makes the tables, or brings them to the newest version.
    static func migrate(_ connection: PostgreSQLConnection) throws(DatabaseError) {
        do throws(PostgreSQLMigrator.Failure) {
            try migrator.migrate(connection)
        } catch {
            switch error {
            case .newerVersion(let version): throw .newerVersion(Int(version))
            // A name is taken by a table without a version.
            case .database(.server(.duplicateTable)): throw shapeIsWrong
            case .database(let error): throw DatabaseError(error)
            }
        }
    }

    /// Whether there are tables of an older version.
    static func isOlder(_ connection: PostgreSQLConnection) throws(DatabaseError) -> Bool {
        guard let version = try version(connection) else { return false }
        return version > 0 && version < migrator.newestVersion
    }

    /// Makes sure that there are the tables of the newest version and nothing else.
    ///
    /// - Throws: ``DatabaseError/notFound``, ``DatabaseError/foreign(reason:)``, ``DatabaseError/newerVersion(_:)``, or what the server ran into.
    static func verify(_ connection: PostgreSQLConnection) throws(DatabaseError) {
        let version: Int64?
        let found: [String]
        do {
            // Of one moment: another machine may be making them.
            try connection.begin(.reading)
            version = try migrator.version(on: connection)
            found = try connection.description(ofTablesNamed: prefix, in: "taskvault")
            try connection.rollback()
        } catch {
            throw DatabaseError(error)
        }
        if found.isEmpty { throw .notFound }
        guard let version else { throw shapeIsWrong }
        try require(version)
        guard found == description else { throw shapeIsWrong }
    }

    /// Makes sure that nobody migrated the tables since they were looked at.
    static func requireNewestVersion(
        _ connection: PostgreSQLConnection
    ) throws(DatabaseError) {
        let version: Int64?
        do {
            version = try connection.rows(versionQuery).first?.integer(at: 0)
        } catch {
            throw DatabaseError(error)
        }
        try require(version ?? 0)
    }

    private static func require(_ version: Int64) throws(DatabaseError) {
        if version > migrator.newestVersion { throw .newerVersion(Int(version)) }
        if version != migrator.newestVersion {
            throw .foreign(reason: "an unknown storage version")
        }
    }

    private static func version(
        _ connection: PostgreSQLConnection
    ) throws(DatabaseError) -> Int64? {
        do {
            return try migrator.version(on: connection)
        } catch {
            throw DatabaseError(error)
        }
    }
}

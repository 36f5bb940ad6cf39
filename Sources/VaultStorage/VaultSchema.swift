internal import SQLiteDatabase

/// The tables of a vault file (`Docs/Format.md`, section 7), and how a file is told from others.
enum VaultSchema {
    /// `"TVLT"`.
    static let applicationID: Int32 = 1_414_941_780

    /// Each table as SQLite keeps its text. What is written here is compared byte by byte.
    private static let tables: [(name: String, sql: String)] = [
        (
            "buckets",
            "CREATE TABLE buckets (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        (
            "header",
            "CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        (
            "items",
            "CREATE TABLE items (tag BLOB PRIMARY KEY, item_id BLOB NOT NULL, class INTEGER NOT NULL, "
                + "revision INTEGER NOT NULL, format INTEGER NOT NULL, attributes BLOB NOT NULL, "
                + "value BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        (
            "state",
            "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
    ]

    /// Every version of the storage. Released steps are never edited.
    static let migrator = SchemaMigrator([
        SchemaMigrator.Migration(
            version: 1,
            script: tables.map(\.sql).joined(separator: ";\n")
                + ";\nPRAGMA application_id = \(applicationID);")
    ])

    /// Brings a new file, or a vault file of an older version, to the newest version.
    ///
    /// Any other file is left as it is: ``verify(_:)`` says what is wrong with it.
    static func migrate(_ connection: DatabaseConnection, isNew: Bool) throws(StorageError) {
        do throws(SchemaMigrator.Failure) {
            let isOlder = try isOlderVault(connection)
            if isNew || isOlder { try migrator.migrate(connection) }
        } catch {
            switch error {
            case .newerVersion(let version): throw .newerVersion(Int(version))
            case .database(let error): throw StorageError(error)
            }
        }
    }

    private static func isOlderVault(
        _ connection: DatabaseConnection
    ) throws(SchemaMigrator.Failure) -> Bool {
        do {
            let version = try connection.schemaVersion()
            let isVault = try connection.applicationID() == applicationID
            return isVault && version > 0 && version < migrator.newestVersion
        } catch {
            throw .database(error)
        }
    }

    /// Makes sure that the file is a vault of the newest version with the known tables and nothing else.
    ///
    /// - Returns: The schema cookie of the snapshot that was looked at.
    /// - Throws: ``StorageError/foreign(reason:)``, ``StorageError/newerVersion(_:)``, or what SQLite ran into.
    static func verify(_ connection: DatabaseConnection) throws(StorageError) -> Int64 {
        let found: (applicationID: Int32, version: Int32, isKnown: Bool, cookie: Int64)
        do {
            found = (
                try connection.applicationID(), try connection.schemaVersion(),
                try hasKnownTables(connection), try connection.schemaCookie()
            )
        } catch {
            throw StorageError(error)
        }
        if found.applicationID != applicationID { throw .foreign(reason: "not a vault file") }
        if found.version > migrator.newestVersion { throw .newerVersion(Int(found.version)) }
        if found.version != migrator.newestVersion {
            throw .foreign(reason: "an unknown storage version")
        }
        if !found.isKnown { throw .foreign(reason: "the tables are not those of a vault") }
        return found.cookie
    }

    private static func hasKnownTables(
        _ connection: DatabaseConnection
    ) throws(DatabaseError) -> Bool {
        let statement = try connection.statement(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")
        for (name, sql) in tables {
            guard try statement.step() else { return false }
            for (column, expected) in ["table", name, name, sql].enumerated() {
                // Indexes that SQLite makes by itself have no text; a vault has none of them.
                if statement.isNull(at: Int32(column)) { return false }
                if try statement.text(at: Int32(column)) != Array(expected.utf8) { return false }
            }
        }
        return try !statement.step()
    }
}

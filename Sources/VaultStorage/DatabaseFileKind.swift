package import Database

/// The kinds of database files, and what a connection remembers of one beside what SQLite does.
package protocol DatabaseKind {
    /// What a connection remembers.
    associatedtype Memory

    /// What the file has to be.
    static var file: DatabaseFileKind { get }
}

/// What a database file of this program holds, and how it is told from others.
package struct DatabaseFileKind: Sendable {
    /// A table or an index as SQLite keeps its text.
    package struct Entry: Sendable {
        let type: String
        let name: String
        let table: String
        /// The statement that makes it.
        package let sql: String

        /// A table.
        package static func table(_ name: String, _ sql: String) -> Entry {
            Entry(type: "table", name: name, table: name, sql: sql)
        }

        /// An index on a table.
        package static func index(_ name: String, on table: String, _ sql: String) -> Entry {
            Entry(type: "index", name: name, table: table, sql: sql)
        }
    }

    /// What it is called in the reason of an error.
    let noun: String
    /// `PRAGMA application_id`.
    let applicationID: Int32
    /// The tables and indexes of the newest version, by name. What is written there is compared byte by byte.
    let entries: [Entry]
    /// Every version of it.
    let migrator: SchemaMigrator

    /// Describes a kind of file.
    ///
    /// - Parameters:
    ///   - noun: What it is called in the reason of an error.
    ///   - applicationID: Its mark.
    ///   - entries: Its tables and indexes in the newest version.
    ///   - migrations: How each version is made of the one before. Released steps are never edited.
    package init(
        noun: String, applicationID: Int32, entries: [Entry],
        migrations: [SchemaMigrator.Migration]
    ) {
        self.noun = noun
        self.applicationID = applicationID
        self.entries = entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        migrator = SchemaMigrator(migrations)
    }
}

extension DatabaseFileKind {
    /// Brings a new file, or a file of an older version, to the newest version.
    ///
    /// Any other file is left as it is: ``verify(_:)`` says what is wrong with it.
    func migrate(_ connection: SQLiteConnection, isNew: Bool) throws(DatabaseError) {
        do throws(SchemaMigrator.Failure) {
            let isOlder = try isOlder(connection)
            if isNew || isOlder { try migrator.migrate(connection) }
        } catch {
            switch error {
            case .newerVersion(let version): throw .newerVersion(Int(version))
            case .database(let error): throw DatabaseError(error)
            }
        }
    }

    private func isOlder(_ connection: SQLiteConnection) throws(SchemaMigrator.Failure) -> Bool {
        do {
            let version = try connection.schemaVersion()
            let isOfThisKind = try connection.applicationID() == applicationID
            return isOfThisKind && version > 0 && version < migrator.newestVersion
        } catch {
            throw .database(error)
        }
    }

    /// Makes sure that the file is of this kind and the newest version, with the known tables and indexes and nothing else.
    ///
    /// - Returns: The schema cookie of the snapshot that was looked at.
    /// - Throws: ``DatabaseError/foreign(reason:)``, ``DatabaseError/newerVersion(_:)``, or what SQLite ran into.
    func verify(_ connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
        let found: (applicationID: Int32, version: Int32, isKnown: Bool, cookie: Int64)
        do {
            found = (
                try connection.applicationID(), try connection.schemaVersion(),
                try hasKnownEntries(connection), try connection.schemaCookie()
            )
        } catch {
            throw DatabaseError(error)
        }
        if found.applicationID != applicationID { throw .foreign(reason: "not a \(noun) file") }
        if found.version > migrator.newestVersion { throw .newerVersion(Int(found.version)) }
        if found.version != migrator.newestVersion {
            throw .foreign(reason: "an unknown storage version")
        }
        if !found.isKnown { throw .foreign(reason: "the tables are not those of a \(noun)") }
        return found.cookie
    }

    private func hasKnownEntries(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        let statement = try connection.statement(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")
        for entry in entries {
            guard try statement.step() else { return false }
            for (column, expected) in [entry.type, entry.name, entry.table, entry.sql].enumerated()
            {
                // Indexes that SQLite makes by itself have no text; these files have none of them.
                if statement.isNull(at: Int32(column)) { return false }
                if try statement.text(at: Int32(column)) != Array(expected.utf8) { return false }
            }
        }
        return try !statement.step()
    }
}

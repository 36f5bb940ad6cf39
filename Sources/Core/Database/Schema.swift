/// The tables for one purpose, in all their versions.
package struct Schema: Sendable {
    /// A table or an index.
    package struct Entry: Sendable {
        let type: String
        /// The name.
        package let name: String
        let table: String
        /// The statement that creates it in a file. SQLite stores the statement, which is then compared byte by byte.
        package let sqlite: String
        /// The statement for a server, with SQLite's types.
        private let onServer: String
        /// The statement that creates it on a server. Each start makes the schema, and few need this.
        package var postgreSQL: String {
            type == "table" ? Self.translated(onServer) : onServer
        }

        /// A table. The statement for a server, or without one that for a file, is used there with PostgreSQL's types.
        package static func table(
            _ name: String, _ sql: String, postgreSQL: String? = nil
        ) -> Entry {
            Entry(
                type: "table", name: name, table: name, sqlite: sql, onServer: postgreSQL ?? sql)
        }

        /// An index on a table.
        package static func index(
            _ name: String, on table: String, _ sql: String, postgreSQL: String? = nil
        ) -> Entry {
            Entry(
                type: "index", name: name, table: table, sqlite: sql, onServer: postgreSQL ?? sql)
        }

        /// The same table with further columns, as SQLite stores it after a step that adds them. The table must have no constraints after its
        /// columns.
        package func adding(_ columns: [String]) -> Entry {
            func adding(_ columns: [String], to text: String) -> String {
                guard let end = text.lastIndex(of: ")") else { return text }
                return text[..<end] + columns.map { ", " + $0 }.joined() + text[end...]
            }
            return Entry(
                type: type, name: name, table: table, sqlite: adding(columns, to: sqlite),
                onServer: adding(columns, to: onServer))
        }

        fileprivate static func translated(_ sql: String) -> String {
            let types = [
                "INTEGER": "bigint", "BLOB": "bytea", "TEXT": "text COLLATE \"C\"",
            ]
            let suffix = options.first { sql.hasSuffix($0) } ?? ""
            let body = sql.dropLast(suffix.count)
            return body.split(separator: " ", omittingEmptySubsequences: false).map { word in
                let name = word.prefix { $0.isLetter }
                return (types[String(name)] ?? String(name)) + word.dropFirst(name.count)
            }.joined(separator: " ")
        }

        private static let options = [" STRICT, WITHOUT ROWID", " STRICT"]
    }

    /// One step from a version to the next.
    package struct Migration: Sendable {
        /// The version after the step; positive, and greater than the version before.
        package let version: Int64
        private let onFile: @Sendable () -> [String]
        private let onServer: @Sendable () -> [String]
        // Most starts need neither.
        var sqlite: String { onFile().map { $0 + ";\n" }.joined() }
        var postgreSQL: String { onServer().map { $0 + ";\n" }.joined() }

        /// Creates a step from statements without trailing semicolons.
        package init(
            version: Int64, sqlite: @autoclosure @escaping @Sendable () -> [String],
            postgreSQL: @autoclosure @escaping @Sendable () -> [String]
        ) {
            self.version = version
            onFile = sqlite
            onServer = postgreSQL
        }

        /// Creates a step that adds columns to tables, and then creates tables and indexes.
        package init(
            version: Int64, adding columns: [(table: String, columns: [String])],
            making entries: [Entry]
        ) {
            @Sendable func statements(_ translated: (String) -> String) -> [String] {
                columns.flatMap { table, columns in
                    columns.map { "ALTER TABLE \(table) ADD COLUMN \(translated($0))" }
                }
            }
            self.init(
                version: version, sqlite: statements { $0 } + entries.map(\.sqlite),
                postgreSQL: statements(Entry.translated) + entries.map(\.postgreSQL))
        }

        /// Creates a step that creates tables and indexes.
        package init(version: Int64, making entries: [Entry]) {
            self.init(
                version: version, sqlite: entries.map(\.sqlite),
                postgreSQL: entries.map(\.postgreSQL))
        }
    }

    /// The kind of tables for messages, such as "vault".
    let noun: String
    /// The schema on a server.
    let serverName: String
    /// A table in the server's schema `taskvault` that only an earlier build created.
    let earlierTable: String?
    /// The `PRAGMA application_id` of a file.
    let applicationID: Int32
    /// Whether the tables contain text, which requires UTF-8 on a server.
    let holdsText: Bool
    /// Whether a new file supports returning space to the file system.
    let returnsSpace: Bool
    /// The size of the pages of a new file, in bytes; a file keeps the size that it was created with.
    let pageSize: Int
    /// The tables and indexes of the newest version, by name.
    let entries: [Entry]
    /// Every step, in ascending order. Released steps are never edited.
    let migrations: [Migration]

    /// Describes tables.
    package init(
        noun: String, serverName: String, earlierTable: String? = nil, applicationID: Int32,
        holdsText: Bool, returnsSpace: Bool = false, pageSize: Int = 4_096, entries: [Entry],
        migrations: [Migration]
    ) {
        self.noun = noun
        self.serverName = serverName
        self.earlierTable = earlierTable
        self.applicationID = applicationID
        self.holdsText = holdsText
        self.returnsSpace = returnsSpace
        self.pageSize = pageSize
        self.entries = entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        self.migrations = migrations
        precondition(
            zip([0] + migrations.map(\.version), migrations).allSatisfy { $0 < $1.version },
            "migrations must be in ascending order")
    }

    var newestVersion: Int64 { migrations.last?.version ?? 0 }

    var foreignTables: DatabaseError { .foreign(reason: "the tables are not those of a \(noun)") }

    /// Requires the first bytes of a file of this kind: SQLite's magic and the application id.
    package func requireHead(_ head: [UInt8]) throws {
        if head.isEmpty { throw DatabaseError.foreign(reason: "the file is empty") }
        guard head.starts(with: "SQLite format 3\0".utf8), head.count >= 72 else {
            throw DatabaseError.foreign(reason: "not an SQLite database")
        }
        let id = head[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard id == UInt32(bitPattern: applicationID) else {
            throw DatabaseError.foreign(reason: "not a \(noun) file")
        }
    }

    /// Requires a version that can be migrated to the newest. Versions before the first step belong to earlier builds.
    func requireReadable(_ version: Int64) throws {
        if version > newestVersion { throw DatabaseError.newerVersion(Int(version)) }
        if version > 0, let first = migrations.first, version < first.version {
            throw DatabaseError.earlierBuild(schema: nil)
        }
    }

    /// Requires the newest version.
    func requireNewest(_ version: Int64) throws {
        try requireReadable(version)
        if version < newestVersion {
            throw DatabaseError.foreign(reason: "an unknown storage version")
        }
    }
}

/// A connection for creating tables and migrating them to the newest version.
protocol MigratingConnection {
    /// The version; 0 if there are no tables.
    func version(of schema: Schema) throws -> Int64
    /// Begins a transaction that excludes other migrations.
    func beginMigration(of schema: Schema) throws
    /// Runs the statements of a step.
    func run(_ migration: Schema.Migration) throws
    /// Stores the version.
    func setVersion(_ version: Int64, of schema: Schema) throws
    func commitMigration() throws
    func abandonMigration()
}

extension MigratingConnection {
    /// Runs the missing steps in one transaction. An interrupted migration changes nothing, and a concurrent second one finds no steps to
    /// run. Takes no lock if no step is missing.
    func migrate(_ schema: Schema) throws {
        guard try isOlder(schema) else { return }
        try beginMigration(of: schema)
        do {
            // Read again: another process may have run these steps, or a newer program further ones.
            if try isOlder(schema) {
                let version = try version(of: schema)
                for step in schema.migrations where step.version > version { try run(step) }
                try setVersion(schema.newestVersion, of: schema)
            }
            try commitMigration()
        } catch {
            abandonMigration()
            throw error
        }
    }

    private func isOlder(_ schema: Schema) throws -> Bool {
        let version = try version(of: schema)
        try schema.requireReadable(version)
        return version < schema.newestVersion
    }
}

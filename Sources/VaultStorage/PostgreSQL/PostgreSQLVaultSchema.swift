internal import PostgreSQLDatabase

/// The tables of a vault on a server, and how they are told from others (`Docs/Storage.md`).
enum PostgreSQLVaultSchema {
    /// Every version of the tables. Released steps are never edited.
    static let migrator = PostgreSQLMigrator(
        schema: "taskvault", versionTable: "vault_version",
        [
            PostgreSQLMigrator.Migration(
                version: 1,
                script: """
                    CREATE TABLE taskvault.vault_header
                        (id bigint PRIMARY KEY CHECK (id = 1), bytes bytea NOT NULL);
                    CREATE TABLE taskvault.vault_state
                        (id bigint PRIMARY KEY CHECK (id = 1), bytes bytea NOT NULL);
                    CREATE TABLE taskvault.vault_buckets
                        (number bigint PRIMARY KEY, bytes bytea NOT NULL);
                    CREATE TABLE taskvault.vault_items
                        (tag bytea PRIMARY KEY, item_id bytea NOT NULL, class bigint NOT NULL,
                        revision bigint NOT NULL, format bigint NOT NULL,
                        attributes bytea NOT NULL, value bytea NOT NULL);
                    """)
        ])

    /// Makes the tables, or brings them to the newest version.
    static func migrate(_ connection: PostgreSQLConnection) throws(StorageError) {
        do throws(PostgreSQLMigrator.Failure) {
            try migrator.migrate(connection)
        } catch {
            switch error {
            case .newerVersion(let version): throw .newerVersion(Int(version))
            // A name is taken by a table without a version.
            case .database(.server(.duplicateTable)):
                throw .foreign(reason: "the tables are not those of a vault")
            case .database(let error): throw StorageError(error)
            }
        }
    }

    /// Whether there is a vault of an older version.
    static func isOlder(_ connection: PostgreSQLConnection) throws(StorageError) -> Bool {
        guard let version = try version(connection) else { return false }
        return version > 0 && version < migrator.newestVersion
    }

    /// Makes sure that there is a vault of the newest version, with the known tables and nothing else.
    ///
    /// - Throws: ``StorageError/notFound``, ``StorageError/foreign(reason:)``, ``StorageError/newerVersion(_:)``, or what the server ran into.
    static func verify(_ connection: PostgreSQLConnection) throws(StorageError) {
        let version = try version(connection)
        let found: [String]
        do {
            found = try connection.description(ofTablesNamed: "vault_", in: "taskvault")
        } catch {
            throw StorageError(error)
        }
        if found.isEmpty { throw .notFound }
        guard let version else { throw .foreign(reason: "the tables are not those of a vault") }
        try require(version)
        guard found == known else { throw .foreign(reason: "the tables are not those of a vault") }
    }

    /// Makes sure that nobody migrated the tables since they were looked at.
    static func requireNewestVersion(
        _ connection: PostgreSQLConnection
    ) throws(StorageError) {
        let version: Int64?
        do {
            version = try connection.rows("SELECT version FROM taskvault.vault_version").first?
                .integer(at: 0)
        } catch {
            throw StorageError(error)
        }
        try require(version ?? 0)
    }

    private static func require(_ version: Int64) throws(StorageError) {
        if version > migrator.newestVersion { throw .newerVersion(Int(version)) }
        if version != migrator.newestVersion {
            throw .foreign(reason: "an unknown storage version")
        }
    }

    private static func version(
        _ connection: PostgreSQLConnection
    ) throws(StorageError) -> Int64? {
        do {
            return try migrator.version(on: connection)
        } catch {
            throw StorageError(error)
        }
    }

    /// What the server's catalog says of the tables of the newest version.
    private static let known = [
        "vault_buckets 1 number bigint NOT NULL",
        "vault_buckets 2 bytes bytea NOT NULL",
        "vault_buckets CREATE UNIQUE INDEX vault_buckets_pkey ON taskvault.vault_buckets USING btree (number)",
        "vault_buckets PRIMARY KEY (number)",
        "vault_buckets rp",
        "vault_header 1 id bigint NOT NULL",
        "vault_header 2 bytes bytea NOT NULL",
        "vault_header CHECK ((id = 1))",
        "vault_header CREATE UNIQUE INDEX vault_header_pkey ON taskvault.vault_header USING btree (id)",
        "vault_header PRIMARY KEY (id)",
        "vault_header rp",
        "vault_items 1 tag bytea NOT NULL",
        "vault_items 2 item_id bytea NOT NULL",
        "vault_items 3 class bigint NOT NULL",
        "vault_items 4 revision bigint NOT NULL",
        "vault_items 5 format bigint NOT NULL",
        "vault_items 6 attributes bytea NOT NULL",
        "vault_items 7 value bytea NOT NULL",
        "vault_items CREATE UNIQUE INDEX vault_items_pkey ON taskvault.vault_items USING btree (tag)",
        "vault_items PRIMARY KEY (tag)",
        "vault_items rp",
        "vault_state 1 id bigint NOT NULL",
        "vault_state 2 bytes bytea NOT NULL",
        "vault_state CHECK ((id = 1))",
        "vault_state CREATE UNIQUE INDEX vault_state_pkey ON taskvault.vault_state USING btree (id)",
        "vault_state PRIMARY KEY (id)",
        "vault_state rp",
        "vault_version 1 version bigint NOT NULL",
        "vault_version rp",
    ]
}

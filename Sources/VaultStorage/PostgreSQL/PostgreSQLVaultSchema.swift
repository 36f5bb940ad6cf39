internal import Database

/// The tables of a vault on a server (`Docs/Storage.md`).
enum PostgreSQLVaultSchema: PostgreSQLTableKind {
    static let noun = "vault"
    static let prefix = "vault_"
    static let lockedTable: StaticString = "taskvault.vault_header"
    static let versionQuery: StaticString = "SELECT version FROM taskvault.vault_version"

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

    static let description = [
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

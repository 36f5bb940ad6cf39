internal import Database

extension Schema {
    /// The tables of a vault (`Docs/Format.md`, section 7).
    static let vault = Schema(
        noun: "vault", serverName: "taskvault_vault", earlierTable: "vault_version",
        applicationID: 0x5456_4C54, holdsText: false, returnsSpace: true, entries: tables,
        // Version 1 belongs to builds before the first release.
        migrations: [Migration(version: 2, making: tables)])

    private static let tables: [Entry] = [
        .table(
            "buckets",
            "CREATE TABLE buckets (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "chunks",
            "CREATE TABLE chunks (version BLOB NOT NULL, number INTEGER NOT NULL, stored INTEGER NOT NULL, "
                + "bytes BLOB NOT NULL, PRIMARY KEY (version, number)) STRICT, WITHOUT ROWID"
        ),
        .table(
            "earlier",
            "CREATE TABLE earlier (item_id BLOB NOT NULL, revision INTEGER NOT NULL, class INTEGER NOT NULL, "
                + "format INTEGER NOT NULL, attributes BLOB NOT NULL, value BLOB NOT NULL, moved BLOB NOT NULL, "
                + "PRIMARY KEY (item_id, revision)) STRICT, WITHOUT ROWID"
        ),
        .table(
            "header",
            "CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "items",
            "CREATE TABLE items (tag BLOB PRIMARY KEY, item_id BLOB NOT NULL, class INTEGER NOT NULL, "
                + "revision INTEGER NOT NULL, format INTEGER NOT NULL, attributes BLOB NOT NULL, "
                + "value BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "links",
            "CREATE TABLE links (counter INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "state",
            "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
    ]
}

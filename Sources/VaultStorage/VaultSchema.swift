internal import Database

extension Schema {
    /// The tables of a vault (`Docs/Format.md`, section 7).
    static let vault = Schema(
        noun: "vault", serverName: "taskvault_vault", applicationID: 0x5456_4C54, holdsText: false,
        entries: tables, migrations: [Migration(version: 1, making: tables)])

    private static let tables: [Entry] = [
        .table(
            "buckets",
            "CREATE TABLE buckets (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID"
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
            "state",
            "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
    ]
}

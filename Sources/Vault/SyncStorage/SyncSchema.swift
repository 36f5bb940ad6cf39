internal import Database

extension Schema {
    /// The tables of one chain of a device (`Docs/Sync.md`, section 13).
    static let sync = Schema(
        noun: "sync database", serverName: "taskvault_sync", applicationID: syncApplicationID,
        holdsText: true, entries: syncEntries,
        migrations: [Migration(version: 1, making: syncEntries)])

    /// `"TVSY"`.
    private static let syncApplicationID: Int32 = 0x5456_5359

    private static let syncEntries: [Entry] = [
        .table(
            "state",
            "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), chain INTEGER NOT NULL, "
                + "device BLOB NOT NULL, ledger BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "keys",
            "CREATE TABLE keys (level INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "hashes",
            "CREATE TABLE hashes (device BLOB NOT NULL, number INTEGER NOT NULL, "
                + "hash BLOB NOT NULL, PRIMARY KEY (device, number)) STRICT, WITHOUT ROWID"
        ),
        .table(
            "outbox",
            "CREATE TABLE outbox (number INTEGER PRIMARY KEY, segment BLOB NOT NULL) STRICT"
        ),
        .table(
            "snapshots",
            "CREATE TABLE snapshots (device BLOB PRIMARY KEY, number INTEGER NOT NULL, "
                + "content BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
        // The records of an object lie beside each other, because each state is computed from all of them.
        .table(
            "records",
            "CREATE TABLE records (object BLOB NOT NULL, field INTEGER NOT NULL, "
                + "detail BLOB NOT NULL, clock INTEGER NOT NULL, device BLOB NOT NULL, "
                + "level INTEGER NOT NULL, written INTEGER NOT NULL, author BLOB NOT NULL, "
                + "number INTEGER NOT NULL, "
                + "seen BLOB NOT NULL, applied INTEGER NOT NULL, unmirrored INTEGER NOT NULL, "
                + "name BLOB, sealed_detail BLOB, fingerprint BLOB, content BLOB NOT NULL, "
                + "PRIMARY KEY (object, field, detail, clock, device)) STRICT, WITHOUT ROWID"
        ),
        .index(
            "records_by_name", on: "records",
            "CREATE INDEX records_by_name ON records (name) WHERE name IS NOT NULL"),
        .index(
            "records_unmirrored", on: "records",
            "CREATE INDEX records_unmirrored ON records (object) WHERE unmirrored = 1"),
        .table(
            "parts",
            "CREATE TABLE parts (level INTEGER NOT NULL, sequence INTEGER NOT NULL, "
                + "prefix BLOB NOT NULL, seen BLOB NOT NULL, sealed INTEGER NOT NULL, "
                + "names BLOB NOT NULL, part BLOB NOT NULL, PRIMARY KEY (level, sequence)) "
                + "STRICT, WITHOUT ROWID"
        ),
        .table(
            "counterparts",
            "CREATE TABLE counterparts (object BLOB PRIMARY KEY, lookup BLOB NOT NULL, "
                + "name BLOB, revision INTEGER NOT NULL, created INTEGER NOT NULL) "
                + "STRICT, WITHOUT ROWID"
        ),
        .index(
            "counterparts_by_name", on: "counterparts",
            "CREATE UNIQUE INDEX counterparts_by_name ON counterparts (lookup)"),
        .table(
            "marked", "CREATE TABLE marked (object BLOB PRIMARY KEY) STRICT, WITHOUT ROWID"
        ),
        .table(
            "notes",
            "CREATE TABLE notes (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT, WITHOUT ROWID"
        ),
    ]
}

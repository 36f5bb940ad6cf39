internal import Database

/// The tables of a vault file (`Docs/Format.md`, section 7).
enum VaultSchema: DatabaseKind {
    /// A state record, and the data version of the snapshot that it is from.
    struct CommittedState {
        let version: UInt32
        let record: [UInt8]?
    }

    typealias Memory = CommittedState

    /// `"TVLT"`.
    private static let applicationID: Int32 = 1_414_941_780

    private static let tables: [DatabaseFileKind.Entry] = [
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

    /// A vault file.
    static let file = DatabaseFileKind(
        noun: "vault", applicationID: applicationID, entries: tables,
        migrations: [
            SchemaMigrator.Migration(
                version: 1,
                script: tables.map(\.sql).joined(separator: ";\n")
                    + ";\nPRAGMA application_id = \(applicationID);")
        ])
}

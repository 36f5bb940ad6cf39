internal import Database

/// The tables of accounts (`Docs/Storage.md`).
enum AccountSchema {
    static let schema = Schema(
        noun: "user database", serverName: "taskvault_accounts", earlierTable: "account_version",
        // "TVAC" in ASCII.
        applicationID: 0x5456_4143, holdsText: true,
        // A blob of sync is a MiB: in pages of this size SQLite writes it in two thirds of the time, and small changes take as long as before.
        pageSize: 16_384, entries: entries,
        // Versions 1 to 6 are those of earlier builds.
        migrations: [
            Schema.Migration(version: 7, making: tables + indexes + inboxes),
            Schema.Migration(version: 8, making: secondFactors),
            Schema.Migration(version: 9, adding: additions, making: auditIndexes),
            Schema.Migration(version: 10, making: [earlierBlobs] + sync),
            Schema.Migration(
                version: 11,
                sqlite: ["ALTER TABLE sync_blobs RENAME TO earlier_blobs"] + blobs.map(\.sqlite)
                    + [
                        "INSERT INTO sync_blobs SELECT * FROM earlier_blobs",
                        "DROP TABLE earlier_blobs",
                    ],
                postgreSQL: ["ALTER TABLE sync_blobs DROP CONSTRAINT sync_blobs_pkey"]
                    + blobs.dropFirst().map(\.postgreSQL)),
        ])

    /// All tables and indexes.
    static let entries =
        extended(tables + indexes + inboxes) + secondFactors + auditIndexes + sync + blobs

    /// The columns that version 9 adds, by table. SQLite appends their text to the statement of the table.
    private static let additions: [(table: String, columns: [String])] = [
        ("sessions", ["scope TEXT NOT NULL DEFAULT 'account'", "resource TEXT"]),
        ("access_tokens", ["scope TEXT NOT NULL DEFAULT 'account'", "resource TEXT"]),
        (
            "audit_events",
            [
                "network TEXT NOT NULL DEFAULT ''", "device TEXT NOT NULL DEFAULT ''",
                "logged INTEGER NOT NULL DEFAULT 0",
            ]
        ),
    ]

    private static func extended(_ entries: [Schema.Entry]) -> [Schema.Entry] {
        entries.map { entry in
            let added = additions.first { $0.table == entry.name }
            return added.map { entry.adding($0.columns) } ?? entry
        }
    }

    private static let auditIndexes: [Schema.Entry] = [
        .index(
            "audit_events_by_state", on: "audit_events",
            "CREATE INDEX audit_events_by_state ON audit_events (logged, time, id)"),
        .index(
            "audit_events_by_subject", on: "audit_events",
            "CREATE INDEX audit_events_by_subject ON audit_events (subject, time, id)"),
    ]

    private static let tables: [Schema.Entry] = [
        .table(
            "accounts",
            "CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL, "
                + "verified INTEGER NOT NULL, password TEXT NOT NULL, created INTEGER NOT NULL, "
                + "password_changed INTEGER NOT NULL, disabled INTEGER NOT NULL) "
                + "STRICT, WITHOUT ROWID"),
        .table(
            "sessions",
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, account TEXT NOT NULL, "
                + "client TEXT NOT NULL, created INTEGER NOT NULL, refreshed INTEGER NOT NULL, "
                + "expires INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .table(
            "access_tokens",
            "CREATE TABLE access_tokens (hash BLOB PRIMARY KEY, session TEXT NOT NULL, "
                + "issued INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .table(
            "refresh_tokens",
            "CREATE TABLE refresh_tokens (hash BLOB PRIMARY KEY, session TEXT NOT NULL, "
                + "predecessor BLOB, issued INTEGER NOT NULL, expires INTEGER NOT NULL, "
                + "replaced INTEGER) STRICT, WITHOUT ROWID"),
        .table(
            "invitations",
            "CREATE TABLE invitations (code BLOB PRIMARY KEY, email TEXT NOT NULL, "
                + "created INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .table(
            "attempts",
            "CREATE TABLE attempts (key BLOB PRIMARY KEY, guesses BLOB NOT NULL, "
                + "expires INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .table(
            "known_devices",
            "CREATE TABLE known_devices (hash BLOB PRIMARY KEY, account TEXT NOT NULL, "
                + "last INTEGER NOT NULL, confirmed INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .table(
            "session_devices",
            "CREATE TABLE session_devices (session TEXT PRIMARY KEY, account TEXT NOT NULL, "
                + "first TEXT NOT NULL, name TEXT NOT NULL, network TEXT NOT NULL, "
                + "device BLOB, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .table(
            "audit_events",
            "CREATE TABLE audit_events (id TEXT PRIMARY KEY, time INTEGER NOT NULL, "
                + "action TEXT NOT NULL, subject TEXT NOT NULL, actor TEXT NOT NULL) "
                + "STRICT, WITHOUT ROWID"),
    ]

    /// For lookups by other columns than the key, for rows that belong to another one, and for expired rows.
    private static let indexes: [Schema.Entry] = [
        .index(
            "accounts_by_email", on: "accounts",
            "CREATE UNIQUE INDEX accounts_by_email ON accounts (email)"),
        .index(
            "sessions_by_account", on: "sessions",
            "CREATE INDEX sessions_by_account ON sessions (account, created, id)"),
        .index(
            "sessions_by_expiry", on: "sessions",
            "CREATE INDEX sessions_by_expiry ON sessions (expires)"),
        .index(
            "access_tokens_by_session", on: "access_tokens",
            "CREATE INDEX access_tokens_by_session ON access_tokens (session, issued, hash)"),
        .index(
            "access_tokens_by_expiry", on: "access_tokens",
            "CREATE INDEX access_tokens_by_expiry ON access_tokens (expires)"),
        .index(
            "refresh_tokens_by_session", on: "refresh_tokens",
            "CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session, replaced, hash)"),
        .index(
            "refresh_tokens_by_expiry", on: "refresh_tokens",
            "CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires)"),
        .index(
            "invitations_by_email", on: "invitations",
            "CREATE UNIQUE INDEX invitations_by_email ON invitations (email)"),
        .index(
            "invitations_by_expiry", on: "invitations",
            "CREATE INDEX invitations_by_expiry ON invitations (expires)"),
        .index(
            "attempts_by_expiry", on: "attempts",
            "CREATE INDEX attempts_by_expiry ON attempts (expires)"),
        .index(
            "known_devices_by_account", on: "known_devices",
            "CREATE INDEX known_devices_by_account ON known_devices "
                + "(account, confirmed, last, hash)"),
        .index(
            "known_devices_by_time", on: "known_devices",
            "CREATE INDEX known_devices_by_time ON known_devices (last)"),
        .index(
            "session_devices_by_account", on: "session_devices",
            "CREATE INDEX session_devices_by_account ON session_devices "
                + "(account, expires, session)"),
        .index(
            "session_devices_by_expiry", on: "session_devices",
            "CREATE INDEX session_devices_by_expiry ON session_devices (expires)"),
    ]

    /// Inboxes with their subscriptions and messages, and checklists.
    private static let inboxes: [Schema.Entry] = [
        .table(
            "inboxes",
            "CREATE TABLE inboxes (id TEXT PRIMARY KEY, account TEXT NOT NULL, "
                + "first TEXT, receiving BLOB NOT NULL, acknowledging BLOB NOT NULL, "
                + "created INTEGER NOT NULL, last INTEGER NOT NULL, next INTEGER NOT NULL, "
                + "waiting INTEGER NOT NULL, changed INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .table(
            "subscriptions",
            "CREATE TABLE subscriptions (id TEXT PRIMARY KEY, inbox TEXT NOT NULL, "
                + "endpoint BLOB NOT NULL, key BLOB, created INTEGER NOT NULL, ended INTEGER, "
                + "pushed INTEGER, next INTEGER NOT NULL, waiting INTEGER NOT NULL) "
                + "STRICT, WITHOUT ROWID"),
        .table(
            "messages",
            "CREATE TABLE messages (inbox TEXT NOT NULL, number INTEGER NOT NULL, "
                + "id TEXT NOT NULL, subscription TEXT NOT NULL, received INTEGER NOT NULL, "
                + "expires INTEGER NOT NULL, urgency INTEGER NOT NULL, topic TEXT, "
                + "body BLOB NOT NULL, PRIMARY KEY (inbox, number)) STRICT, WITHOUT ROWID"),
        .table(
            "changes",
            "CREATE TABLE changes (id INTEGER PRIMARY KEY, last INTEGER NOT NULL) "
                + "STRICT, WITHOUT ROWID"),
        .table(
            "checklists",
            "CREATE TABLE checklists (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, "
                + "published INTEGER NOT NULL, title TEXT NOT NULL, summary TEXT NOT NULL, "
                + "picture TEXT, count INTEGER NOT NULL, items TEXT NOT NULL) "
                + "STRICT, WITHOUT ROWID"),
        .index(
            "inboxes_by_account", on: "inboxes",
            "CREATE INDEX inboxes_by_account ON inboxes (account, created, id)"),
        .index(
            "inboxes_by_receiving", on: "inboxes",
            "CREATE UNIQUE INDEX inboxes_by_receiving ON inboxes (receiving)"),
        .index(
            "inboxes_by_acknowledging", on: "inboxes",
            "CREATE UNIQUE INDEX inboxes_by_acknowledging ON inboxes (acknowledging)"),
        .index(
            "inboxes_by_change", on: "inboxes",
            "CREATE INDEX inboxes_by_change ON inboxes (changed)"),
        .index(
            "subscriptions_by_endpoint", on: "subscriptions",
            "CREATE UNIQUE INDEX subscriptions_by_endpoint ON subscriptions (endpoint)"),
        .index(
            "subscriptions_by_inbox", on: "subscriptions",
            "CREATE INDEX subscriptions_by_inbox ON subscriptions (inbox, created, id)"),
        .index(
            "subscriptions_by_end", on: "subscriptions",
            "CREATE INDEX subscriptions_by_end ON subscriptions (ended)"),
        .index(
            "messages_by_expiry", on: "messages",
            "CREATE INDEX messages_by_expiry ON messages (expires)"),
    ]

    private static let blobColumns =
        "account TEXT NOT NULL, circle TEXT NOT NULL, area TEXT NOT NULL, name TEXT NOT NULL, "
        + "content BLOB NOT NULL"

    /// The blobs of version 10. SQLite compared names in the tree of the contents, and read each content that it passed.
    private static let earlierBlobs = Schema.Entry.table(
        "sync_blobs",
        "CREATE TABLE sync_blobs (\(blobColumns), PRIMARY KEY (account, circle, area, name)) "
            + "STRICT, WITHOUT ROWID")

    /// Blobs of sync. `circle` is the group, whose name is a word of SQL.
    private static let blobs: [Schema.Entry] = [
        .table("sync_blobs", "CREATE TABLE sync_blobs (\(blobColumns)) STRICT"),
        .index(
            "sync_blobs_by_place", on: "sync_blobs",
            "CREATE UNIQUE INDEX sync_blobs_by_place ON sync_blobs (account, circle, area, name)"),
    ]

    /// The tokens and the groups of blobs.
    private static let sync: [Schema.Entry] = [
        .table(
            "sync_tokens",
            "CREATE TABLE sync_tokens (hash BLOB PRIMARY KEY, account TEXT NOT NULL, "
                + "first TEXT NOT NULL, created INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .table(
            "sync_groups",
            "CREATE TABLE sync_groups (account TEXT NOT NULL, id TEXT NOT NULL, "
                + "changed INTEGER NOT NULL, PRIMARY KEY (account, id)) STRICT, WITHOUT ROWID"),
        .table(
            "sync_usage",
            "CREATE TABLE sync_usage (account TEXT PRIMARY KEY, chains INTEGER NOT NULL, "
                + "others INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .index(
            "sync_tokens_by_device", on: "sync_tokens",
            "CREATE UNIQUE INDEX sync_tokens_by_device ON sync_tokens (account, first)"),
        .index(
            "sync_groups_by_change", on: "sync_groups",
            "CREATE INDEX sync_groups_by_change ON sync_groups (changed)"),
    ]

    /// Second factors with their recovery codes.
    private static let secondFactors: [Schema.Entry] = [
        .table(
            "second_factors",
            "CREATE TABLE second_factors (id TEXT PRIMARY KEY, account TEXT NOT NULL, "
                + "label TEXT NOT NULL, credential BLOB, key BLOB NOT NULL, "
                + "created INTEGER NOT NULL, used INTEGER, spent BLOB NOT NULL) "
                + "STRICT, WITHOUT ROWID"),
        .table(
            "recovery_codes",
            "CREATE TABLE recovery_codes (hash BLOB PRIMARY KEY, account TEXT NOT NULL) "
                + "STRICT, WITHOUT ROWID"),
        .index(
            "second_factors_by_account", on: "second_factors",
            "CREATE INDEX second_factors_by_account ON second_factors (account, created, id)"),
        .index(
            "recovery_codes_by_account", on: "recovery_codes",
            "CREATE INDEX recovery_codes_by_account ON recovery_codes (account)"),
    ]
}

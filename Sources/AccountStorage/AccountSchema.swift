internal import Database

/// The tables of accounts (`Docs/Storage.md`).
enum AccountSchema {
    static let schema = Schema(
        noun: "user database", serverName: "taskvault_accounts", earlierTable: "account_version",
        // "TVAC" in ASCII.
        applicationID: 0x5456_4143, holdsText: true, entries: tables + indexes,
        // Versions 1 and 2 are those of earlier builds.
        migrations: [Schema.Migration(version: 3, making: tables + indexes)])

    private static let tables: [Schema.Entry] = [
        .table(
            "accounts",
            "CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL, "
                + "password TEXT NOT NULL, created INTEGER NOT NULL, "
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
            "CREATE TABLE attempts (key BLOB PRIMARY KEY, failures INTEGER NOT NULL, "
                + "next INTEGER NOT NULL, last INTEGER NOT NULL) STRICT, WITHOUT ROWID"),
        .table(
            "known_places",
            "CREATE TABLE known_places (account TEXT NOT NULL, key BLOB NOT NULL, "
                + "last INTEGER NOT NULL, PRIMARY KEY (account, key)) STRICT, WITHOUT ROWID"),
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
            "attempts_by_time", on: "attempts",
            "CREATE INDEX attempts_by_time ON attempts (last, key)"),
        .index(
            "known_places_by_time", on: "known_places",
            "CREATE INDEX known_places_by_time ON known_places (last)"),
    ]
}

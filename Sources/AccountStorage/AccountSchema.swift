internal import Database
internal import VaultStorage

/// The tables of the file of accounts (`Docs/Storage.md`).
enum AccountSchema: DatabaseKind {
    typealias Memory = Never

    /// `"TVAC"`.
    private static let applicationID: Int32 = 0x5456_4143

    private static let firstTables: [DatabaseFileKind.Entry] = [
        .table(
            "accounts",
            "CREATE TABLE accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL, "
                + "password TEXT NOT NULL, created INTEGER NOT NULL, "
                + "password_changed INTEGER NOT NULL, disabled INTEGER NOT NULL) "
                + "STRICT, WITHOUT ROWID"
        ),
        .table(
            "sessions",
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, account TEXT NOT NULL, "
                + "client TEXT NOT NULL, created INTEGER NOT NULL, refreshed INTEGER NOT NULL, "
                + "expires INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "access_tokens",
            "CREATE TABLE access_tokens (hash BLOB PRIMARY KEY, session TEXT NOT NULL, "
                + "issued INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "refresh_tokens",
            "CREATE TABLE refresh_tokens (hash BLOB PRIMARY KEY, session TEXT NOT NULL, "
                + "predecessor BLOB, issued INTEGER NOT NULL, expires INTEGER NOT NULL, "
                + "replaced INTEGER) STRICT, WITHOUT ROWID"
        ),
        .table(
            "invitations",
            "CREATE TABLE invitations (code BLOB PRIMARY KEY, email TEXT NOT NULL, "
                + "created INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "attempts",
            "CREATE TABLE attempts (key BLOB PRIMARY KEY, failures INTEGER NOT NULL, "
                + "next INTEGER NOT NULL, last INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .table(
            "known_places",
            "CREATE TABLE known_places (account TEXT NOT NULL, key BLOB NOT NULL, "
                + "last INTEGER NOT NULL, PRIMARY KEY (account, key)) STRICT, WITHOUT ROWID"
        ),
    ]

    /// For what is looked up by something else than its key, for what goes with something else, and for what has had its time.
    private static let firstIndexes: [DatabaseFileKind.Entry] = [
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
            "access_tokens_by_expiry", on: "access_tokens",
            "CREATE INDEX access_tokens_by_expiry ON access_tokens (expires)"),
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

    /// Those of version 1 that are others now.
    private static let formerIndexes = [
        "CREATE INDEX access_tokens_by_session ON access_tokens (session)",
        "CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session, replaced)",
    ]

    /// For the tokens of a session, and the newest of them.
    private static let tokenIndexes: [DatabaseFileKind.Entry] = [
        .index(
            "access_tokens_by_session", on: "access_tokens",
            "CREATE INDEX access_tokens_by_session ON access_tokens (session, issued, hash)"),
        .index(
            "refresh_tokens_by_session", on: "refresh_tokens",
            "CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session, replaced, hash)"),
    ]

    /// What names without an account are given the cost of.
    private static let decoyTables: [DatabaseFileKind.Entry] = [
        .table(
            "password_costs",
            "CREATE TABLE password_costs (passes INTEGER NOT NULL, memory INTEGER NOT NULL, "
                + "accounts INTEGER NOT NULL, PRIMARY KEY (passes, memory)) STRICT, WITHOUT ROWID"
        ),
        .table(
            "secrets",
            "CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) "
                + "STRICT, WITHOUT ROWID"
        ),
    ]

    /// Counts the costs that the strings begin with: `$argon2id$v=19$m=65536,t=3,p=1$`. A cast reads as many digits as there are.
    private static let countPasswordCosts = """
        INSERT INTO password_costs (passes, memory, accounts)
            SELECT CAST(substr(password, instr(password, ',t=') + 3) AS INTEGER),
                CAST(substr(password, 18) AS INTEGER), count(*)
            FROM accounts GROUP BY 1, 2
        """

    private static func script(_ statements: [String]) -> String {
        statements.map { $0 + ";\n" }.joined()
    }

    /// A file of accounts.
    static let file = DatabaseFileKind(
        noun: "user database", applicationID: applicationID,
        entries: firstTables + firstIndexes + tokenIndexes + decoyTables,
        migrations: [
            SchemaMigrator.Migration(
                version: 1,
                script: script((firstTables + firstIndexes).map(\.sql) + formerIndexes)
                    + "PRAGMA application_id = \(applicationID);"),
            SchemaMigrator.Migration(
                version: 2,
                script:
                    "DROP INDEX access_tokens_by_session;\nDROP INDEX refresh_tokens_by_session;\n"
                    + script((tokenIndexes + decoyTables).map(\.sql) + [countPasswordCosts])),
        ])
}

/// Sessions and tokens.
extension AccountStatement {
    /// An access token with session and account: hash. SQLite looks them up in the order in which they are joined.
    static let accessToken = AccountStatement(
        sqlite: """
            SELECT t.hash, t.session, t.issued, t.expires, s.id, s.account, s.client, s.created,
                s.refreshed, s.expires, a.id, a.email, a.password, a.created, a.password_changed,
                a.disabled
            FROM access_tokens AS t CROSS JOIN sessions AS s ON s.id = t.session
            CROSS JOIN accounts AS a ON a.id = s.account WHERE t.hash = ?1
            """,
        postgreSQL: """
            SELECT t.hash, t.session, t.issued, t.expires, s.id, s.account, s.client, s.created,
                s.refreshed, s.expires, a.id, a.email, a.password, a.created, a.password_changed,
                a.disabled
            FROM taskvault.account_access_tokens AS t
            JOIN taskvault.account_sessions AS s ON s.id = t.session
            JOIN taskvault.account_items AS a ON a.id = s.account WHERE t.hash = $1
            """)

    /// A refresh token: hash.
    static let refreshToken = AccountStatement(
        sqlite: """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM refresh_tokens WHERE hash = ?1
            """,
        postgreSQL: """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM taskvault.account_refresh_tokens WHERE hash = $1
            """)

    /// The refresh token that is not replaced: session.
    static let currentRefreshToken = AccountStatement(
        sqlite: """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM refresh_tokens WHERE session = ?1 AND replaced IS NULL
            """,
        postgreSQL: """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM taskvault.account_refresh_tokens WHERE session = $1 AND replaced IS NULL
            """)

    /// A session: id.
    static let session = AccountStatement(
        sqlite:
            "SELECT id, account, client, created, refreshed, expires FROM sessions WHERE id = ?1",
        postgreSQL: """
            SELECT id, account, client, created, refreshed, expires
            FROM taskvault.account_sessions WHERE id = $1
            """)

    /// The sessions of an account: account.
    static let sessionsOfAccount = AccountStatement(
        sqlite: """
            SELECT id, account, client, created, refreshed, expires
            FROM sessions WHERE account = ?1 ORDER BY created, id
            """,
        postgreSQL: """
            SELECT id, account, client, created, refreshed, expires
            FROM taskvault.account_sessions WHERE account = $1 ORDER BY created, id
            """)

    /// Adds a session, if there is its account and no such session: the columns.
    static let insertSession = AccountStatement(
        sqlite: """
            INSERT INTO sessions (id, account, client, created, refreshed, expires)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ?2) ON CONFLICT DO NOTHING
            """,
        postgreSQL: """
            INSERT INTO taskvault.account_sessions (id, account, client, created, refreshed,
                expires)
            SELECT $1, $2, $3, $4, $5, $6
            WHERE EXISTS (SELECT 1 FROM taskvault.account_items WHERE id = $2)
            ON CONFLICT DO NOTHING
            """)

    /// Adds an access token, if there is its session and no such token: the columns.
    static let insertAccessToken = AccountStatement(
        sqlite: """
            INSERT INTO access_tokens (hash, session, issued, expires) SELECT ?1, ?2, ?3, ?4
            WHERE EXISTS (SELECT 1 FROM sessions WHERE id = ?2) ON CONFLICT DO NOTHING
            """,
        postgreSQL: """
            INSERT INTO taskvault.account_access_tokens (hash, session, issued, expires)
            SELECT $1, $2, $3, $4
            WHERE EXISTS (SELECT 1 FROM taskvault.account_sessions WHERE id = $2)
            ON CONFLICT DO NOTHING
            """)

    /// Adds a refresh token, if there is its session and no such token: the columns.
    static let insertRefreshToken = AccountStatement(
        sqlite: """
            INSERT INTO refresh_tokens (hash, session, predecessor, issued, expires, replaced)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE EXISTS (SELECT 1 FROM sessions WHERE id = ?2) ON CONFLICT DO NOTHING
            """,
        postgreSQL: """
            INSERT INTO taskvault.account_refresh_tokens (hash, session, predecessor, issued,
                expires, replaced)
            SELECT $1, $2, $3, $4, $5, $6
            WHERE EXISTS (SELECT 1 FROM taskvault.account_sessions WHERE id = $2)
            ON CONFLICT DO NOTHING
            """)

    /// Sets when tokens were issued last: session, time.
    static let setRefreshed = AccountStatement(
        sqlite: "UPDATE sessions SET refreshed = ?2 WHERE id = ?1",
        postgreSQL: "UPDATE taskvault.account_sessions SET refreshed = $2 WHERE id = $1")

    /// Notes that a token was replaced: hash, time.
    static let setReplaced = AccountStatement(
        sqlite: "UPDATE refresh_tokens SET replaced = ?2 WHERE hash = ?1",
        postgreSQL: "UPDATE taskvault.account_refresh_tokens SET replaced = $2 WHERE hash = $1")
}

/// What removes sessions and tokens.
extension AccountStatement {
    /// Removes an access token: hash.
    static let removeAccessToken = AccountStatement(
        sqlite: "DELETE FROM access_tokens WHERE hash = ?1",
        postgreSQL: "DELETE FROM taskvault.account_access_tokens WHERE hash = $1")

    /// Removes a session: id.
    static let removeSession = AccountStatement(
        sqlite: "DELETE FROM sessions WHERE id = ?1",
        postgreSQL: "DELETE FROM taskvault.account_sessions WHERE id = $1")

    /// Removes the access tokens of a session: session.
    static let removeAccessTokensOfSession = AccountStatement(
        sqlite: "DELETE FROM access_tokens WHERE session = ?1",
        postgreSQL: "DELETE FROM taskvault.account_access_tokens WHERE session = $1")

    /// Removes the refresh tokens of a session: session.
    static let removeRefreshTokensOfSession = AccountStatement(
        sqlite: "DELETE FROM refresh_tokens WHERE session = ?1",
        postgreSQL: "DELETE FROM taskvault.account_refresh_tokens WHERE session = $1")

    /// Removes the sessions of an account: account.
    static let removeSessionsOfAccount = AccountStatement(
        sqlite: "DELETE FROM sessions WHERE account = ?1",
        postgreSQL: "DELETE FROM taskvault.account_sessions WHERE account = $1")

    /// Removes the access tokens of an account: account.
    static let removeAccessTokensOfAccount = AccountStatement(
        sqlite: """
            DELETE FROM access_tokens WHERE session IN (SELECT id FROM sessions WHERE account = ?1)
            """,
        postgreSQL: """
            DELETE FROM taskvault.account_access_tokens
            WHERE session IN (SELECT id FROM taskvault.account_sessions WHERE account = $1)
            """)

    /// Removes the refresh tokens of an account: account.
    static let removeRefreshTokensOfAccount = AccountStatement(
        sqlite: """
            DELETE FROM refresh_tokens WHERE session IN (SELECT id FROM sessions WHERE account = ?1)
            """,
        postgreSQL: """
            DELETE FROM taskvault.account_refresh_tokens
            WHERE session IN (SELECT id FROM taskvault.account_sessions WHERE account = $1)
            """)

    /// Removes access tokens that expired: before when.
    static let purgeAccessTokens = AccountStatement(
        sqlite: "DELETE FROM access_tokens WHERE expires < ?1",
        postgreSQL: "DELETE FROM taskvault.account_access_tokens WHERE expires < $1")

    /// Removes refresh tokens that expired: before when.
    static let purgeRefreshTokens = AccountStatement(
        sqlite: "DELETE FROM refresh_tokens WHERE expires < ?1",
        postgreSQL: "DELETE FROM taskvault.account_refresh_tokens WHERE expires < $1")

    /// Removes the access tokens of sessions that expired: before when.
    static let purgeAccessTokensOfSessions = AccountStatement(
        sqlite: """
            DELETE FROM access_tokens WHERE session IN (SELECT id FROM sessions WHERE expires < ?1)
            """,
        postgreSQL: """
            DELETE FROM taskvault.account_access_tokens
            WHERE session IN (SELECT id FROM taskvault.account_sessions WHERE expires < $1)
            """)

    /// Removes the refresh tokens of sessions that expired: before when.
    static let purgeRefreshTokensOfSessions = AccountStatement(
        sqlite: """
            DELETE FROM refresh_tokens WHERE session IN (SELECT id FROM sessions WHERE expires < ?1)
            """,
        postgreSQL: """
            DELETE FROM taskvault.account_refresh_tokens
            WHERE session IN (SELECT id FROM taskvault.account_sessions WHERE expires < $1)
            """)

    /// Removes sessions that expired: before when.
    static let purgeSessions = AccountStatement(
        sqlite: "DELETE FROM sessions WHERE expires < ?1",
        postgreSQL: "DELETE FROM taskvault.account_sessions WHERE expires < $1")
}

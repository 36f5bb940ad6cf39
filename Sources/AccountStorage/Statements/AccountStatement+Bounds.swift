/// What keeps sessions and tokens to a number.
extension AccountStatement {
    /// The sessions of an account beyond those used last: account, how many. There are few more than that, so sorting them costs less than an
    /// index that each refresh would have to change.
    static let sessionsBeyond = AccountStatement(
        sqlite: """
            SELECT id, account, client, created, refreshed, expires
            FROM sessions WHERE account = ?1 ORDER BY refreshed DESC, id DESC LIMIT -1 OFFSET ?2
            """,
        postgreSQL: """
            SELECT id, account, client, created, refreshed, expires
            FROM taskvault.account_sessions WHERE account = $1
            ORDER BY refreshed DESC, id DESC OFFSET $2
            """)

    /// Removes access tokens beyond those issued last: session, how many.
    static let removeAccessTokensBeyond = AccountStatement(
        sqlite: """
            DELETE FROM access_tokens WHERE hash IN (SELECT hash FROM access_tokens
                WHERE session = ?1 ORDER BY issued DESC, hash DESC LIMIT -1 OFFSET ?2)
            """,
        postgreSQL: """
            DELETE FROM taskvault.account_access_tokens
            WHERE hash IN (SELECT hash FROM taskvault.account_access_tokens
                WHERE session = $1 ORDER BY issued DESC, hash DESC OFFSET $2)
            """)

    /// The first replaced refresh token beyond those replaced last: session, how many.
    static let replacedTokenBeyond = AccountStatement(
        sqlite: """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM refresh_tokens WHERE session = ?1 AND replaced IS NOT NULL
            ORDER BY replaced DESC, hash DESC LIMIT 1 OFFSET ?2
            """,
        postgreSQL: """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM taskvault.account_refresh_tokens WHERE session = $1 AND replaced IS NOT NULL
            ORDER BY replaced DESC, hash DESC LIMIT 1 OFFSET $2
            """)

    /// Removes replaced refresh tokens up to one: session, when it was replaced, its hash.
    static let removeReplacedTokensUpTo = AccountStatement(
        sqlite: """
            DELETE FROM refresh_tokens WHERE session = ?1 AND (replaced, hash) <= (?2, ?3)
            """,
        postgreSQL: """
            DELETE FROM taskvault.account_refresh_tokens
            WHERE session = $1 AND (replaced, hash) <= ($2, $3)
            """)
}

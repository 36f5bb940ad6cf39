internal import Database
public import TextCoding

/// Access tokens.
extension AccountTransaction {
    /// An access token with its session and account, expired or not; nil if there is none.
    public func accessToken(_ hash: TokenHash) throws -> AccessTokenDetails? {
        try transaction.row(
            """
            SELECT t.issued, t.expires, t.scope, t.resource, s.id, s.account, s.client, s.created,
                s.refreshed, s.expires, s.scope, s.resource, a.email, a.verified, a.created,
                a.password_changed, a.disabled
            FROM access_tokens AS t JOIN sessions AS s ON s.id = t.session
            JOIN accounts AS a ON a.id = s.account WHERE t.hash = $1
            """, [.bytes(hash.bytes)]
        ) { row in
            let session = try SignInSession(row, from: 4)
            return AccessTokenDetails(
                token: AccessToken(
                    hash: hash, session: session.id, grant: try row.grant(2),
                    issued: try row.time(0), expires: try row.time(1)),
                session: session,
                account: AccountProfile(
                    id: session.account, email: try row.email(12),
                    isEmailVerified: try row.flag(13), created: try row.time(14),
                    passwordChanged: try row.time(15), isDisabled: try row.flag(16)))
        }
    }

    /// Adds an access token.
    ///
    /// - Throws: ``AccountError/missing`` if the session does not exist; ``AccountError/alreadyExists``.
    public func insert(_ token: AccessToken) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO access_tokens (hash, session, issued, expires, scope, resource)
            SELECT $1, $2, $3, $4, $5, $6
            WHERE EXISTS (SELECT 1 FROM sessions WHERE id = $2) ON CONFLICT DO NOTHING
            """,
            [
                .bytes(token.hash.bytes), .text(token.session.text), .time(token.issued),
                .time(token.expires), .text(token.grant.scope.text), .text(token.grant.resource),
            ])
        try requireInserted(inserted, in: token.session)
    }

    /// Removes an access token, if it exists.
    public func removeAccessToken(_ hash: TokenHash) throws {
        try transaction.change("DELETE FROM access_tokens WHERE hash = $1", [.bytes(hash.bytes)])
    }

    /// Removes all but the `limit` last issued access tokens of a session.
    public func removeAccessTokens(of session: SessionID, keeping limit: Int) throws {
        try transaction.change(
            """
            DELETE FROM access_tokens WHERE hash IN (SELECT hash FROM access_tokens
                WHERE session = $1 ORDER BY issued DESC, hash DESC
                LIMIT 9223372036854775807 OFFSET $2)
            """, [.text(session.text), .count(limit)])
    }

    private func requireInserted(_ count: Int, in id: SessionID) throws {
        guard count == 0 else { return }
        throw try session(id) == nil ? AccountError.missing : AccountError.alreadyExists
    }
}

/// Refresh tokens.
extension AccountTransaction {
    /// A refresh token, replaced or not, expired or not; nil if there is none.
    public func refreshToken(_ hash: TokenHash) throws -> RefreshToken? {
        try transaction.row(
            """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM refresh_tokens WHERE hash = $1
            """, [.bytes(hash.bytes)], RefreshToken.init)
    }

    /// The current refresh token of a session, which no other token has replaced; nil if there is none.
    public func currentRefreshToken(of session: SessionID) throws -> RefreshToken? {
        try transaction.row(
            """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM refresh_tokens WHERE session = $1 AND replaced IS NULL
            """, [.text(session.text)], RefreshToken.init)
    }

    /// Adds a refresh token.
    ///
    /// - Throws: ``AccountError/missing`` if the session does not exist; ``AccountError/alreadyExists``.
    public func insert(_ token: RefreshToken) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO refresh_tokens (hash, session, predecessor, issued, expires, replaced)
            SELECT $1, $2, $3, $4, $5, $6
            WHERE EXISTS (SELECT 1 FROM sessions WHERE id = $2) ON CONFLICT DO NOTHING
            """,
            [
                .bytes(token.hash.bytes), .text(token.session.text),
                .bytes(token.predecessor?.bytes), .time(token.issued), .time(token.expires),
                .time(token.replaced),
            ])
        try requireInserted(inserted, in: token.session)
    }

    /// Records when a refresh token was replaced.
    ///
    /// - Throws: ``AccountError/missing``.
    public func setReplaced(_ token: TokenHash, at time: PointInTime) throws {
        let updated = try transaction.change(
            "UPDATE refresh_tokens SET replaced = $2 WHERE hash = $1",
            [.bytes(token.bytes), .time(time)])
        guard updated == 1 else { throw AccountError.missing }
    }

    /// Removes all but the `limit` last replaced refresh tokens of a session; the current one stays.
    ///
    /// - Returns: The last replaced token among the removed ones; nil if none was removed.
    public func removeReplacedTokens(
        of session: SessionID, keeping limit: Int
    ) throws -> RefreshToken? {
        let last = try transaction.row(
            """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM refresh_tokens WHERE session = $1 AND replaced IS NOT NULL
            ORDER BY replaced DESC, hash DESC LIMIT 1 OFFSET $2
            """, [.text(session.text), .count(limit)], RefreshToken.init)
        guard let last else { return nil }
        try transaction.change(
            "DELETE FROM refresh_tokens WHERE session = $1 AND (replaced, hash) <= ($2, $3)",
            [.text(session.text), .time(last.replaced), .bytes(last.hash.bytes)])
        return last
    }
}

extension RefreshToken {
    fileprivate init(_ row: any Row) throws {
        self.init(
            hash: try row.hash(0), session: try row.sessionID(1),
            predecessor: row.isNull(2) ? nil : try row.hash(2), issued: try row.time(3),
            expires: try row.time(4), replaced: try row.optionalTime(5))
    }
}

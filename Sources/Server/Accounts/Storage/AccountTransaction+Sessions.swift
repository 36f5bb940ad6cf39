internal import Database
public import TextCoding

/// Sessions.
extension AccountTransaction {
    /// A session, expired or not; nil if there is none.
    public func session(_ id: SessionID) throws -> SignInSession? {
        try transaction.row(
            """
            SELECT id, account, client, created, refreshed, expires, scope, resource
            FROM sessions WHERE id = $1
            """, [.text(id.text)]
        ) { try SignInSession($0, from: 0) }
    }

    /// The sessions of an account, expired or not, the oldest first.
    public func sessions(of account: AccountID) throws -> [SignInSession] {
        try transaction.rows(
            """
            SELECT id, account, client, created, refreshed, expires, scope, resource
            FROM sessions WHERE account = $1 ORDER BY created, id
            """, [.text(account.text)]
        ) { try SignInSession($0, from: 0) }
    }

    /// Adds a session.
    ///
    /// - Throws: ``AccountError/missing`` if the account does not exist; ``AccountError/alreadyExists``.
    public func insert(_ session: SignInSession) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO sessions
                (id, account, client, created, refreshed, expires, scope, resource)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8
            WHERE EXISTS (SELECT 1 FROM accounts WHERE id = $2) ON CONFLICT DO NOTHING
            """,
            [
                .text(session.id.text), .text(session.account.text), .text(session.client),
                .time(session.created), .time(session.refreshed), .time(session.expires),
                .text(session.grant.scope.text), .text(session.grant.resource),
            ])
        guard inserted == 0 else { return }
        throw try account(session.account) == nil
            ? AccountError.missing : AccountError.alreadyExists
    }

    /// Sets the time when tokens of a session were last issued.
    ///
    /// - Throws: ``AccountError/missing``.
    public func setRefreshed(_ session: SessionID, at time: PointInTime) throws {
        let updated = try transaction.change(
            "UPDATE sessions SET refreshed = $2 WHERE id = $1", [.text(session.text), .time(time)])
        guard updated == 1 else { throw AccountError.missing }
    }

    /// Removes a session, if it exists, with its tokens.
    public func end(_ session: SessionID) throws {
        let id = [DatabaseValue.text(session.text)]
        try transaction.change("DELETE FROM access_tokens WHERE session = $1", id)
        try transaction.change("DELETE FROM refresh_tokens WHERE session = $1", id)
        try transaction.change("DELETE FROM sessions WHERE id = $1", id)
    }

    /// Removes all sessions of an account with their tokens.
    ///
    /// - Returns: The number of sessions.
    @discardableResult
    public func endSessions(of account: AccountID) throws -> Int {
        let id = [DatabaseValue.text(account.text)]
        try transaction.change(
            """
            DELETE FROM access_tokens
            WHERE session IN (SELECT id FROM sessions WHERE account = $1)
            """, id)
        try transaction.change(
            """
            DELETE FROM refresh_tokens
            WHERE session IN (SELECT id FROM sessions WHERE account = $1)
            """, id)
        return try transaction.change("DELETE FROM sessions WHERE account = $1", id)
    }

    /// Removes all but the `limit` last refreshed sessions of an account.
    public func endSessions(of account: AccountID, keeping limit: Int) throws {
        // Without an index for this order, which each refresh would have to change: hardly more than `limit` sessions are sorted.
        let ended = try transaction.rows(
            """
            SELECT id, account, client, created, refreshed, expires, scope, resource
            FROM sessions WHERE account = $1 ORDER BY refreshed DESC, id DESC
            LIMIT 9223372036854775807 OFFSET $2
            """, [.text(account.text), .count(limit)]
        ) { try SignInSession($0, from: 0) }
        for session in ended { try end(session.id) }
    }
}

/// The devices on which sessions began.
extension AccountTransaction {
    /// The device on which a session began, also after the session expired; nil if it is not known.
    public func device(of session: SessionID) throws -> SessionDevice? {
        try transaction.row(
            """
            SELECT session, account, first, name, network, device, expires
            FROM session_devices WHERE session = $1
            """, [.text(session.text)], SessionDevice.init)
    }

    /// The devices on which the sessions of an account began, also of expired ones, in any order.
    public func devices(of account: AccountID) throws -> [SessionDevice] {
        try transaction.rows(
            """
            SELECT session, account, first, name, network, device, expires
            FROM session_devices WHERE account = $1
            """, [.text(account.text)], SessionDevice.init)
    }

    /// Adds the device of a session. Of those of the account without a session the newest stay, so that there are at most `limit`.
    public func insert(_ device: SessionDevice, keeping limit: Int) throws {
        try transaction.change(
            """
            INSERT INTO session_devices (session, account, first, name, network, device, expires)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .text(device.session.text), .text(device.account.text), .text(device.first.text),
                .text(device.name), .text(device.network), .bytes(device.device?.bytes),
                .time(device.expires),
            ])
        try transaction.change(
            """
            DELETE FROM session_devices WHERE session IN (SELECT session FROM session_devices
                WHERE account = $1 ORDER BY expires DESC, session DESC
                LIMIT 9223372036854775807 OFFSET $2)
                AND session NOT IN (SELECT id FROM sessions WHERE account = $1)
            """, [.text(device.account.text), .count(limit)])
    }

    /// Removes the device of a session, if it is known.
    public func removeDevice(of session: SessionID) throws {
        try transaction.change(
            "DELETE FROM session_devices WHERE session = $1", [.text(session.text)])
    }
}

extension SignInSession {
    init(_ row: any Row, from column: Int32) throws {
        self.init(
            id: try row.sessionID(column), account: try row.accountID(column + 1),
            client: try row.text(column + 2), grant: try row.grant(column + 6),
            created: try row.time(column + 3), refreshed: try row.time(column + 4),
            expires: try row.time(column + 5))
    }
}

extension SessionDevice {
    fileprivate init(_ row: any Row) throws {
        self.init(
            session: try row.sessionID(0), account: try row.accountID(1),
            first: try row.sessionID(2), name: try row.text(3), network: try row.text(4),
            device: row.isNull(5) ? nil : try row.hash(5), expires: try row.time(6))
    }
}

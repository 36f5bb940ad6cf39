internal import Accounts
internal import Database
internal import TextCoding

/// Changes of accounts in one transaction.
final class StoredAccountWriter: AccountWriter, AccountQueries {
    let transaction: Transaction
    private let isOnServer: Bool
    /// Whether inboxes changed.
    private(set) var hasChangedInboxes = false

    init(_ transaction: Transaction, isOnServer: Bool = false) {
        self.transaction = transaction
        self.isOnServer = isOnServer
    }

    func run<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try body(transaction)
    }

    func beginChanges(_ count: Int) throws -> Int64 {
        hasChangedInboxes = true
        try transaction.change(
            """
            INSERT INTO changes (id, last) VALUES (0, $1)
            ON CONFLICT (id) DO UPDATE SET last = changes.last + $1
            """, [.count(count)])
        if isOnServer {
            // A file can be watched; a server tells its listeners at the commit.
            _ = try transaction.rows("SELECT pg_notify('taskvault_inboxes', '') IS NULL") { _ in }
        }
        return try lastChange()
    }
}

/// Accounts and invitations.
extension StoredAccountWriter {
    func insert(_ account: Account) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO accounts
                (id, email, verified, password, created, password_changed, disabled)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
            """,
            [
                .text(account.id.text), .text(account.email.text),
                .integer(account.isEmailVerified ? 1 : 0), .text(account.storedPassword),
                .time(account.created), .time(account.passwordChanged),
                .integer(account.isDisabled ? 1 : 0),
            ])
        guard inserted == 1 else { throw AccountError.alreadyExists }
    }

    func update(_ account: Account) throws {
        let updated = try transaction.change(
            """
            UPDATE accounts SET password = $2, password_changed = $3, disabled = $4 WHERE id = $1
            """,
            [
                .text(account.id.text), .text(account.storedPassword),
                .time(account.passwordChanged), .integer(account.isDisabled ? 1 : 0),
            ])
        guard updated == 1 else { throw AccountError.missing }
    }

    func remove(_ id: AccountID) throws {
        guard let account = try account(id) else { throw AccountError.missing }
        try endSessions(of: id)
        try transaction.change("DELETE FROM known_devices WHERE account = $1", [.text(id.text)])
        try transaction.change("DELETE FROM session_devices WHERE account = $1", [.text(id.text)])
        try removeInboxes(of: id)
        try removeInvitations(for: account.email)
        try transaction.change("DELETE FROM accounts WHERE id = $1", [.text(id.text)])
    }

    func put(_ invitation: Invitation) throws {
        try removeInvitations(for: invitation.email)
        _ = try removeInvitation(invitation.code)
        try transaction.change(
            "INSERT INTO invitations (code, email, created, expires) VALUES ($1, $2, $3, $4)",
            [
                .bytes(invitation.code.bytes), .text(invitation.email.text),
                .time(invitation.created), .time(invitation.expires),
            ])
    }

    func removeInvitation(_ code: TokenHash) throws -> Bool {
        try transaction.change("DELETE FROM invitations WHERE code = $1", [.bytes(code.bytes)]) == 1
    }

    private func removeInvitations(for email: EmailAddress) throws {
        try transaction.change("DELETE FROM invitations WHERE email = $1", [.text(email.text)])
    }
}

/// Sessions.
extension StoredAccountWriter {
    func insert(_ session: SignInSession) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO sessions (id, account, client, created, refreshed, expires)
            SELECT $1, $2, $3, $4, $5, $6
            WHERE EXISTS (SELECT 1 FROM accounts WHERE id = $2) ON CONFLICT DO NOTHING
            """,
            [
                .text(session.id.text), .text(session.account.text), .text(session.client),
                .time(session.created), .time(session.refreshed), .time(session.expires),
            ])
        guard inserted == 0 else { return }
        throw try account(session.account) == nil
            ? AccountError.missing : AccountError.alreadyExists
    }

    func insert(_ device: SessionDevice, keeping limit: Int) throws {
        try transaction.change(
            """
            INSERT INTO session_devices (session, account, first, name, network, expires)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .text(device.session.text), .text(device.account.text), .text(device.first.text),
                .text(device.name), .text(device.network), .time(device.expires),
            ])
        try transaction.change(
            """
            DELETE FROM session_devices WHERE session IN (SELECT session FROM session_devices
                WHERE account = $1 ORDER BY expires DESC, session DESC
                LIMIT 9223372036854775807 OFFSET $2)
                AND session NOT IN (SELECT id FROM sessions WHERE account = $1)
            """, [.text(device.account.text), .count(limit)])
    }

    func removeDevice(of session: SessionID) throws {
        try transaction.change(
            "DELETE FROM session_devices WHERE session = $1", [.text(session.text)])
    }

    func setRefreshed(_ session: SessionID, at time: PointInTime) throws {
        let updated = try transaction.change(
            "UPDATE sessions SET refreshed = $2 WHERE id = $1", [.text(session.text), .time(time)])
        guard updated == 1 else { throw AccountError.missing }
    }

    func end(_ session: SessionID) throws {
        let id = [DatabaseValue.text(session.text)]
        try transaction.change("DELETE FROM access_tokens WHERE session = $1", id)
        try transaction.change("DELETE FROM refresh_tokens WHERE session = $1", id)
        try transaction.change("DELETE FROM sessions WHERE id = $1", id)
    }

    @discardableResult
    func endSessions(of account: AccountID) throws -> Int {
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

    func endSessions(of account: AccountID, keeping limit: Int) throws {
        // Without an index for this order, which each refresh would have to change: hardly more than `limit` sessions are sorted.
        let ended = try transaction.rows(
            """
            SELECT id, account, client, created, refreshed, expires
            FROM sessions WHERE account = $1 ORDER BY refreshed DESC, id DESC
            LIMIT 9223372036854775807 OFFSET $2
            """, [.text(account.text), .count(limit)]
        ) { try SignInSession($0, from: 0) }
        for session in ended { try end(session.id) }
    }
}

/// Tokens.
extension StoredAccountWriter {
    func insert(_ token: AccessToken) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO access_tokens (hash, session, issued, expires) SELECT $1, $2, $3, $4
            WHERE EXISTS (SELECT 1 FROM sessions WHERE id = $2) ON CONFLICT DO NOTHING
            """,
            [
                .bytes(token.hash.bytes), .text(token.session.text), .time(token.issued),
                .time(token.expires),
            ])
        try requireInserted(inserted, in: token.session)
    }

    func insert(_ token: RefreshToken) throws {
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

    private func requireInserted(_ count: Int, in id: SessionID) throws {
        guard count == 0 else { return }
        throw try session(id) == nil ? AccountError.missing : AccountError.alreadyExists
    }

    func removeAccessToken(_ hash: TokenHash) throws {
        try transaction.change("DELETE FROM access_tokens WHERE hash = $1", [.bytes(hash.bytes)])
    }

    func removeAccessTokens(of session: SessionID, keeping limit: Int) throws {
        try transaction.change(
            """
            DELETE FROM access_tokens WHERE hash IN (SELECT hash FROM access_tokens
                WHERE session = $1 ORDER BY issued DESC, hash DESC
                LIMIT 9223372036854775807 OFFSET $2)
            """, [.text(session.text), .count(limit)])
    }

    func currentRefreshToken(of session: SessionID) throws -> RefreshToken? {
        try transaction.row(
            """
            SELECT hash, session, predecessor, issued, expires, replaced
            FROM refresh_tokens WHERE session = $1 AND replaced IS NULL
            """, [.text(session.text)], RefreshToken.init)
    }

    func setReplaced(_ token: TokenHash, at time: PointInTime) throws {
        let updated = try transaction.change(
            "UPDATE refresh_tokens SET replaced = $2 WHERE hash = $1",
            [.bytes(token.bytes), .time(time)])
        guard updated == 1 else { throw AccountError.missing }
    }

    func removeReplacedTokens(of session: SessionID, keeping limit: Int) throws -> RefreshToken? {
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

/// Attempts and known devices.
extension StoredAccountWriter {
    func put(_ attempts: AttemptRecord) throws {
        try transaction.change(
            """
            INSERT INTO attempts (key, guesses, rests) VALUES ($1, $2, $3)
            ON CONFLICT (key) DO UPDATE SET guesses = $2, rests = $3
            """,
            [
                .bytes(attempts.key.bytes), .bytes(attempts.storedGuesses), .time(attempts.rests),
            ])
    }

    func removeAttempts(_ key: AttemptKey) throws {
        try transaction.change("DELETE FROM attempts WHERE key = $1", [.bytes(key.bytes)])
    }

    func countAttempts() throws -> Int {
        try transaction.row("SELECT count(*) FROM attempts") { Int(try $0.integer(0)) } ?? 0
    }

    func removeAttempts(restingAt time: PointInTime) throws {
        try transaction.change("DELETE FROM attempts WHERE rests <= $1", [.time(time)])
    }

    func insert(_ event: AuditEvent) throws {
        try transaction.change(
            """
            INSERT INTO audit_events (id, time, action, subject, actor) VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .text(event.id.text), .time(event.time), .text(event.action.rawValue),
                .text(event.subject.text), .text(event.actor),
            ])
    }

    func takeAuditEvents(limit: Int) throws -> [AuditEvent] {
        // Few rows: a server takes them every few minutes.
        let events = try transaction.rows(
            """
            SELECT id, time, action, subject, actor FROM audit_events ORDER BY time, id LIMIT $1
            """, [.count(limit)], AuditEvent.init)
        for event in events {
            try transaction.change(
                "DELETE FROM audit_events WHERE id = $1", [.text(event.id.text)])
        }
        return events
    }

    func put(_ device: KnownDevice, keeping limit: Int) throws {
        let isConfirmed = DatabaseValue.integer(device.isConfirmed ? 1 : 0)
        try transaction.change(
            """
            INSERT INTO known_devices (hash, account, last, confirmed) VALUES ($1, $2, $3, $4)
            ON CONFLICT (hash) DO UPDATE SET account = $2, last = $3, confirmed = $4
            """,
            [
                .bytes(device.hash.bytes), .text(device.account.text), .time(device.last),
                isConfirmed,
            ])
        try transaction.change(
            """
            DELETE FROM known_devices WHERE hash IN (SELECT hash FROM known_devices
                WHERE account = $1 AND confirmed = $2 ORDER BY last DESC, hash DESC
                LIMIT 9223372036854775807 OFFSET $3)
            """, [.text(device.account.text), isConfirmed, .count(limit)])
    }

    func purge(
        expiredBefore time: PointInTime, devicesBefore devices: PointInTime
    ) throws -> Int {
        let expired = [DatabaseValue.time(time)]
        let tokens =
            try transaction.change("DELETE FROM access_tokens WHERE expires < $1", expired)
            + transaction.change("DELETE FROM refresh_tokens WHERE expires < $1", expired)
        // These tokens have not expired themselves, and are not counted.
        try transaction.change(
            """
            DELETE FROM access_tokens WHERE session IN (SELECT id FROM sessions WHERE expires < $1)
            """, expired)
        try transaction.change(
            """
            DELETE FROM refresh_tokens WHERE session IN (SELECT id FROM sessions WHERE expires < $1)
            """, expired)
        try transaction.change("DELETE FROM session_devices WHERE expires < $1", expired)
        return try tokens
            + transaction.change("DELETE FROM sessions WHERE expires < $1", expired)
            + transaction.change("DELETE FROM invitations WHERE expires < $1", expired)
            + transaction.change("DELETE FROM attempts WHERE rests < $1", expired)
            + transaction.change("DELETE FROM known_devices WHERE last < $1", [.time(devices)])
    }
}

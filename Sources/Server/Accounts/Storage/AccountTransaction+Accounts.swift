internal import Database

/// Accounts.
extension AccountTransaction {
    /// An account by its id; nil if there is none.
    public func account(_ id: AccountID) throws -> Account? {
        try transaction.row(
            """
            SELECT id, email, verified, password, created, password_changed, disabled
            FROM accounts WHERE id = $1
            """, [.text(id.text)], Account.init)
    }

    /// An account by its name; nil if there is none.
    public func account(_ email: EmailAddress) throws -> Account? {
        try transaction.row(
            """
            SELECT id, email, verified, password, created, password_changed, disabled
            FROM accounts WHERE email = $1
            """, [.text(email.text)], Account.init)
    }

    /// At most `limit` accounts after a name, in ascending order of the names' bytes.
    public func accounts(after email: EmailAddress?, limit: Int) throws -> [Account] {
        // The empty text comes before every name.
        try transaction.rows(
            """
            SELECT id, email, verified, password, created, password_changed, disabled
            FROM accounts WHERE email > $1 ORDER BY email LIMIT $2
            """, [.text(email?.text ?? ""), .count(limit)], Account.init)
    }

    /// Adds an account.
    ///
    /// - Throws: ``AccountError/alreadyExists`` if its id or its name is taken.
    public func insert(_ account: Account) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO accounts
                (id, email, verified, password, created, password_changed, disabled)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
            """,
            [
                .text(account.id.text), .text(account.email.text), .flag(account.isEmailVerified),
                .text(account.storedPassword), .time(account.created),
                .time(account.passwordChanged), .flag(account.isDisabled),
            ])
        guard inserted == 1 else { throw AccountError.alreadyExists }
    }

    /// Replaces the password, the time of its change, and whether sign-in is refused.
    ///
    /// - Throws: ``AccountError/missing``.
    public func update(_ account: Account) throws {
        let updated = try transaction.change(
            """
            UPDATE accounts SET password = $2, password_changed = $3, disabled = $4 WHERE id = $1
            """,
            [
                .text(account.id.text), .text(account.storedPassword),
                .time(account.passwordChanged), .flag(account.isDisabled),
            ])
        guard updated == 1 else { throw AccountError.missing }
    }

    /// Removes an account with its sessions, tokens, known devices, second factors and inboxes, and the invitations for its name.
    ///
    /// - Throws: ``AccountError/missing``.
    public func remove(_ id: AccountID) throws {
        guard let account = try account(id) else { throw AccountError.missing }
        try endSessions(of: id)
        try removeKnownDevices(of: id)
        try removeSecondFactors(of: id)
        try transaction.change("DELETE FROM session_devices WHERE account = $1", [.text(id.text)])
        try removeInboxes(of: id)
        try removeSync(of: id)
        try removeAuditEvents(of: id)
        try removeInvitations(for: account.email)
        try transaction.change("DELETE FROM accounts WHERE id = $1", [.text(id.text)])
    }
}

/// Invitations.
extension AccountTransaction {
    /// An invitation, expired or not; nil if there is none.
    public func invitation(_ code: TokenHash) throws -> Invitation? {
        try transaction.row(
            "SELECT code, email, created, expires FROM invitations WHERE code = $1",
            [.bytes(code.bytes)], Invitation.init)
    }

    /// All invitations, expired or not, the oldest first.
    public func invitations() throws -> [Invitation] {
        try transaction.rows(
            "SELECT code, email, created, expires FROM invitations ORDER BY created, email", [],
            Invitation.init)
    }

    /// Adds an invitation, and removes an earlier one for the same name.
    public func put(_ invitation: Invitation) throws {
        try removeInvitations(for: invitation.email)
        _ = try removeInvitation(invitation.code)
        try transaction.change(
            "INSERT INTO invitations (code, email, created, expires) VALUES ($1, $2, $3, $4)",
            [
                .bytes(invitation.code.bytes), .text(invitation.email.text),
                .time(invitation.created), .time(invitation.expires),
            ])
    }

    /// Removes an invitation.
    ///
    /// - Returns: Whether it existed.
    public func removeInvitation(_ code: TokenHash) throws -> Bool {
        try transaction.change("DELETE FROM invitations WHERE code = $1", [.bytes(code.bytes)]) == 1
    }

    private func removeInvitations(for email: EmailAddress) throws {
        try transaction.change("DELETE FROM invitations WHERE email = $1", [.text(email.text)])
    }
}

/// Events of operators, and those that an owner should know.
extension AccountTransaction {
    /// Adds an event. If `isLogged`, the server has written it into its log.
    public func insert(_ event: AuditEvent, logged isLogged: Bool = false) throws {
        try transaction.change(
            """
            INSERT INTO audit_events (id, time, action, subject, actor, network, device, logged)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .text(event.id.text), .time(event.time), .text(event.action.rawValue),
                .text(event.subject.text), .text(event.actor), .text(event.network),
                .text(event.device), .flag(isLogged),
            ])
    }

    /// Adds an event of a request, and keeps at most `count` of its account, the newest ones. The operators' stay.
    func note(
        _ event: AuditEvent, keeping count: Int = AuditEvent.maximumOfAccount, logged isLogged: Bool
    ) throws {
        try insert(event, logged: isLogged)
        try transaction.change(
            """
            DELETE FROM audit_events WHERE id IN (SELECT id FROM audit_events
                WHERE subject = $1 AND actor IN ('owner', 'unknown') ORDER BY time DESC, id DESC
                LIMIT 9223372036854775807 OFFSET $2)
            """, [.text(event.subject.text), .count(count)])
    }

    /// Takes at most `limit` events that no server has logged, the oldest first. They stay in the table as logged.
    ///
    /// - Returns: The events.
    public func takeAuditEvents(limit: Int) throws -> [AuditEvent] {
        let events = try transaction.rows(
            """
            SELECT id, time, action, subject, actor, network, device FROM audit_events
            WHERE logged = 0 ORDER BY time, id LIMIT $1
            """, [.count(limit)], AuditEvent.init)
        for event in events {
            try transaction.change(
                "UPDATE audit_events SET logged = 1 WHERE id = $1", [.text(event.id.text)])
        }
        return events
    }

    /// The `limit` newest events of an account, or of all accounts and invitations, the newest first.
    public func auditEvents(of subject: AccountID?, limit: Int) throws -> [AuditEvent] {
        if let subject {
            return try transaction.rows(
                """
                SELECT id, time, action, subject, actor, network, device FROM audit_events
                WHERE subject = $1 ORDER BY time DESC, id DESC LIMIT $2
                """, [.text(subject.text), .count(limit)], AuditEvent.init)
        }
        // Only an operator's command reads all.
        return try transaction.rows(
            """
            SELECT id, time, action, subject, actor, network, device FROM audit_events
            ORDER BY time DESC, id DESC LIMIT $1
            """, [.count(limit)], AuditEvent.init)
    }

    /// Removes an event, if it exists.
    func removeAuditEvent(_ id: AccountID) throws {
        try transaction.change("DELETE FROM audit_events WHERE id = $1", [.text(id.text)])
    }

    /// Removes the events of an account by others than operators.
    fileprivate func removeAuditEvents(of subject: AccountID) throws {
        try transaction.change(
            "DELETE FROM audit_events WHERE subject = $1 AND actor IN ('owner', 'unknown')",
            [.text(subject.text)])
    }
}

extension Account {
    fileprivate init(_ row: any Row) throws {
        self.init(
            id: try row.accountID(0), email: try row.email(1), isEmailVerified: try row.flag(2),
            password: try row.valid(Account.password(stored: row.text(3))),
            created: try row.time(4), passwordChanged: try row.time(5),
            isDisabled: try row.flag(6))
    }
}

extension Invitation {
    fileprivate init(_ row: any Row) throws {
        self.init(
            code: try row.hash(0), email: try row.email(1), created: try row.time(2),
            expires: try row.time(3))
    }
}

extension AuditEvent {
    fileprivate init(_ row: any Row) throws {
        self.init(
            id: try row.accountID(0), time: try row.time(1),
            action: try row.valid(Action(rawValue: row.text(2))),
            subject: try row.accountID(3), actor: try row.text(4), network: try row.text(5),
            device: try row.text(6))
    }
}

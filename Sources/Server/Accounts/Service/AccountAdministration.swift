internal import Sealing
public import SecretMemory
public import TextCoding

/// An operator's changes to accounts, which need no account password. Thread-safe.
public struct AccountAdministration: Sendable {
    let repository: AccountRepository
    let rules: AccountRules
    let pseudonyms: PseudonymKey?
    let hashing: any PasswordHashing
    let random: RandomSource
    /// The operator, for audit events.
    let actor: String
    private let now: @Sendable () -> PointInTime

    /// Makes the administration with the rules of the server, and its key of pseudonyms if there is one.
    public init(
        repository: AccountRepository, rules: AccountRules = AccountRules(),
        pseudonyms: PseudonymKey? = nil, hashing: any PasswordHashing = Argon2idHashing(),
        random: RandomSource = .system,
        actor: String = "operator", now: @escaping @Sendable () -> PointInTime = { .now }
    ) {
        self.repository = repository
        self.rules = rules
        self.pseudonyms = pseudonyms
        self.hashing = hashing
        self.random = random
        self.actor = actor
        self.now = now
    }

    /// Makes an invitation; it replaces an earlier one for the name.
    ///
    /// - Returns: The invitation with its code, of which only the hash is stored.
    /// - Throws: `alreadyExists` if the account exists; an error of the database.
    public func invite(
        _ name: EmailAddress, at now: PointInTime
    ) throws -> IssuedInvitation {
        let code = SecretToken(.invitation, random: random)
        let invitation = Invitation(
            code: code.hash, email: name, created: now,
            expires: now.advanced(by: rules.invitationLifetime))
        try repository.change { transaction in
            guard try transaction.account(name) == nil else { throw AccountError.alreadyExists }
            try transaction.put(invitation)
            try note(.invited, invitation.auditID, in: transaction)
        }
        return IssuedInvitation(code: code.text, invitation: invitation)
    }

    /// Makes a code with which the owner of an account sets a new password, once; it replaces an earlier one. It is stored as an invitation for a
    /// name that has an account.
    ///
    /// - Returns: The code, of which only the hash is stored.
    /// - Throws: `missing`; an error of the database.
    public func makeResetCode(
        for name: EmailAddress, at now: PointInTime
    ) throws -> IssuedInvitation {
        let code = SecretToken(.reset, random: random)
        let reset = Invitation(
            code: code.hash, email: name, created: now,
            expires: now.advanced(by: rules.resetLifetime))
        try change(name) { account, transaction in
            try transaction.put(reset)
            try note(.resetCodeIssued, account.id, in: transaction)
        }
        return IssuedInvitation(code: code.text, invitation: reset)
    }

    /// Accounts in the order of their names.
    ///
    /// - Throws: An error of the database.
    public func accounts(
        after name: EmailAddress? = nil, limit: Int
    ) throws -> [Account] {
        try repository.read { try $0.accounts(after: name, limit: limit) }
    }

    /// The invitations that have not expired, the oldest first.
    ///
    /// - Throws: An error of the database.
    public func invitations(at now: PointInTime) throws -> [Invitation] {
        try repository.read { transaction in
            // An invitation for a name with an account is a code for a new password.
            try transaction.invitations().filter { invitation in
                try now < invitation.expires && transaction.account(invitation.email) == nil
            }
        }
    }

    /// An account with its sessions.
    ///
    /// - Throws: `missing`; an error of the database.
    public func details(
        of name: EmailAddress, at now: PointInTime
    ) throws -> AccountDetails {
        try repository.read { transaction in
            guard let account = try transaction.account(name) else { throw AccountError.missing }
            let devices = try transaction.devices(of: account.id)
            return AccountDetails(
                account: account,
                sessions: try transaction.sessions(of: account.id).filter { now < $0.expires }
                    .map { OwnSession($0, on: devices) },
                devices: try transaction.knownDevices(of: account.id).count,
                secondFactors: try transaction.secondFactorSummary(of: account.id))
        }
    }

    /// Disables an account and ends its sessions, or enables it again.
    ///
    /// - Throws: `missing`; an error of the database.
    public func setDisabled(
        _ name: EmailAddress, _ isDisabled: Bool
    ) throws {
        try change(name) { account, transaction in
            var changed = account
            changed.isDisabled = isDisabled
            try transaction.update(changed)
            if isDisabled {
                try transaction.endSessions(nil, of: account.id, canContinue: true)
            }
            try note(isDisabled ? .disabled : .enabled, account.id, in: transaction)
        }
    }

    /// Sets a password, ends all sessions, and forgets the failures of the name, so that its owner can sign in at once. Takes the time and the
    /// memory of one hash.
    ///
    /// - Throws: `missing`; `SealingError`; an error of the database.
    public func resetPassword(
        of name: EmailAddress, to password: borrowing AccountPassword, at now: PointInTime
    ) throws {
        // A mistyped name fails before the slow hash.
        let account = try repository.read { try $0.account(name) }
        guard account != nil else { throw AccountError.missing }
        try password.check(for: name)
        let hash = try hashing.hash(password, cost: rules.passwordCost)
        try change(name) { account, transaction in
            try transaction.update(account.with(hash, at: now))
            try note(.passwordReset, account.id, in: transaction)
            if let pseudonyms { try transaction.removeAttempts(of: account, pseudonyms) }
            try transaction.endSessions(nil, of: account.id, canContinue: true)
        }
    }

    /// Ends all sessions of an account, with its known devices and the tokens of its inboxes. A cached password continues none of them, but a
    /// copied password signs in until it is changed.
    ///
    /// - Returns: Their number.
    /// - Throws: `missing`; an error of the database.
    @discardableResult
    public func endSessions(of name: EmailAddress) throws -> Int {
        try change(name) { account, transaction in
            try note(.sessionsEnded, account.id, in: transaction)
            return try transaction.endSessions(nil, of: account.id)
        }
    }

    /// Removes the second factors of an account, with the recovery codes and the guesses at them. Its sessions stay.
    ///
    /// - Returns: The number of second factors.
    /// - Throws: `missing`; an error of the database.
    @discardableResult
    public func resetSecondFactors(of name: EmailAddress) throws -> Int {
        try change(name) { account, transaction in
            let count = try transaction.secondFactors(of: account.id).count
            try transaction.removeSecondFactors(of: account.id)
            if let pseudonyms {
                for hasSession in [false, true] {
                    try transaction.removeAttempts(
                        pseudonyms.key(ofFactorsOf: account.id, hasSession: hasSession))
                }
            }
            try note(.secondFactorReset, account.id, in: transaction)
            return count
        }
    }

    /// Ends all sessions of all accounts, as ``endSessions(of:)``, in one transaction.
    ///
    /// - Returns: Their number.
    /// - Throws: An error of the database.
    public func endAllSessions() throws -> Int {
        try repository.change { try endAllSessions(in: $0) }
    }

    func endAllSessions(in transaction: AccountTransaction) throws -> Int {
        var ended = 0
        var last: EmailAddress?
        while true {
            let page = try transaction.accounts(after: last, limit: 256)
            for account in page {
                ended += try transaction.endSessions(nil, of: account.id)
                try note(.sessionsEnded, account.id, in: transaction)
            }
            guard page.count == 256, let next = page.last else { return ended }
            last = next.email
        }
    }

    /// The newest events, the newest first: changes by operators, and what owners should know.
    ///
    /// - Parameters:
    ///   - name: The account; nil for all.
    ///   - limit: The largest number.
    /// - Returns: The events with the names of the accounts that exist.
    /// - Throws: `missing` for an account that does not exist; an error of the database.
    public func events(
        of name: EmailAddress? = nil, limit: Int
    ) throws -> [(event: AuditEvent, account: EmailAddress?)] {
        try repository.read { transaction in
            let account = try name.map { name in
                guard let account = try transaction.account(name) else {
                    throw AccountError.missing
                }
                return account
            }
            var names: [AccountID: EmailAddress?] = [:]
            return try transaction.auditEvents(of: account?.id, limit: limit).map { event in
                let known: EmailAddress?
                if let found = names[event.subject] {
                    known = found
                } else {
                    known = try transaction.account(event.subject)?.email
                    names[event.subject] = .some(known)
                }
                return (event, known)
            }
        }
    }

    /// Removes an account and all its data, or the invitation if the account does not exist yet.
    ///
    /// - Throws: `missing` if neither exists; an error of the database.
    public func remove(_ name: EmailAddress) throws {
        try repository.change { transaction in
            if let account = try transaction.account(name) {
                try note(.removed, account.id, in: transaction)
                return try transaction.remove(account.id)
            }
            guard let invitation = try transaction.invitations().first(where: { $0.email == name })
            else { throw AccountError.missing }
            _ = try transaction.removeInvitation(invitation.code)
            try note(.removed, invitation.auditID, in: transaction)
        }
    }

    private func note(
        _ action: AuditEvent.Action, _ subject: AccountID, in transaction: AccountTransaction
    ) throws {
        try transaction.insert(
            AuditEvent(
                time: now(), action: action, subject: subject,
                actor: actor))
    }

    /// Removes expired rows, and attempts, events, devices and ended subscriptions that no longer matter. Call it every few minutes.
    ///
    /// - Returns: The number of removed rows.
    /// - Throws: An error of the database.
    @discardableResult
    public func purge(at now: PointInTime) throws -> Int {
        try repository.change { transaction in
            try transaction.purge(
                expiredBefore: now,
                devicesBefore: now.advanced(by: .zero - rules.guessing.knownDeviceLifetime))
                + transaction.purgeAuditEvents(
                    before: now.advanced(by: .zero - AuditEvent.lifetime))
                + transaction.purgeInboxes(
                    expiredBefore: now,
                    endedBefore: now.advanced(by: .zero - PushLimits.memoryOfEnded))
        }
    }

    private func change<Value>(
        _ name: EmailAddress,
        _ body: (Account, AccountTransaction) throws -> Value
    ) throws -> Value {
        try repository.change { transaction in
            guard let account = try transaction.account(name) else { throw AccountError.missing }
            return try body(account, transaction)
        }
    }
}

/// An invitation with its code.
public struct IssuedInvitation: Sendable {
    /// The code for the invited person, which is not stored.
    public let code: String
    /// The stored invitation.
    public let invitation: Invitation
}

/// An account as an operator sees it.
public struct AccountDetails: Sendable, Hashable {
    /// The account.
    public let account: Account
    /// The sessions of the account that have not expired, the oldest first, each with its device.
    public let sessions: [OwnSession]
    /// The number of its known devices.
    public let devices: Int
    /// Its second factors.
    public let secondFactors: SecondFactorSummary
}

internal import Sealing
internal import SecretMemory
public import TextCoding

/// Requests that derive a password: sign-in, a new account, and changes to the caller's own account.
extension AccountService {
    /// Begins a sign-in: counts the attempt against its networks.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - password: The password.
    ///   - client: The OAuth client of the new session.
    ///   - grant: What its tokens allow.
    ///   - origin: The device, as its client describes it.
    ///   - networks: The networks of the client, the narrowest first.
    ///   - now: The time.
    /// - Returns: The work that counts the attempt and verifies the password. It throws `rejected`, `disabled`, `sessionEnded`,
    ///   `secondFactorRequired`, `secondFactorRejected` and `tooManyAttempts`.
    /// - Throws: `tooManyAttempts`; an error of the database.
    public func beginSignIn(
        _ name: EmailAddress, _ password: TypedPassword, client: String,
        for grant: TokenGrant = .account, _ origin: SignInOrigin = SignInOrigin(),
        from networks: [String], at now: PointInTime
    ) throws -> PasswordWork<IssuedTokens> {
        let counter = try counter(of: name, device: origin.token, from: networks, at: now)
        let check = try PasswordCheck(self, name, password, counted: counter, at: now)
        return PasswordWork(known: counter.account?.text) {
            [issuer, secondFactors, random] now in
            try check.verify(at: now) { verified in
                let renewed = check.renewedHash(of: verified)
                return try check.complete(verified, at: now) { account, transaction in
                    if let renewed, account.password.cost.isLower(than: renewed.cost) {
                        var account = account
                        account.password = renewed
                        try transaction.update(account)
                    }
                    let continued = try origin.continued.flatMap { try transaction.device(of: $0) }
                    if origin.continued != nil {
                        guard let continued, continued.account == account.id,
                            now < continued.expires
                        else { return .failure(.sessionEnded) }
                    }
                    // A device that is known took part in a whole sign-in before.
                    let isKnown =
                        try counter.device.flatMap { try transaction.knownDevice($0.hash) } != nil
                    if !isKnown,
                        let refusal = try secondFactors.refusal(
                            of: origin.proof, account.id, from: networks, page: origin.page,
                            at: now, in: transaction)
                    {
                        return .failure(refusal)
                    }
                    let network = AccountTransaction.shown(networks)
                    let device = try check.rememberDevice(
                        of: account.id, at: now, in: transaction)
                    if device?.token != nil {
                        try transaction.note(
                            AuditEvent(
                                id: AccountID(random: random), time: now, action: .deviceAdded,
                                subject: account.id, actor: AuditEvent.owner, network: network,
                                device: origin.name), logged: true)
                    }
                    var tokens = try issuer.begin(
                        of: account.id, client: client, for: grant, on: origin.name, network,
                        known: device?.hash, continuing: continued, at: now, in: transaction)
                    tokens.device = device?.token
                    if case .recoveryCode = origin.proof, !isKnown {
                        tokens.usedRecoveryCode = try !transaction.secondFactors(of: account.id)
                            .isEmpty
                    }
                    return .success(tokens)
                }
            }
        } release: { now in
            try check.release(at: now)
        } subject: {
            check.account
        }
    }

    /// Begins a new account: counts an attempt of the network, and checks the invitation.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - password: The password.
    ///   - invitation: The code of an invitation for this name; nil where registration is open.
    ///   - networks: The networks of the client, the narrowest first.
    ///   - now: The time.
    /// - Returns: The work that checks and hashes the password and makes the account. It throws `invitationRejected` and `alreadyExists`.
    /// - Throws: `invitationRejected`, `alreadyExists`, `tooManyAttempts`; an error of the database.
    public func beginCreation(
        _ name: EmailAddress, _ password: TypedPassword, invitation: String?,
        from networks: [String], at now: PointInTime
    ) throws -> PasswordWork<Account> {
        let code = try self.code(invitation)
        let waiting = limiter.networks.attempt(networks, at: now)
        guard waiting == .zero else { throw AccountError.tooManyAttempts(retryAfter: waiting) }
        let reason = try repository.read { try refusal(of: name, code, at: now, $0) }
        if let reason { throw reason }
        return PasswordWork(known: code.map { _ in name.text }) { [self] now in
            let password = try password.normalized()
            try password.check(for: name)
            let hash = try hashing.hash(password, cost: rules.passwordCost)
            let account = Account(
                id: AccountID(random: random), email: name, isEmailVerified: code != nil,
                password: hash, created: now)
            let reason = try transaction(at: now) { transaction -> AccountError? in
                if let refusal = try refusal(of: name, code, at: now, transaction) {
                    return refusal
                }
                if let code { _ = try transaction.removeInvitation(code) }
                try transaction.insert(account)
                return nil
            }
            if let reason { throw reason }
            return account
        } release: { [limiter] now in
            limiter.networks.release(networks, at: now)
        }
    }

    /// The hash of an invitation's code; nil if none is needed and none was sent.
    private func code(_ invitation: String?) throws -> TokenHash? {
        guard let invitation else {
            if rules.registrationIsOpen { return nil }
            throw AccountError.invitationRejected
        }
        guard let sent = SecretToken(invitation), sent.kind == .invitation
        else { throw AccountError.invitationRejected }
        return sent.hash
    }

    /// Why an account is refused; nil if it can be made. Without an invitation the reason does not reveal an existing account.
    private func refusal(
        of name: EmailAddress, _ code: TokenHash?, at now: PointInTime,
        _ transaction: AccountTransaction
    ) throws -> AccountError? {
        if let code {
            guard let invitation = try transaction.invitation(code), now < invitation.expires,
                invitation.email == name
            else { return .invitationRejected }
        }
        return try transaction.account(name) == nil ? nil : .alreadyExists
    }

    /// Begins a change of the caller's password. The current password is verified again, and a wrong one counts as a guess.
    ///
    /// - Returns: The work to run next. It checks the new password against the rules, verifies the current one, and hashes the new one. Then it
    ///   ends all sessions of the account and begins a new one for the caller. It throws `rejected` if the current password is wrong, and
    ///   `tokenRejected` if the session ended meanwhile.
    /// - Throws: `tokenRejected`, `tooManyAttempts`; an error of the database.
    public func beginPasswordChange(
        accessToken: String, current: TypedPassword, new: TypedPassword, at now: PointInTime
    ) throws -> PasswordWork<IssuedTokens> {
        let caller = try authenticate(accessToken, at: now)
        let check = try check(current, of: caller, at: now)
        let token = TokenHash(of: accessToken)
        return PasswordWork(known: caller.account.id.text) { [self] now in
            // Before the current password is verified, so that a refusal is no guess.
            let new = try new.normalized()
            try new.check(for: caller.account.email)
            return try check.verify(at: now) { verified in
                let hash = try hashing.hash(new, cost: rules.passwordCost)
                return try check.complete(verified, at: now) { account, transaction in
                    guard try Self.access(token, at: now, transaction) != nil
                    else { return .failure(.tokenRejected) }
                    try transaction.update(account.with(hash, at: now))
                    let device = try transaction.device(of: caller.session.id)
                    try transaction.endSessions(
                        nil, of: account.id, canContinue: true, exceptDeviceOf: device)
                    return .success(
                        try issuer.begin(
                            of: account.id, client: caller.session.client,
                            for: caller.session.grant, on: device?.name ?? "",
                            device?.network ?? "", known: device?.device, continuing: device,
                            at: now, in: transaction))
                }
            }
        } release: { now in
            try check.release(at: now)
        } subject: {
            check.account
        }
    }

    /// Begins a reset of the password by a code of the operator. A code has 256 random bits, so attempts are not counted; only a valid code costs
    /// a key derivation.
    ///
    /// - Returns: The work that checks and hashes the password. It ends all sessions, forgets the wrong passwords, and throws `invitationRejected`
    ///   if the code was used meanwhile.
    /// - Throws: `invitationRejected`; an error of the database.
    public func beginReset(
        _ name: EmailAddress, code: String, new: TypedPassword, at now: PointInTime
    ) throws -> PasswordWork<AccountID> {
        guard let sent = SecretToken(code), sent.kind == .reset,
            try repository.read({ try Self.isValid(sent.hash, for: name, at: now, $0) })
        else { throw AccountError.invitationRejected }
        let hash = sent.hash
        return PasswordWork(known: name.text) { [self] now in
            let new = try new.normalized()
            try new.check(for: name)
            let password = try hashing.hash(new, cost: rules.passwordCost)
            let id = try transaction(at: now) { transaction -> AccountID? in
                guard try Self.isValid(hash, for: name, at: now, transaction),
                    let account = try transaction.account(name)
                else { return nil }
                _ = try transaction.removeInvitation(hash)
                try transaction.update(account.with(password, at: now))
                try transaction.removeAttempts(of: account, limiter.pseudonyms)
                try transaction.endSessions(nil, of: account.id, canContinue: true)
                // Guesses at the name do not lock out its owner: the used code counts apart from them, once.
                try transaction.put(
                    KnownDevice(hash: hash, account: account.id, last: now, isConfirmed: false),
                    keeping: max(1, rules.guessing.maximumKnownDevices))
                return account.id
            }
            guard let id else { throw AccountError.invitationRejected }
            return id
        } release: { _ in
        }
    }

    private static func isValid(
        _ code: TokenHash, for name: EmailAddress, at now: PointInTime,
        _ transaction: AccountTransaction
    ) throws -> Bool {
        guard let reset = try transaction.invitation(code) else { return false }
        return now < reset.expires && reset.email == name
    }

    /// Begins the removal of the caller's account and all its data. The password is verified again, and a wrong one counts as a guess.
    ///
    /// - Returns: The work that verifies the password. It throws `rejected` and `tokenRejected`.
    /// - Throws: `tokenRejected`, `tooManyAttempts`; an error of the database.
    public func beginRemoval(
        accessToken: String, password: TypedPassword, at now: PointInTime
    ) throws -> PasswordWork<Void> {
        let caller = try authenticate(accessToken, at: now)
        let check = try check(password, of: caller, at: now)
        let token = TokenHash(of: accessToken)
        return PasswordWork(known: caller.account.id.text) { now in
            try check.verify(at: now) { verified in
                try check.complete(verified, at: now) { account, transaction in
                    guard try Self.access(token, at: now, transaction) != nil
                    else { return .failure(.tokenRejected) }
                    return .success(try transaction.remove(account.id))
                }
            }
        } release: { now in
            try check.release(at: now)
        } subject: {
            check.account
        }
    }

    /// A check of the password of a session's owner. These guesses have a separate counter, because a stranger has no session.
    func check(
        _ password: TypedPassword, of caller: TokenDescription, at now: PointInTime
    ) throws -> PasswordCheck {
        let key = limiter.pseudonyms.key(of: caller.account.id)
        return try PasswordCheck(
            self, caller.account.email, password, counted: limiter.separateCounter(key), at: now)
    }
}

extension Account {
    /// The account with another password. The time of the change is later than the one before, even if the clock went back: after a slow check
    /// of a password it shows whether the password was changed meanwhile.
    func with(_ password: PasswordHash, at now: PointInTime) -> Account {
        var changed = self
        changed.password = password
        changed.passwordChanged = max(now, passwordChanged.advanced(by: .milliseconds(1)))
        return changed
    }
}

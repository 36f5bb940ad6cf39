internal import Sealing
public import SecretMemory
public import TextCoding

/// What an operator does with accounts. It needs no password of theirs.
public struct AccountAdministration: Sendable {
    let repository: any AccountRepository
    let rules: AccountRules
    let hashing: any PasswordHashing
    let random: RandomSource

    /// Makes it with the rules of the server.
    public init(
        repository: any AccountRepository, rules: AccountRules = AccountRules(),
        hashing: any PasswordHashing = Argon2idHashing(), random: RandomSource = .system
    ) {
        self.repository = repository
        self.rules = rules
        self.hashing = hashing
        self.random = random
    }

    /// Invites somebody, in place of any invitation that there is for the name.
    ///
    /// - Returns: The invitation with its code, which is nowhere else.
    /// - Throws: `alreadyExists` if there is such an account; `repository`.
    public func invite(
        _ name: EmailAddress, at now: PointInTime
    ) throws(AccountServiceError) -> IssuedInvitation {
        let code = SecretToken(.invitation, random: random)
        let invitation = Invitation(
            code: code.hash, email: name, created: now,
            expires: now.advanced(by: rules.invitationLifetime))
        try repository.transaction { (writer) throws(AccountRepositoryError) in
            guard try writer.account(name) == nil
            else { return Result<Void, AccountServiceError>.failure(.alreadyExists) }
            return .success(try writer.put(invitation))
        }.get()
        return IssuedInvitation(code: code.text, invitation: invitation)
    }

    /// Accounts in the order of their names.
    ///
    /// - Throws: `repository`.
    public func accounts(
        after name: EmailAddress? = nil, limit: Int
    ) throws(AccountServiceError) -> [Account] {
        try repository.reading { (reader) throws(AccountRepositoryError) in
            try reader.accounts(after: name, limit: limit)
        }
    }

    /// The invitations that are good for something, the oldest first.
    ///
    /// - Throws: `repository`.
    public func invitations(at now: PointInTime) throws(AccountServiceError) -> [Invitation] {
        try repository.reading { (reader) throws(AccountRepositoryError) in
            try reader.invitations().filter { now < $0.expires }
        }
    }

    /// An account with what belongs to it.
    ///
    /// - Throws: `missing`, `repository`.
    public func details(
        of name: EmailAddress, at now: PointInTime
    ) throws(AccountServiceError) -> AccountDetails {
        try repository.reading { (reader) throws(AccountRepositoryError) in
            guard let account = try reader.account(name)
            else { return Result<AccountDetails, AccountServiceError>.failure(.missing) }
            return .success(
                AccountDetails(
                    account: account,
                    sessions: try reader.sessions(of: account.id).filter { now < $0.expires },
                    places: try reader.knownPlaces(of: account.id).count))
        }.get()
    }

    /// Lets nobody sign in to an account any more, and ends its sessions; or lets people sign in again.
    ///
    /// - Throws: `missing`, `repository`.
    public func setDisabled(
        _ name: EmailAddress, _ isDisabled: Bool
    ) throws(AccountServiceError) {
        try change(name) { (account, writer) throws(AccountRepositoryError) in
            var changed = account
            changed.isDisabled = isDisabled
            try writer.update(changed)
            if isDisabled { try writer.endSessions(of: account.id) }
        }
    }

    /// Sets a password, ends all sessions, and forgets the failures of the name, so that its owner can sign in at once. Takes the time and the
    /// memory of one hash.
    ///
    /// - Throws: `missing`, `outOfMemory`, `repository`.
    public func resetPassword(
        of name: EmailAddress, to password: borrowing AccountPassword, at now: PointInTime
    ) throws(AccountServiceError) {
        // Nobody waits for a hash to learn of a typing error.
        try change(name) { (_, _) throws(AccountRepositoryError) in }
        let hash: PasswordHash
        do throws(SealingError) {
            hash = try hashing.hash(password, cost: rules.passwordCost)
        } catch {
            throw AccountService.meaning(of: error)
        }
        try change(name) { (account, writer) throws(AccountRepositoryError) in
            try writer.update(account.with(hash, at: now))
            try writer.endSessions(of: account.id)
            try writer.removeAttempts(AttemptKey(name))
            for place in try writer.knownPlaces(of: account.id) {
                try writer.removeAttempts(place.key)
            }
        }
    }

    /// Ends all sessions of an account.
    ///
    /// - Returns: How many.
    /// - Throws: `missing`, `repository`.
    @discardableResult
    public func endSessions(of name: EmailAddress) throws(AccountServiceError) -> Int {
        try change(name) { (account, writer) throws(AccountRepositoryError) in
            try writer.endSessions(of: account.id)
        }
    }

    /// Removes an account with all that belongs to it, or the invitation where there is no account yet.
    ///
    /// - Throws: `missing` if there is neither; `repository`.
    public func remove(_ name: EmailAddress) throws(AccountServiceError) {
        try repository.transaction { (writer) throws(AccountRepositoryError) in
            if let account = try writer.account(name) {
                return Result<Void, AccountServiceError>.success(try writer.remove(account.id))
            }
            guard let invitation = try writer.invitations().first(where: { $0.email == name })
            else { return .failure(.missing) }
            _ = try writer.removeInvitation(invitation.code)
            return .success(())
        }.get()
    }

    /// Removes what expired, and what needs not be remembered any more. For every few minutes.
    ///
    /// - Returns: How many rows.
    /// - Throws: `repository`.
    @discardableResult
    public func purge(at now: PointInTime) throws(AccountServiceError) -> Int {
        try repository.transaction { (writer) throws(AccountRepositoryError) in
            try writer.purge(
                expiredBefore: now,
                attemptsBefore: now.advanced(by: .zero - rules.guessing.memory),
                placesBefore: now.advanced(by: .zero - rules.guessing.knownPlaceLifetime))
        }
    }

    private func change<Value>(
        _ name: EmailAddress,
        _ body: (Account, any AccountWriter) throws(AccountRepositoryError) -> Value
    ) throws(AccountServiceError) -> Value {
        try repository.transaction { (writer) throws(AccountRepositoryError) in
            guard let account = try writer.account(name)
            else { return Result<Value, AccountServiceError>.failure(.missing) }
            return .success(try body(account, writer))
        }.get()
    }
}

/// An invitation with its code.
public struct IssuedInvitation: Sendable {
    /// What the invited person needs; only here it is.
    public let code: String
    /// What is stored of it.
    public let invitation: Invitation
}

/// An account as an operator sees it.
public struct AccountDetails: Sendable, Hashable {
    /// The account.
    public let account: Account
    /// Its sessions that have not expired, the oldest first.
    public let sessions: [SignInSession]
    /// How many places it knows.
    public let places: Int
}

internal import Sealing

/// What a ``MemoryAccountRepository`` holds: tables, and what is found by more than one key.
struct MemoryAccounts: Sendable {
    /// The hashes of a session's tokens.
    struct Tokens: Sendable {
        var access: Set<TokenHash> = []
        var refresh: Set<TokenHash> = []
    }

    var accounts = JournaledTable<AccountID, Account>()
    var names = JournaledTable<EmailAddress, AccountID>()
    var passwordCosts = JournaledTable<KeyDerivationCost, Int>()
    /// One, or none yet.
    var decoyKeys = JournaledTable<Bool, DecoyKey>()
    var sessions = JournaledTable<SessionID, SignInSession>()
    var sessionsOfAccounts = JournaledTable<AccountID, Set<SessionID>>()
    var accessTokens = JournaledTable<TokenHash, AccessToken>()
    var refreshTokens = JournaledTable<TokenHash, RefreshToken>()
    var tokensOfSessions = JournaledTable<SessionID, Tokens>()
    var invitations = JournaledTable<TokenHash, Invitation>()
    var attempts = JournaledTable<AttemptKey, AttemptRecord>()
    var places = JournaledTable<AccountID, [KnownPlace]>()

    mutating func commit() {
        accounts.commit()
        names.commit()
        passwordCosts.commit()
        decoyKeys.commit()
        sessions.commit()
        sessionsOfAccounts.commit()
        accessTokens.commit()
        refreshTokens.commit()
        tokensOfSessions.commit()
        invitations.commit()
        attempts.commit()
        places.commit()
    }

    mutating func rollBack() {
        accounts.rollBack()
        names.rollBack()
        passwordCosts.rollBack()
        decoyKeys.rollBack()
        sessions.rollBack()
        sessionsOfAccounts.rollBack()
        accessTokens.rollBack()
        refreshTokens.rollBack()
        tokensOfSessions.rollBack()
        invitations.rollBack()
        attempts.rollBack()
        places.rollBack()
    }
}

/// What is read in and outside of a transaction.
extension MemoryAccounts {
    func account(_ email: EmailAddress) -> Account? {
        names[email].flatMap { accounts[$0] }
    }

    func accounts(after email: EmailAddress?, limit: Int) -> [Account] {
        let names = names.values.keys.filter { name in email.map { $0 < name } ?? true }
        return names.sorted().prefix(max(limit, 0)).compactMap(account)
    }

    func accessToken(_ hash: TokenHash) -> FoundAccessToken? {
        guard let token = accessTokens[hash], let session = sessions[token.session],
            let account = accounts[session.account]
        else { return nil }
        return FoundAccessToken(token: token, session: session, account: account)
    }

    func sessions(of account: AccountID) -> [SignInSession] {
        let found = (sessionsOfAccounts[account] ?? []).compactMap { sessions[$0] }
        return found.sorted { ($0.created, $0.id.text) < ($1.created, $1.id.text) }
    }

    func allInvitations() -> [Invitation] {
        invitations.values.values.sorted { ($0.created, $0.email) < ($1.created, $1.email) }
    }

    func currentRefreshToken(of session: SessionID) -> RefreshToken? {
        for hash in tokensOfSessions[session]?.refresh ?? [] {
            if let token = refreshTokens[hash], token.replaced == nil { return token }
        }
        return nil
    }

    func knownPlaces(of account: AccountID) -> [KnownPlace] {
        places[account] ?? []
    }
}

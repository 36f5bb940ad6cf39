internal import TextCoding

/// Sessions and tokens.
extension MemoryAccountWriter {
    func insert(_ session: SignInSession) throws(AccountRepositoryError) {
        try write { (stored) throws(AccountRepositoryError) in
            guard stored.accounts[session.account] != nil else { throw .missing }
            guard stored.sessions[session.id] == nil else { throw .alreadyExists }
            stored.sessions[session.id] = session
            stored.sessionsOfAccounts[session.account, default: []].insert(session.id)
            stored.tokensOfSessions[session.id] = .init()
        }
    }

    func setRefreshed(
        _ session: SessionID, at time: PointInTime
    ) throws(AccountRepositoryError) {
        try write { (stored) throws(AccountRepositoryError) in
            guard stored.sessions[session] != nil else { throw .missing }
            stored.sessions[session]?.refreshed = time
        }
    }

    func end(_ session: SessionID) throws(AccountRepositoryError) {
        try write { $0.end(session) }
    }

    func endSessions(of account: AccountID) throws(AccountRepositoryError) -> Int {
        try write { stored in
            let sessions = stored.sessionsOfAccounts[account] ?? []
            for session in sessions { stored.end(session) }
            return sessions.count
        }
    }

    func insert(_ token: AccessToken) throws(AccountRepositoryError) {
        try write { (stored) throws(AccountRepositoryError) in
            guard stored.sessions[token.session] != nil else { throw .missing }
            guard stored.accessTokens[token.hash] == nil else { throw .alreadyExists }
            stored.accessTokens[token.hash] = token
            stored.tokensOfSessions[token.session]?.access.insert(token.hash)
        }
    }

    func removeAccessToken(_ hash: TokenHash) throws(AccountRepositoryError) {
        try write { $0.removeAccessToken(hash) }
    }

    func insert(_ token: RefreshToken) throws(AccountRepositoryError) {
        try write { (stored) throws(AccountRepositoryError) in
            guard stored.sessions[token.session] != nil else { throw .missing }
            guard stored.refreshTokens[token.hash] == nil else { throw .alreadyExists }
            stored.refreshTokens[token.hash] = token
            stored.tokensOfSessions[token.session]?.refresh.insert(token.hash)
        }
    }

    func setReplaced(_ token: TokenHash, at time: PointInTime) throws(AccountRepositoryError) {
        try write { (stored) throws(AccountRepositoryError) in
            guard stored.refreshTokens[token] != nil else { throw .missing }
            stored.refreshTokens[token]?.replaced = time
        }
    }
}

/// What a transaction reads.
extension MemoryAccountWriter {
    func account(_ id: AccountID) throws(AccountRepositoryError) -> Account? {
        try read { $0.accounts[id] }
    }

    func account(_ email: EmailAddress) throws(AccountRepositoryError) -> Account? {
        try read { $0.account(email) }
    }

    func accounts(
        after email: EmailAddress?, limit: Int
    ) throws(AccountRepositoryError) -> [Account] {
        try read { $0.accounts(after: email, limit: limit) }
    }

    func accessToken(_ hash: TokenHash) throws(AccountRepositoryError) -> FoundAccessToken? {
        try read { $0.accessToken(hash) }
    }

    func refreshToken(_ hash: TokenHash) throws(AccountRepositoryError) -> RefreshToken? {
        try read { $0.refreshTokens[hash] }
    }

    func currentRefreshToken(
        of session: SessionID
    ) throws(AccountRepositoryError) -> RefreshToken? {
        try read { $0.currentRefreshToken(of: session) }
    }

    func session(_ id: SessionID) throws(AccountRepositoryError) -> SignInSession? {
        try read { $0.sessions[id] }
    }

    func sessions(of account: AccountID) throws(AccountRepositoryError) -> [SignInSession] {
        try read { $0.sessions(of: account) }
    }

    func invitation(_ code: TokenHash) throws(AccountRepositoryError) -> Invitation? {
        try read { $0.invitations[code] }
    }

    func invitations() throws(AccountRepositoryError) -> [Invitation] {
        try read { $0.allInvitations() }
    }

    func attempts(_ key: AttemptKey) throws(AccountRepositoryError) -> AttemptRecord? {
        try read { $0.attempts[key] }
    }

    func countAttempts() throws(AccountRepositoryError) -> Int {
        try read { $0.attempts.values.count }
    }

    func knownPlaces(of account: AccountID) throws(AccountRepositoryError) -> [KnownPlace] {
        try read { $0.knownPlaces(of: account) }
    }
}

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

    func endSessions(
        of account: AccountID, keeping limit: Int
    ) throws(AccountRepositoryError) {
        try write { stored in
            let sessions = stored.sessions(of: account).sorted {
                ($0.refreshed, $0.id.text) > ($1.refreshed, $1.id.text)
            }
            for session in sessions.dropFirst(max(limit, 0)) { stored.end(session.id) }
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

    func removeAccessTokens(
        of session: SessionID, keeping limit: Int
    ) throws(AccountRepositoryError) {
        try write { stored in
            let hashes = stored.tokensOfSessions[session]?.access ?? []
            guard hashes.count > limit else { return }
            let tokens = hashes.compactMap { stored.accessTokens[$0] }.sorted { first, second in
                first.issued == second.issued
                    ? first.hash.isGreater(than: second.hash) : first.issued > second.issued
            }
            for token in tokens.dropFirst(max(limit, 0)) { stored.removeAccessToken(token.hash) }
        }
    }

    func removeReplacedTokens(
        of session: SessionID, keeping limit: Int
    ) throws(AccountRepositoryError) -> RefreshToken? {
        try write { stored in
            let hashes = stored.tokensOfSessions[session]?.refresh ?? []
            guard hashes.count > limit else { return nil }
            let tokens = hashes.compactMap { stored.refreshTokens[$0] }
                .compactMap { token in token.replaced.map { (token: token, replaced: $0) } }
                .sorted { first, second in
                    first.replaced == second.replaced
                        ? first.token.hash.isGreater(than: second.token.hash)
                        : first.replaced > second.replaced
                }
            let removed = tokens.dropFirst(max(limit, 0))
            for (token, _) in removed { stored.removeRefreshToken(token.hash) }
            return removed.first?.token
        }
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

extension TokenHash {
    /// In the order of the bytes, as in databases.
    fileprivate func isGreater(than other: TokenHash) -> Bool {
        other.bytes.lexicographicallyPrecedes(bytes)
    }
}

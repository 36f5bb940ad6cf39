internal import SecretMemory
internal import TextCoding

/// Makes sessions and tokens in a transaction.
struct TokenIssuer: Sendable {
    let rules: AccountRules
    let random: RandomSource

    /// Begins a session.
    func begin(
        of account: AccountID, client: String, at now: PointInTime, in writer: any AccountWriter
    ) throws(AccountRepositoryError) -> IssuedTokens {
        let session = SignInSession(
            id: SessionID(random: random), account: account, client: client, created: now,
            expires: now.advanced(by: rules.sessionLifetime))
        // Before the new one is there, which is not to end whatever the clock says.
        if rules.maximumSessions > 0 {
            try writer.endSessions(of: account, keeping: rules.maximumSessions - 1)
        }
        try writer.insert(session)
        return try issue(for: session, replacing: nil, at: now, in: writer)
    }

    /// Issues tokens of a session; none outlives it.
    func issue(
        for session: SignInSession, replacing predecessor: TokenHash?, at now: PointInTime,
        in writer: any AccountWriter
    ) throws(AccountRepositoryError) -> IssuedTokens {
        let access = SecretToken(.access, random: random)
        let refresh = SecretToken(.refresh, random: random)
        let accessExpires = min(
            now.advanced(by: rules.accessTokenLifetime), session.expires)
        // A new session has none.
        if predecessor != nil {
            try writer.removeAccessTokens(of: session.id, keeping: rules.maximumAccessTokens - 1)
        }
        try writer.insert(
            AccessToken(
                hash: access.hash, session: session.id, issued: now, expires: accessExpires))
        try writer.insert(
            RefreshToken(
                hash: refresh.hash, session: session.id, predecessor: predecessor, issued: now,
                expires: min(now.advanced(by: rules.refreshTokenLifetime), session.expires)))
        return IssuedTokens(
            access: access.text, accessExpires: accessExpires, refresh: refresh.text, issued: now,
            account: session.account, session: session.id)
    }
}

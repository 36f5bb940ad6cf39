internal import SecretMemory
public import TextCoding

/// New tokens of a sign-in or a refresh. The tokens themselves exist only here; the database has their hashes.
public struct IssuedTokens: Sendable {
    /// The access token.
    public let access: String
    /// The time at which the access token expires.
    public let accessExpires: PointInTime
    /// The refresh token.
    public let refresh: String
    /// The time at which the tokens were issued.
    public let issued: PointInTime
    /// The account that they authenticate.
    public let account: AccountID
    /// The session of the tokens.
    public let session: SessionID
    /// The scopes of the access token.
    public let grant: TokenGrant
    /// The token of a device that was not known before; the client sends it with its next sign-in. Nil for a known one.
    public var device: String?
    /// Whether a recovery code was the second factor.
    public var usedRecoveryCode = false

    /// How long the access token is valid, from its issue.
    public var accessLifetime: Duration {
        .milliseconds(accessExpires.milliseconds - issued.milliseconds)
    }
}

/// Makes sessions and tokens in a transaction.
struct TokenIssuer: Sendable {
    let rules: AccountRules
    let random: RandomSource

    /// Begins a session.
    func begin(
        of account: AccountID, client: String, for grant: TokenGrant, on device: String,
        _ network: String, known: TokenHash?, continuing continued: SessionDevice?,
        at now: PointInTime, in transaction: AccountTransaction
    ) throws -> IssuedTokens {
        let session = SignInSession(
            id: SessionID(random: random), account: account, client: client, grant: grant,
            created: now, expires: now.advanced(by: rules.sessionLifetime))
        // Remove old sessions first: the new one must stay, even if the clock was set back.
        if rules.maximumSessions > 0 {
            try transaction.endSessions(of: account, keeping: rules.maximumSessions - 1)
        }
        try transaction.insert(session)
        // A program that signs in with a cached password at each start makes a device each time. Keep ten times as many devices as sessions, so
        // that it does not push out those of other programs.
        try transaction.insert(
            SessionDevice(
                session: session.id, account: account, first: continued?.first ?? session.id,
                name: device, network: network, device: known, expires: session.expires),
            keeping: rules.maximumSessions > 0 ? 10 * rules.maximumSessions : .max)
        let refresh = SecretToken(.refresh, random: random)
        try insert(refresh, of: session, replacing: nil, at: now, in: transaction)
        return try issue(for: session, grant, refresh, at: now, in: transaction)
    }

    /// Adds a refresh token of a session; it expires with it at the latest.
    func insert(
        _ refresh: SecretToken, of session: SignInSession, replacing predecessor: TokenHash?,
        at now: PointInTime, in transaction: AccountTransaction
    ) throws {
        try transaction.insert(
            RefreshToken(
                hash: refresh.hash, session: session.id, predecessor: predecessor, issued: now,
                expires: min(now.advanced(by: rules.refreshTokenLifetime), session.expires)))
    }

    /// Issues an access token of a session, beside its refresh token; it expires with the session at the latest.
    func issue(
        for session: SignInSession, _ grant: TokenGrant, _ refresh: SecretToken,
        at now: PointInTime, in transaction: AccountTransaction
    ) throws -> IssuedTokens {
        let access = SecretToken(.access, random: random)
        let accessExpires = min(
            now.advanced(by: rules.accessTokenLifetime), session.expires)
        try transaction.removeAccessTokens(
            of: session.id, keeping: rules.maximumAccessTokens - 1)
        try transaction.insert(
            AccessToken(
                hash: access.hash, session: session.id, grant: grant, issued: now,
                expires: accessExpires))
        return IssuedTokens(
            access: access.text, accessExpires: accessExpires, refresh: refresh.text, issued: now,
            account: session.account, session: session.id, grant: grant)
    }
}

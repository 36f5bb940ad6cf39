public import Sealing

/// The rules for all accounts of a server.
public struct AccountRules: Sendable, Hashable {
    /// How long an access token is valid.
    public var accessTokenLifetime: Duration = .seconds(15 * 60)
    /// How long a refresh token is valid; an unused session ends with it.
    public var refreshTokenLifetime: Duration = .seconds(30 * 24 * 60 * 60)
    /// The longest lifetime of a session, with any number of refreshes.
    public var sessionLifetime: Duration = .seconds(180 * 24 * 60 * 60)
    /// How long a replaced refresh token stays valid while its successor is unused, because the answer may have been lost.
    public var replacedTokenGrace: Duration = .seconds(30)
    /// The largest number of sessions of an account; a further sign-in ends the least recently used one. 0 is no limit.
    public var maximumSessions = 100
    /// The largest number of valid access tokens of a session; beyond it the oldest are revoked.
    public var maximumAccessTokens = 256
    /// The largest number of stored replaced refresh tokens of a session. The reuse of an older one is not detected.
    public var maximumReplacedTokens = 1_024
    /// If all stored replaced tokens were replaced within this time, the session ends: a thief may be hiding a reuse.
    public var shortestReplacementOfAll: Duration = .seconds(60 * 60)
    /// How long an invitation is valid.
    public var invitationLifetime: Duration = .seconds(7 * 24 * 60 * 60)
    /// How long a code for a new password is valid.
    public var resetLifetime: Duration = .seconds(24 * 60 * 60)
    /// Whether an account can be made without an invitation. A client can then find out whether an account exists.
    public var registrationIsOpen = false
    /// The cost of verifying a password. A hash of lower cost is renewed at the next sign-in.
    public var passwordCost = Self.standardPasswordCost
    /// The limits of password guesses.
    public var guessing = GuessLimits()
    /// The limits of messages in inboxes.
    public var pushing = PushLimits()
    /// The limits of the blobs of sync.
    public var syncing = SyncLimits()

    /// The default cost of a password's hash (Argon2id).
    public static let standardPasswordCost = KeyDerivationCost(passes: 3, memoryKiB: 64 * 1_024)

    /// The default rules.
    public init() {}
}

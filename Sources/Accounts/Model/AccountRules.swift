public import Sealing

/// What holds for all accounts of a server.
public struct AccountRules: Sendable, Hashable {
    /// How long an API can be called with an access token.
    public var accessTokenLifetime: Duration = .seconds(15 * 60)
    /// How long a refresh token can be used: what ends a session that nobody uses.
    public var refreshTokenLifetime: Duration = .seconds(30 * 24 * 60 * 60)
    /// How long a session lasts at most, whatever is done with it.
    public var sessionLifetime: Duration = .seconds(180 * 24 * 60 * 60)
    /// How long a replaced refresh token is accepted while its successor is unused: the answer may have been lost.
    public var replacedTokenGrace: Duration = .seconds(30)
    /// How many sessions an account may have; a further sign-in ends the one that was used the longest ago. 0 for any number.
    public var maximumSessions = 100
    /// How many access tokens of one session are kept; beyond that the oldest are no longer good.
    public var maximumAccessTokens = 256
    /// How many replaced refresh tokens of one session are kept; of older ones a reuse is not noticed.
    public var maximumReplacedTokens = 1_024
    /// Whoever replaces all the tokens that are kept within this time wants a reuse to go unnoticed: the session ends.
    public var shortestReplacementOfAll: Duration = .seconds(60 * 60)
    /// How long an invitation is good for.
    public var invitationLifetime: Duration = .seconds(7 * 24 * 60 * 60)
    /// Whether anybody may make an account, without an invitation. Existence of an account can then be learned.
    public var registrationIsOpen = false
    /// What verifying a password costs. Hashes that cost less are made anew at the next sign-in.
    public var passwordCost = Self.standardPasswordCost
    /// How often passwords may be guessed.
    public var guessing = GuessLimits()

    /// 3 passes over 64 MiB.
    public static let standardPasswordCost = KeyDerivationCost(passes: 3, memoryKiB: 64 * 1_024)

    /// The rules of a server that nobody configured.
    public init() {}
}

public import Sealing
public import SecretMemory
public import TextCoding

/// An account.
public struct Account: Sendable, Hashable {
    /// Its id.
    public let id: AccountID
    /// Its unique name.
    public let email: EmailAddress
    /// Whether the operator invited this address; false for an account by open registration.
    public let isEmailVerified: Bool
    /// The password, as an Argon2id string.
    public var password: PasswordHash
    /// When it was made.
    public let created: PointInTime
    /// When the password was last set.
    public var passwordChanged: PointInTime
    /// Whether sign-in is refused.
    public var isDisabled: Bool

    /// Makes an account.
    public init(
        id: AccountID = AccountID(), email: EmailAddress, isEmailVerified: Bool = false,
        password: PasswordHash, created: PointInTime, passwordChanged: PointInTime? = nil,
        isDisabled: Bool = false
    ) {
        self.id = id
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.password = password
        self.created = created
        self.passwordChanged = passwordChanged ?? created
        self.isDisabled = isDisabled
    }
}

/// An account without its password, for requests that have a token.
public struct AccountProfile: Sendable, Hashable {
    /// Its id.
    public let id: AccountID
    /// Its unique name.
    public let email: EmailAddress
    /// See ``Account/isEmailVerified``.
    public let isEmailVerified: Bool
    /// When it was made.
    public let created: PointInTime
    /// When the password was last set.
    public let passwordChanged: PointInTime
    /// Whether sign-in is refused.
    public let isDisabled: Bool

    /// Makes a profile.
    public init(
        id: AccountID, email: EmailAddress, isEmailVerified: Bool, created: PointInTime,
        passwordChanged: PointInTime, isDisabled: Bool
    ) {
        self.id = id
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.created = created
        self.passwordChanged = passwordChanged
        self.isDisabled = isDisabled
    }
}

extension Account {
    /// All but the password.
    public var profile: AccountProfile {
        AccountProfile(
            id: id, email: email, isEmailVerified: isEmailVerified, created: created,
            passwordChanged: passwordChanged, isDisabled: isDisabled)
    }
}

// For a database, which knows no cryptography.
extension Account {
    /// The Argon2id string of the password.
    public var storedPassword: String { password.text }

    /// Reads an Argon2id string; nil for any other text.
    public static func password(stored text: String) -> PasswordHash? { PasswordHash(text) }
}

/// The id of an account: 128 random bits as 32 hexadecimal digits in lower case. It never changes, and is not secret.
public struct AccountID: Sendable, Hashable {
    /// The digits.
    public let text: String

    /// Makes a new id.
    public init(random: RandomSource = .system) {
        text = Hexadecimal.text(random.bytes(count: 16))
    }

    /// Reads an id as it is stored; nil for anything else.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: 16) else { return nil }
        self.text = text
    }
}

/// The id of a session, as ``AccountID``.
public struct SessionID: Sendable, Hashable {
    /// The digits.
    public let text: String

    /// Makes a new id.
    public init(random: RandomSource = .system) {
        text = Hexadecimal.text(random.bytes(count: 16))
    }

    /// Reads an id as it is stored; nil for anything else.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: 16) else { return nil }
        self.text = text
    }
}

/// Permission to make the account of one e-mail address. The code is the credential; only its hash is stored.
public struct Invitation: Sendable, Hashable {
    /// The hash of the code.
    public let code: TokenHash
    /// The name of the account.
    public let email: EmailAddress
    /// When it was made.
    public let created: PointInTime
    /// When it expires.
    public let expires: PointInTime

    /// Makes an invitation.
    public init(
        code: TokenHash, email: EmailAddress, created: PointInTime, expires: PointInTime
    ) {
        self.code = code
        self.email = email
        self.created = created
        self.expires = expires
    }
}

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

    /// 3 passes over 64 MiB.
    public static let standardPasswordCost = KeyDerivationCost(passes: 3, memoryKiB: 64 * 1_024)

    /// The default rules.
    public init() {}
}

public import Sealing
public import SecretMemory
public import TextCoding

/// An account.
public struct Account: Sendable, Hashable {
    /// The id of the account.
    public let id: AccountID
    /// The unique name of the account: an e-mail address.
    public let email: EmailAddress
    /// Whether the operator invited this address; false for an account by open registration.
    public let isEmailVerified: Bool
    /// The password, as an Argon2id string.
    public var password: PasswordHash
    /// The time of creation.
    public let created: PointInTime
    /// The time at which the password was last set.
    public var passwordChanged: PointInTime
    /// Whether sign-in is refused.
    public var isDisabled: Bool

    /// Creates an account.
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
    /// The id of the account.
    public let id: AccountID
    /// The unique name of the account: an e-mail address.
    public let email: EmailAddress
    /// See ``Account/isEmailVerified``.
    public let isEmailVerified: Bool
    /// The time of creation.
    public let created: PointInTime
    /// The time at which the password was last set.
    public let passwordChanged: PointInTime
    /// Whether sign-in is refused.
    public let isDisabled: Bool

    /// Creates a profile.
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
    /// The account without its password.
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

    /// Reads an Argon2id string; nil for other text.
    public static func password(stored text: String) -> PasswordHash? { PasswordHash(text) }
}

/// The id of an account: 128 random bits as 32 hexadecimal digits in lower case. It never changes, and is not secret.
public struct AccountID: Sendable, Hashable {
    /// The 32 digits.
    public let text: String

    /// Creates a random id.
    public init(random: RandomSource = .system) {
        text = Hexadecimal.text(random.bytes(count: 16))
    }

    /// Reads an id of 32 lower-case hexadecimal digits; nil for other text.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: 16) else { return nil }
        self.text = text
    }
}

/// The id of a session: 128 random bits as 32 hexadecimal digits in lower case.
public struct SessionID: Sendable, Hashable {
    /// The 32 digits.
    public let text: String

    /// Creates a random id.
    public init(random: RandomSource = .system) {
        text = Hexadecimal.text(random.bytes(count: 16))
    }

    /// Reads an id of 32 lower-case hexadecimal digits; nil for other text.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: 16) else { return nil }
        self.text = text
    }
}

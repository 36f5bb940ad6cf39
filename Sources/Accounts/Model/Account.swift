public import Sealing
public import TextCoding

/// An account: who may sign in.
public struct Account: Sendable, Hashable {
    /// Its id.
    public let id: AccountID
    /// Its name, which no other account has.
    public let email: EmailAddress
    /// The password, as an Argon2id string.
    public var password: PasswordHash
    /// When it was made.
    public let created: PointInTime
    /// When the password was set last.
    public var passwordChanged: PointInTime
    /// Whether nobody may sign in to it.
    public var isDisabled: Bool

    /// Makes an account.
    public init(
        id: AccountID = AccountID(), email: EmailAddress, password: PasswordHash,
        created: PointInTime, passwordChanged: PointInTime? = nil, isDisabled: Bool = false
    ) {
        self.id = id
        self.email = email
        self.password = password
        self.created = created
        self.passwordChanged = passwordChanged ?? created
        self.isDisabled = isDisabled
    }
}

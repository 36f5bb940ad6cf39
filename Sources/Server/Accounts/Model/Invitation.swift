public import TextCoding

/// Permission to make the account of one e-mail address. The code is the credential; only its hash is stored.
public struct Invitation: Sendable, Hashable {
    /// The hash of the code.
    public let code: TokenHash
    /// The name of the account.
    public let email: EmailAddress
    /// The time of creation.
    public let created: PointInTime
    /// The time of expiry.
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

public import TextCoding

/// Leave to make the account of one e-mail address. Whoever has the code may; only its hash is stored.
public struct Invitation: Sendable, Hashable {
    /// The hash of the code.
    public let code: TokenHash
    /// Whose account it is for.
    public let email: EmailAddress
    /// When it was made.
    public let created: PointInTime
    /// From when on it is void.
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

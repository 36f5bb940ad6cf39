public import TextCoding

/// What a sign-in or a refresh hands out. Only here are the tokens themselves.
public struct IssuedTokens: Sendable {
    /// The token with which the API is called.
    public let access: String
    /// When the access token ceases to be good.
    public let accessExpires: PointInTime
    /// The token that is exchanged for new ones.
    public let refresh: String
    /// When the tokens were issued.
    public let issued: PointInTime
    /// Whose they are.
    public let account: AccountID
    /// The session that they belong to.
    public let session: SessionID

    /// How long the access token is good for, from when it was issued.
    public var accessLifetime: Duration {
        .milliseconds(accessExpires.milliseconds - issued.milliseconds)
    }
}

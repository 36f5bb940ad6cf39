public import TextCoding

/// A session: all tokens issued from one sign-in on. It ends by sign-out, a change of password, an operator, the reuse of a token, or expiry.
public struct SignInSession: Sendable, Hashable {
    /// Its id.
    public let id: SessionID
    /// The account.
    public let account: AccountID
    /// The OAuth client.
    public let client: String
    /// When it began.
    public let created: PointInTime
    /// When tokens were last issued.
    public var refreshed: PointInTime
    /// When it expires.
    public let expires: PointInTime

    /// Makes a session.
    public init(
        id: SessionID = SessionID(), account: AccountID, client: String, created: PointInTime,
        refreshed: PointInTime? = nil, expires: PointInTime
    ) {
        self.id = id
        self.account = account
        self.client = client
        self.created = created
        self.refreshed = refreshed ?? created
        self.expires = expires
    }
}

/// A stored access token (RFC 6749 section 1.4).
public struct AccessToken: Sendable, Hashable {
    /// The hash of the token.
    public let hash: TokenHash
    /// Its session.
    public let session: SessionID
    /// When it was issued.
    public let issued: PointInTime
    /// When it expires.
    public let expires: PointInTime

    /// Makes a token's record.
    public init(hash: TokenHash, session: SessionID, issued: PointInTime, expires: PointInTime) {
        self.hash = hash
        self.session = session
        self.issued = issued
        self.expires = expires
    }
}

/// A stored refresh token (RFC 6749 section 1.5). Each session has one current token; replaced ones are kept until they expire, to detect reuse.
public struct RefreshToken: Sendable, Hashable {
    /// The hash of the token.
    public let hash: TokenHash
    /// Its session.
    public let session: SessionID
    /// The token that it replaced; nil for the first one.
    public let predecessor: TokenHash?
    /// When it was issued.
    public let issued: PointInTime
    /// When it expires.
    public let expires: PointInTime
    /// When it was replaced; nil for the current one.
    public var replaced: PointInTime?

    /// Makes a token's record.
    public init(
        hash: TokenHash, session: SessionID, predecessor: TokenHash? = nil, issued: PointInTime,
        expires: PointInTime, replaced: PointInTime? = nil
    ) {
        self.hash = hash
        self.session = session
        self.predecessor = predecessor
        self.issued = issued
        self.expires = expires
        self.replaced = replaced
    }
}

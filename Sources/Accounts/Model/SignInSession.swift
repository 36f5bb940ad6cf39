public import TextCoding

/// What a sign-in began: the family of all tokens that were issued from it on. It ends by sign-out, a changed password, an operator, the
/// reuse of a token, or its time.
public struct SignInSession: Sendable, Hashable {
    /// Its id.
    public let id: SessionID
    /// Whose it is.
    public let account: AccountID
    /// The OAuth client that it was made for.
    public let client: String
    /// When it began.
    public let created: PointInTime
    /// When tokens were issued last.
    public var refreshed: PointInTime
    /// When it ends at the latest.
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

/// A token with which an API is called (RFC 6749 section 1.4), as it is stored.
public struct AccessToken: Sendable, Hashable {
    /// The hash of the token.
    public let hash: TokenHash
    /// The session that it belongs to.
    public let session: SessionID
    /// When it was issued.
    public let issued: PointInTime
    /// From when on it is refused.
    public let expires: PointInTime

    /// Makes a token's record.
    public init(hash: TokenHash, session: SessionID, issued: PointInTime, expires: PointInTime) {
        self.hash = hash
        self.session = session
        self.issued = issued
        self.expires = expires
    }
}

/// A token that is exchanged for new tokens (RFC 6749 section 1.5), as it is stored. Of each session one is not replaced; replaced ones stay
/// until they expire, so that a reuse is noticed.
public struct RefreshToken: Sendable, Hashable {
    /// The hash of the token.
    public let hash: TokenHash
    /// The session that it belongs to.
    public let session: SessionID
    /// The token that it was issued for; nil for the first one.
    public let predecessor: TokenHash?
    /// When it was issued.
    public let issued: PointInTime
    /// From when on it is refused.
    public let expires: PointInTime
    /// When another one took its place; nil for the current one.
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

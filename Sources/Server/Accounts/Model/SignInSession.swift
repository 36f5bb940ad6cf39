package import Passkeys
public import TextCoding

/// A session: all tokens issued from one sign-in on. It ends by its owner, a sign-out, a change of password, an operator, the reuse of a token, or
/// expiry.
public struct SignInSession: Sendable, Hashable {
    /// The id of the session.
    public let id: SessionID
    /// The account.
    public let account: AccountID
    /// The OAuth client.
    public let client: String
    /// The most scopes that its tokens may have.
    public let grant: TokenGrant
    /// The time of the sign-in.
    public let created: PointInTime
    /// When tokens were last issued.
    public var refreshed: PointInTime
    /// The time of expiry.
    public let expires: PointInTime

    /// Makes a session.
    public init(
        id: SessionID = SessionID(), account: AccountID, client: String,
        grant: TokenGrant = .account, created: PointInTime, refreshed: PointInTime? = nil,
        expires: PointInTime
    ) {
        self.id = id
        self.account = account
        self.client = client
        self.grant = grant
        self.created = created
        self.refreshed = refreshed ?? created
        self.expires = expires
    }
}

/// The device on which a session began. It stays after an expired session, until the session's owner or an operator ends that session.
/// While it exists, a cached password continues the session.
public struct SessionDevice: Sendable, Hashable {
    /// The largest size of a name, in bytes.
    public static let maximumNameSize = 64

    /// The session.
    public let session: SessionID
    /// The account of the session.
    public let account: AccountID
    /// The session for which the password was typed on this device, from which others were continued.
    public let first: SessionID
    /// The name that the device gave; may be empty.
    public let name: String
    /// The network of the sign-in.
    public let network: String
    /// The hash of the token of the known device; nil if none was given to it.
    public let device: TokenHash?
    /// The time of expiry, that of the session.
    public let expires: PointInTime

    /// Makes a device.
    public init(
        session: SessionID, account: AccountID, first: SessionID, name: String, network: String,
        device: TokenHash? = nil, expires: PointInTime
    ) {
        self.session = session
        self.account = account
        self.first = first
        self.name = name
        self.network = network
        self.device = device
        self.expires = expires
    }
}

/// A sign-in as its client describes it.
public struct SignInOrigin: Sendable {
    /// The name that the device gave, cut to ``SessionDevice/maximumNameSize``.
    public let name: String
    /// The session that the client continues from a cached password; nil if the person typed it.
    public let continued: SessionID?
    /// The token that the device got at an earlier sign-in; nil for none.
    public let token: String?
    /// The second factor; nil if none was sent.
    package var proof: SecondFactorProof?
    /// The page on which a passkey can answer; nil for a client without one.
    package var page: PageOrigin?

    /// Makes a description.
    public init(name: String = "", continued: SessionID? = nil, token: String? = nil) {
        var size = 0
        let start = name.unicodeScalars.prefix { scalar in
            size += UTF8.width(scalar)
            return size <= SessionDevice.maximumNameSize
        }
        self.name = String(start)
        self.continued = continued
        self.token = token
    }
}

/// A stored access token (RFC 6749 section 1.4).
public struct AccessToken: Sendable, Hashable {
    /// The hash of the token.
    public let hash: TokenHash
    /// The session of the token.
    public let session: SessionID
    /// The scopes.
    public let grant: TokenGrant
    /// The time of issue.
    public let issued: PointInTime
    /// The time of expiry.
    public let expires: PointInTime

    /// Makes a token's record.
    public init(
        hash: TokenHash, session: SessionID, grant: TokenGrant = .account, issued: PointInTime,
        expires: PointInTime
    ) {
        self.hash = hash
        self.session = session
        self.grant = grant
        self.issued = issued
        self.expires = expires
    }
}

/// An access token with its session and its account.
public struct AccessTokenDetails: Sendable, Hashable {
    /// The token.
    public let token: AccessToken
    /// The session of the token.
    public let session: SignInSession
    /// The account of the session, without its password: each request with a token reads this row.
    public let account: AccountProfile

    /// Makes a result of the three.
    public init(token: AccessToken, session: SignInSession, account: AccountProfile) {
        self.token = token
        self.session = session
        self.account = account
    }
}

/// A stored refresh token (RFC 6749 section 1.5). Each session has one current token; replaced ones are kept until they expire, to detect reuse.
public struct RefreshToken: Sendable, Hashable {
    /// The hash of the token.
    public let hash: TokenHash
    /// The session of the token.
    public let session: SessionID
    /// The hash of the token that this one replaced; nil for the first token of a session.
    public let predecessor: TokenHash?
    /// The time of issue.
    public let issued: PointInTime
    /// The time of expiry.
    public let expires: PointInTime
    /// The time at which a newer token replaced this one; nil for the current token.
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

public import SecretMemory

/// An auth server, as a client of OAuth 2.0 sees it.
///
/// Each call is one exchange, takes as long as the server and the limits of the connection let it, and does not repeat itself. Thread-safe.
/// Passwords and tokens are in guarded memory up to the library that sends them.
public protocol AuthClient: Sendable {
    /// The server.
    var issuer: Issuer { get }

    /// Signs in with the password grant (RFC 6749 section 4.3).
    ///
    /// - Throws: `rejected` for a wrong name or password, and whatever else can go wrong.
    func signIn(
        _ account: AccountName, password: borrowing SecretBytes
    ) throws(AuthClientError) -> GrantedTokens

    /// Exchanges a refresh token for new tokens (RFC 6749 section 6).
    ///
    /// - Returns: Tokens; the refresh token among them is the old one where the server names no new one.
    /// - Throws: `rejected` if the server does not know it any more.
    func refresh(_ token: borrowing SecretBytes) throws(AuthClientError) -> GrantedTokens

    /// Ends the session of a refresh token (RFC 7009).
    ///
    /// - Throws: `unsupported` where the server has no such endpoint.
    func revoke(_ token: borrowing SecretBytes) throws(AuthClientError)

    /// What the server says of the account to which an access token belongs.
    ///
    /// - Throws: `rejected` for a token that is not good any more; `unsupported`.
    func account(_ accessToken: borrowing SecretBytes) throws(AuthClientError) -> AccountDetails

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - account: Its name.
    ///   - password: Its password.
    ///   - invitation: The code of an invitation; nil where the server needs none.
    /// - Throws: `refused` with what the server has against it; `unsupported`.
    func createAccount(
        _ account: AccountName, password: borrowing SecretBytes,
        invitation: borrowing SecretBytes?
    ) throws(AuthClientError)

    /// Changes the password; all sessions end, and a new one begins.
    ///
    /// - Throws: `rejected` for an access token that is not good any more, `refused(.password)` for a wrong current password; `unsupported`.
    func changePassword(
        _ accessToken: borrowing SecretBytes, from current: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws(AuthClientError) -> GrantedTokens

    /// Removes the account and all that the server has of it.
    ///
    /// - Throws: As ``changePassword(_:from:to:)``.
    func removeAccount(
        _ accessToken: borrowing SecretBytes, password: borrowing SecretBytes
    ) throws(AuthClientError)
}

/// What a server grants. Tokens are printable ASCII (RFC 6749 appendix A).
public struct GrantedTokens: ~Copyable, Sendable {
    /// The largest size of a token, in bytes.
    public static let maximumSize = 16_384

    /// What requests are made with.
    public var access: SecretBytes
    /// What the next tokens are got with; nil where the server gives none.
    public var refresh: SecretBytes?
    /// How long the access token is good, in seconds; nil where the server does not say.
    public var lifetime: UInt32?

    /// Whether there is a refresh token.
    public var canBeRefreshed: Bool {
        switch refresh {
        case .some: true
        case .none: false
        }
    }

    /// Makes a grant.
    public init(access: consuming SecretBytes, refresh: consuming SecretBytes?, lifetime: UInt32?) {
        self.access = access
        self.refresh = refresh
        self.lifetime = lifetime
    }
}

/// What a server says of an account.
public struct AccountDetails: Sendable, Hashable {
    /// Its name, as the server writes it.
    public let name: String
    /// When it was made, as the server writes it.
    public let created: String?

    /// Makes the details.
    public init(name: String, created: String?) {
        self.name = name
        self.created = created
    }
}

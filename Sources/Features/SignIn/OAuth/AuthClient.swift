public import SecretMemory

/// An auth server, as a client of OAuth 2.0 sees it.
///
/// Each call is one exchange without a retry; the limits of the connection bound its time. It throws ``SignInError``, or `SecretMemoryError`
/// if guarded memory is exhausted before or after the server was asked. Thread-safe. Passwords and tokens stay in guarded memory up to the
/// library that sends them.
public protocol AuthClient: Sendable {
    /// The server.
    var issuer: Issuer { get }

    /// Signs in with the password grant (RFC 6749, section 4.3).
    ///
    /// - Parameters:
    ///   - account: Its name.
    ///   - password: Its password.
    ///   - device: The token that this server gave this device at an earlier sign-in; nil if it gave none.
    ///   - session: The server's name of the session that a cached password continues; nil for a typed password. A server refuses to continue
    ///     a session that was ended there.
    /// - Returns: The tokens.
    /// - Throws: `rejected` for a wrong name or password, and every other ``SignInError``.
    func signIn(
        _ account: AccountName, password: borrowing SecretBytes, device: borrowing SecretBytes?,
        continuing session: String?
    ) throws -> GrantedTokens

    /// Exchanges a refresh token for new tokens (RFC 6749, section 6).
    ///
    /// - Returns: The tokens; the refresh token is the old one if the server sends no new one.
    /// - Throws: `rejected` if the token is no longer valid.
    func refresh(_ token: borrowing SecretBytes) throws -> GrantedTokens

    /// Ends the session of a refresh token (RFC 7009).
    ///
    /// - Throws: `unsupported` if the server has no such endpoint.
    func revoke(_ token: borrowing SecretBytes) throws

    /// Describes the account of an access token.
    ///
    /// - Throws: `rejected` if the token is no longer valid; `unsupported`.
    func account(_ accessToken: borrowing SecretBytes) throws -> AccountDetails

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - account: Its name.
    ///   - password: Its password.
    ///   - invitation: The code of an invitation; nil if the server needs none.
    /// - Throws: `refused` with the reason; `unsupported`.
    func createAccount(
        _ account: AccountName, password: borrowing SecretBytes,
        invitation: borrowing SecretBytes?
    ) throws

    /// Changes the password. All sessions end, and a new one begins.
    ///
    /// - Throws: `rejected` if the access token is no longer valid; `refused(.password)` for a wrong current password; `unsupported`.
    func changePassword(
        _ accessToken: borrowing SecretBytes, from current: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws -> GrantedTokens

    /// Removes the account and all its data from the server.
    ///
    /// - Throws: As ``changePassword(_:from:to:)``.
    func removeAccount(
        _ accessToken: borrowing SecretBytes, password: borrowing SecretBytes
    ) throws
}

/// Granted tokens. A token is printable ASCII (RFC 6749, appendix A).
public struct GrantedTokens: ~Copyable, Sendable {
    /// The largest size of a token, in bytes.
    public static let maximumSize = 16_384

    /// The token for requests.
    public var access: SecretBytes
    /// The token for new tokens; nil if the server grants none.
    public var refresh: SecretBytes?
    /// A token that makes this device known to the server; nil if it was known, or if the server has no such tokens.
    public var device: SecretBytes?
    /// The lifetime of the access token in seconds; nil if the server does not say.
    public var lifetime: UInt32?
    /// The server's name of the session, of printable ASCII; nil if it has none.
    public var session: String?
    /// The time of the server's clock in seconds since 1970; nil if the server does not say.
    public var serverTime: Int64?

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

/// A server's description of an account.
public struct AccountDetails: Sendable, Hashable {
    /// The name, as the server writes it.
    public let name: String
    /// The time of creation, as the server writes it.
    public let created: String?

    /// Makes the details.
    public init(name: String, created: String?) {
        self.name = name
        self.created = created
    }
}

/// A session of an account, as TaskVault's own server lists it.
public struct RemoteSession: Sendable, Hashable {
    /// The server's name of it.
    public let id: String
    /// What its device calls itself; may be empty.
    public let device: String
    /// The network of its sign-in; may be empty.
    public let network: String
    /// When it began, as the server writes it.
    public let created: String
    /// When it was last used, as the server writes it.
    public let used: String
    /// Whether it is the session of the request.
    public let isCurrent: Bool

    /// Reads a session; nil for anything else.
    init?(_ object: AnswerObject, _ bytes: RawSpan) {
        guard let id = object.text("id", in: bytes),
            let created = object.text("created", in: bytes),
            let used = object.text("used", in: bytes)
        else { return nil }
        self.id = id
        device = object.text("device", in: bytes) ?? ""
        network = object.text("network", in: bytes) ?? ""
        self.created = created
        self.used = used
        isCurrent = object.flag("current", in: bytes)
    }
}

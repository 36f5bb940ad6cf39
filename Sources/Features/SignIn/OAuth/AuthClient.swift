public import SecretMemory
internal import TextCoding

/// An authorization server, used as a client of OAuth 2.0.
///
/// Each call is one exchange without a retry; the limits of the connection bound its time. Each
/// throws ``SignInError``. It throws `SecretMemoryError` if guarded memory is exhausted before or
/// after the request. Thread-safe.
///
/// Passwords and tokens stay in guarded memory up to the library that sends them.
public protocol AuthClient: Sendable {
    /// The server.
    var issuer: Issuer { get }

    /// Whether the server takes a password from this program. If not, the person signs in on a page
    /// of the server (``WebSignIn``).
    func takesPasswords() throws -> Bool

    /// Signs in with the password grant (RFC 6749, section 4.3).
    ///
    /// - Parameters:
    ///   - account: The account name.
    ///   - password: The password.
    ///   - device: The device token of an earlier sign-in on this server; nil without one.
    ///   - session: The server's id of the session that a stored password continues; nil for a
    ///     typed password. The server refuses to continue a session that was ended there.
    /// - Returns: The tokens.
    /// - Throws: `rejected` for a wrong name or password, and any other ``SignInError``.
    func signIn(
        _ account: AccountName, password: borrowing SecretBytes, device: borrowing SecretBytes?,
        continuing session: String?
    ) throws -> GrantedTokens

    /// Exchanges a refresh token for new tokens (RFC 6749, section 6).
    ///
    /// - Returns: The tokens. The refresh token is the old one if the response has no new one.
    /// - Throws: `rejected` if the token is no longer valid, and any other ``SignInError``.
    func refresh(_ token: borrowing SecretBytes) throws -> GrantedTokens

    /// Revokes a refresh token, and with it the session (RFC 7009).
    ///
    /// - Throws: `unsupported` if the server has no such endpoint.
    func revoke(_ token: borrowing SecretBytes) throws

    /// Returns the details of the token's account.
    ///
    /// - Throws: `rejected` if the token is no longer valid; `unsupported`.
    func account(_ accessToken: borrowing SecretBytes) throws -> AccountDetails

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - account: The account name.
    ///   - password: The password.
    ///   - invitation: The invitation code; nil if the server needs none.
    /// - Throws: `refused` with the reason; `unsupported`.
    func createAccount(
        _ account: AccountName, password: borrowing SecretBytes,
        invitation: borrowing SecretBytes?
    ) throws

    /// Changes the password. The server ends all sessions and starts a new one.
    ///
    /// - Throws: `rejected` if the access token is no longer valid; `refused(.password)` for a
    ///   wrong current password; `unsupported`.
    func changePassword(
        _ accessToken: borrowing SecretBytes, from current: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws -> GrantedTokens

    /// Removes the account and its data from the server.
    ///
    /// - Throws: As ``changePassword(_:from:to:)``.
    func removeAccount(
        _ accessToken: borrowing SecretBytes, password: borrowing SecretBytes
    ) throws
}

/// The server's details of an account.
public struct AccountDetails: Sendable, Hashable {
    /// The name in the server's spelling.
    public let name: String
    /// The creation time in the server's format.
    public let created: String?

    /// Makes the details.
    public init(name: String, created: String?) {
        self.name = name
        self.created = created
    }
}

/// A session of an account, as TaskVault's own server lists it.
public struct RemoteSession: Sendable, Hashable {
    /// The server's id of the session.
    public let id: String
    /// The device's own name; may be empty.
    public let device: String
    /// The network address of the sign-in; may be empty.
    public let network: String
    /// The start of the session, in the server's format.
    public let created: String
    /// The last use of the session, in the server's format.
    public let used: String
    /// Whether the request itself used this session.
    public let isCurrent: Bool

    /// Reads a session; nil if a member is missing.
    init?(_ object: JSONObject, _ bytes: RawSpan) {
        guard let id = object.text("id", in: bytes),
            let created = object.text("created", in: bytes),
            let used = object.text("used", in: bytes)
        else { return nil }
        self.id = id
        device = object.text("device", in: bytes) ?? ""
        network = object.text("network", in: bytes) ?? ""
        self.created = created
        self.used = used
        isCurrent = object.flag("current", in: bytes) ?? false
    }
}

public import SecretMemory

/// The tokens of a successful response. A token is printable ASCII (RFC 6749, appendix A).
public struct GrantedTokens: ~Copyable, Sendable {
    /// The maximum size of a token, in bytes.
    public static let maximumSize = 16_384

    /// Authorizes requests.
    public var access: SecretBytes
    /// Obtains new tokens; nil if the server grants none.
    public var refresh: SecretBytes?
    /// Identifies this device in later sign-ins; nil if the server knows the device or has no such
    /// tokens.
    public var device: SecretBytes?
    /// The account that the ID token names; nil without one.
    public var account: AccountName?
    /// The lifetime of the access token in seconds; nil if unknown.
    public var lifetime: UInt32?
    /// The server's id of the session, printable ASCII; nil without one.
    public var session: String?
    /// The server's clock in seconds since 1970; nil if unknown.
    public var serverTime: Int64?

    /// Whether there is a refresh token.
    public var canBeRefreshed: Bool {
        switch refresh {
        case .some: true
        case .none: false
        }
    }

    /// Makes a set of tokens.
    public init(access: consuming SecretBytes, refresh: consuming SecretBytes?, lifetime: UInt32?) {
        self.access = access
        self.refresh = refresh
        self.lifetime = lifetime
    }
}

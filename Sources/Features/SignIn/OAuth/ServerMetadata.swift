internal import HTTPClient
internal import TextCoding

/// The endpoints and abilities of a server: its authorization server metadata (RFC 8414, or OpenID
/// Connect Discovery 1.0), or the user's setting.
struct ServerMetadata: Sendable {
    /// The issuer in the server's own spelling, which its answers repeat.
    let issuer: String
    /// The token endpoint.
    let token: WebURL
    /// The authorization endpoint; nil if there is none.
    let authorization: WebURL?
    /// The device authorization endpoint; nil if there is none.
    let device: WebURL?
    /// The revocation endpoint; nil if there is none.
    let revocation: WebURL?
    /// The account endpoint of TaskVault's own server; nil for any other server.
    let account: WebURL?
    /// The ways to sign in, the preferred one first; at least one.
    let methods: [SignInMethod]
    /// The scopes that this program asks for unless the user sets others.
    let scopes: [String]
    /// Whether each authorization response names the issuer (RFC 9207).
    let namesIssuer: Bool
    /// Whether the server accepts a client secret only in the form (`client_secret_post`).
    let requiresSecretPost: Bool

    /// The scopes that identify the person, and let the session last.
    private static let usefulScopes = ["openid", "email", "offline_access"]

    /// Reads the metadata of a server.
    ///
    /// - Throws: `untrusted` for another issuer, for endpoints on another host that the issuer does
    ///   not name over TLS, and for invalid metadata; `unsupported` without a known way to sign in;
    ///   `broken` if the bytes are not a JSON object that names an issuer.
    init(_ bytes: RawSpan, of issuer: Issuer) throws {
        guard let object = JSONObject(answer: bytes), let name = object.text("issuer", in: bytes)
        else { throw SignInError.broken(detail: "its description is not OAuth") }
        // Another spelling of the URL is the same server. Another issuer would let one server speak
        // for another.
        guard (try? WebURL(name)).flatMap({ Issuer($0) }) == issuer else {
            throw SignInError.untrusted(detail: "it claims to be another server")
        }
        func address(_ member: String, onlyOwn: Bool = false) throws -> WebURL? {
            try Self.address(member, object, bytes, issuer, onlyOwn: onlyOwn)
        }
        guard let token = try address("token_endpoint") else {
            throw SignInError.untrusted(detail: "its description names no token endpoint")
        }
        self.issuer = name
        self.token = token
        authorization = try address("authorization_endpoint")
        device = try address("device_authorization_endpoint")
        revocation = try address("revocation_endpoint")
        account = try address("taskvault_account_endpoint", onlyOwn: true)
        namesIssuer =
            object.flag("authorization_response_iss_parameter_supported", in: bytes) ?? false
        let offered = object.texts("scopes_supported", in: bytes) ?? []
        scopes = Self.usefulScopes.filter(offered.contains)
        // The default is `client_secret_basic` (RFC 8414, section 2).
        let secrets = object.texts("token_endpoint_auth_methods_supported", in: bytes) ?? []
        requiresSecretPost =
            secrets.contains("client_secret_post") && !secrets.contains("client_secret_basic")

        /// Whether a list has a value, or is missing, which means its default.
        func lists(_ member: String, _ value: String) -> Bool {
            object.texts(member, in: bytes)?.contains(value) ?? true
        }
        var methods: [SignInMethod] = []
        if account == nil {
            let hasCode =
                authorization != nil && lists("response_types_supported", "code")
                && lists("grant_types_supported", "authorization_code")
                // The method `plain` protects no code.
                && lists("code_challenge_methods_supported", "S256")
            if hasCode { methods.append(.browser) }
            if device != nil { methods.append(.device) }
        }
        if methods.isEmpty, lists("grant_types_supported", "password") {
            methods.append(.password)
        }
        guard !methods.isEmpty else { throw SignInError.unsupported }
        self.methods = methods
    }

    /// Takes the endpoints of the user's setting.
    init(_ endpoints: ServerEndpoints, of issuer: Issuer) {
        self.issuer = issuer.text
        token = endpoints.token
        authorization = endpoints.authorization
        device = endpoints.device
        revocation = endpoints.revocation
        account = nil
        namesIssuer = false
        scopes = []
        requiresSecretPost = false
        let methods: [SignInMethod?] = [
            authorization.map { _ in .browser }, device.map { _ in .device },
        ]
        self.methods = methods.contains { $0 != nil } ? methods.compactMap(\.self) : [.password]
    }

    /// Whether a text names this issuer, as RFC 9207 and OpenID Connect compare it.
    func isIssuer(_ text: String) -> Bool { text.utf8.elementsEqual(issuer.utf8) }

    /// An endpoint. Credentials are sent only to the issuer's own origin, and to servers that it
    /// names over TLS.
    private static func address(
        _ member: String, _ object: JSONObject, _ bytes: RawSpan, _ issuer: Issuer, onlyOwn: Bool
    ) throws -> WebURL? {
        guard let text = object.text(member, in: bytes) else { return nil }
        guard let url = try? WebURL(text) else {
            throw SignInError.untrusted(detail: "its description has an invalid address")
        }
        // A server elsewhere must not make this program send requests to this machine.
        let isNamedOverTLS =
            issuer.url.scheme == .https && url.scheme == .https
            && (issuer.url.isLoopback || !url.isLoopback)
        guard url.origin == issuer.url.origin || isNamedOverTLS && !onlyOwn else {
            throw SignInError.untrusted(
                detail: "it sends clients to another server, \(url.host)")
        }
        return url
    }
}

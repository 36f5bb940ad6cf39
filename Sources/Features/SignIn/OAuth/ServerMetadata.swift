internal import HTTPClient
internal import TextCoding

/// A server's description of itself (RFC 8414), as far as a client of the password grant needs it.
struct ServerMetadata: Sendable {
    /// The endpoint that grants tokens.
    let token: WebURL
    /// The endpoint that revokes them; nil if there is none.
    let revocation: WebURL?
    /// The address of the account paths of TaskVault's own server; nil for any other server.
    let account: WebURL?
    /// Whether the server takes the secret of a client in the form only (`client_secret_post`).
    let takesSecretInForm: Bool

    /// Reads the description of a server.
    ///
    /// - Throws: `untrusted` if it names another issuer, or addresses of another server; `unsupported` if there is no password grant;
    ///   `broken`.
    init(_ bytes: RawSpan, of issuer: Issuer) throws {
        guard let object = AnswerObject(bytes), let name = object.text("issuer", in: bytes) else {
            throw SignInError.broken(detail: "its description is not OAuth")
        }
        // Another spelling of the address is the same server; anything else would let one server speak for another.
        guard (try? WebURL(name)).flatMap({ Issuer($0) }) == issuer else {
            throw SignInError.untrusted(detail: "it claims to be another server")
        }
        if let grants = object.texts("grant_types_supported", in: bytes),
            !grants.contains("password")
        {
            throw SignInError.unsupported
        }
        guard let token = try Self.address("token_endpoint", object, bytes, issuer) else {
            throw SignInError.broken(detail: "its description names no token endpoint")
        }
        self.token = token
        revocation = try Self.address("revocation_endpoint", object, bytes, issuer)
        account = try Self.address("taskvault_account_endpoint", object, bytes, issuer)
        // Without the member it is `client_secret_basic` (RFC 8414, section 2).
        let methods = object.texts("token_endpoint_auth_methods_supported", in: bytes) ?? []
        takesSecretInForm =
            methods.contains("client_secret_post") && !methods.contains("client_secret_basic")
    }

    /// An address of the same server. A password goes nowhere else.
    private static func address(
        _ member: String, _ object: AnswerObject, _ bytes: RawSpan, _ issuer: Issuer
    ) throws -> WebURL? {
        guard let text = object.text(member, in: bytes) else { return nil }
        guard let url = try? WebURL(text) else {
            throw SignInError.broken(detail: "its description has an invalid address")
        }
        guard url.origin == issuer.url.origin else {
            throw SignInError.untrusted(
                detail: "it sends clients to another server, \(url.host)")
        }
        return url
    }
}

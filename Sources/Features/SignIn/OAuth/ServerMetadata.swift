internal import HTTPClient
internal import TextCoding

/// The authorization server metadata (RFC 8414) that the password grant needs.
struct ServerMetadata: Sendable {
    /// The token endpoint.
    let token: WebURL
    /// The revocation endpoint; nil if there is none.
    let revocation: WebURL?
    /// The account endpoint of TaskVault's own server; nil for any other server.
    let account: WebURL?
    /// Whether the server accepts a client secret only in the form (`client_secret_post`).
    let requiresSecretPost: Bool

    /// Reads the metadata of a server.
    ///
    /// - Throws: `untrusted` for another issuer, or for endpoints on another server; `unsupported`
    ///   without the password grant; `broken`.
    init(_ bytes: RawSpan, of issuer: Issuer) throws {
        guard let object = JSONObject(answer: bytes), let name = object.text("issuer", in: bytes)
        else {
            throw SignInError.broken(detail: "its description is not OAuth")
        }
        // Another spelling of the URL is the same server. Another issuer would let one server speak
        // for another.
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
        // The default is `client_secret_basic` (RFC 8414, section 2).
        let methods = object.texts("token_endpoint_auth_methods_supported", in: bytes) ?? []
        requiresSecretPost =
            methods.contains("client_secret_post") && !methods.contains("client_secret_basic")
    }

    /// An endpoint on the same server. The password is sent nowhere else.
    private static func address(
        _ member: String, _ object: JSONObject, _ bytes: RawSpan, _ issuer: Issuer
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

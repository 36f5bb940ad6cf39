internal import HTTPClient
internal import TextCoding

/// What a server says of itself (RFC 8414), as far as a client of the password grant needs it.
struct ServerMetadata: Sendable {
    /// Where tokens are granted.
    let token: WebURL
    /// Where they are revoked; nil where they are not.
    let revocation: WebURL?
    /// Below which TaskVault's own server has the accounts; nil on any other server.
    let account: WebURL?

    /// Reads the description of a server.
    ///
    /// - Throws: `untrusted` for one of another issuer, or whose addresses are another server's; `unsupported` where there is no password
    ///   grant; `broken`.
    init(_ bytes: RawSpan, of issuer: Issuer) throws(AuthClientError) {
        guard let object = AnswerObject(bytes), let name = object.text("issuer", in: bytes) else {
            throw .broken(detail: "its description is not one of OAuth")
        }
        // Another spelling of the same address is the same server; all else would let one server speak for another.
        guard (try? WebURL(name)).flatMap({ Issuer($0) }) == issuer else {
            throw .untrusted(detail: "it says that it is another server")
        }
        if let grants = object.texts("grant_types_supported", in: bytes),
            !grants.contains("password")
        {
            throw .unsupported
        }
        guard let token = try Self.address("token_endpoint", object, bytes, issuer) else {
            throw .broken(detail: "its description names no token endpoint")
        }
        self.token = token
        revocation = try Self.address("revocation_endpoint", object, bytes, issuer)
        account = try Self.address("taskvault_account_endpoint", object, bytes, issuer)
    }

    /// An address of the same server: a password goes nowhere else.
    private static func address(
        _ member: String, _ object: AnswerObject, _ bytes: RawSpan, _ issuer: Issuer
    ) throws(AuthClientError) -> WebURL? {
        guard let text = object.text(member, in: bytes) else { return nil }
        guard let url = try? WebURL(text) else {
            throw .broken(detail: "its description has an address that is none")
        }
        guard url.origin == issuer.url.origin else {
            throw .untrusted(detail: "it sends clients to another server, \(url.host)")
        }
        return url
    }
}

internal import HTTPServer
internal import TextCoding

/// What the server says of itself (RFC 8414).
struct ServerMetadata {
    /// The answer; it is always the same.
    let response: HTTPResponse

    /// Describes a server.
    init(issuer: String) {
        response = .object { json in
            json.member("issuer", issuer)
            json.member("token_endpoint", issuer + Route.token.rawValue)
            json.member("revocation_endpoint", issuer + Route.revoke.rawValue)
            json.member("introspection_endpoint", issuer + Route.introspect.rawValue)
            // RFC 8414 section 2 leaves room for members of one's own.
            json.member("taskvault_account_endpoint", issuer + Route.account.rawValue)
            for (name, values) in Self.lists {
                json.member(name, values)
            }
        }
    }

    private static let confidential = ["client_secret_basic", "client_secret_post"]

    private static let lists: [(StaticString, [String])] = [
        // There is no authorization endpoint, so there are no response types.
        ("response_types_supported", []),
        ("grant_types_supported", ["password", "refresh_token"]),
        ("token_endpoint_auth_methods_supported", ["none"]),
        ("revocation_endpoint_auth_methods_supported", ["none"] + confidential),
        ("introspection_endpoint_auth_methods_supported", confidential),
        ("scopes_supported", [Scope.account]),
    ]
}

/// What a token allows: everything of its own account, and nothing else.
enum Scope {
    /// The one scope.
    static let account = "account"

    /// Whether a request asks for nothing more.
    static func isGranted(_ text: String?) -> Bool {
        text.map { $0.split(separator: " ").allSatisfy { $0 == account } } ?? true
    }
}

internal import HTTPServer

/// The authorization server metadata (RFC 8414).
struct IssuerMetadata {
    /// The answer, which never changes.
    let response: HTTPResponse

    /// Describes a server.
    init(issuer: String, scopes: [String]) {
        response = .object { json in
            json.member("issuer", issuer)
            json.member("token_endpoint", issuer + Route.token.rawValue)
            json.member("revocation_endpoint", issuer + Route.revoke.rawValue)
            json.member("introspection_endpoint", issuer + Route.introspect.rawValue)
            // RFC 8414 section 2 allows additional members.
            json.member("taskvault_account_endpoint", issuer + Route.account.rawValue)
            json.member("taskvault_inbox_endpoint", issuer + Route.inboxes.rawValue)
            json.member("taskvault_checklist_endpoint", issuer + Route.checklists.rawValue)
            json.member("taskvault_sync_endpoint", issuer + "/sync")
            for (name, values) in Self.lists {
                json.member(name, values)
            }
            json.member("scopes_supported", scopes)
        }
    }

    private static let confidential = ["client_secret_basic", "client_secret_post"]

    private static let lists: [(StaticString, [String])] = [
        // The server has no authorization endpoint. RFC 8414 requires the member, and validators
        // require a value.
        ("response_types_supported", ["none"]),
        ("grant_types_supported", ["password", "refresh_token"]),
        ("token_endpoint_auth_methods_supported", ["none"]),
        ("revocation_endpoint_auth_methods_supported", ["none"] + confidential),
        ("introspection_endpoint_auth_methods_supported", confidential),
    ]
}

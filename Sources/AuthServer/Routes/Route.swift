internal import HTTPServer

/// What the server has at its paths.
enum Route: String, CaseIterable {
    case token = "/oauth/token"
    case revoke = "/oauth/revoke"
    case introspect = "/oauth/introspect"
    case metadata = "/.well-known/oauth-authorization-server"
    case account = "/account"
    case changePassword = "/account/password"
    case removeAccount = "/account/remove"
    case health = "/health"
    case metrics = "/metrics"

    /// The methods that it knows.
    var methods: [String] {
        switch self {
        case .token, .revoke, .introspect, .changePassword, .removeAccount: ["POST"]
        case .metadata, .health, .metrics: ["GET", "HEAD"]
        case .account: ["GET", "HEAD", "POST"]
        }
    }

    /// Whether its errors are those of OAuth.
    var isOAuth: Bool {
        switch self {
        case .token, .revoke, .introspect: true
        default: false
        }
    }
}

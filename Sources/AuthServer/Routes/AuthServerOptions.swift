internal import HTTPServer

/// The identity, clients and limits of a server.
public struct AuthServerOptions: Sendable {
    /// The issuer: the URL at which clients reach the server, without path and trailing slash (RFC 8414 section 2).
    public var issuer: String
    /// The confidential clients, which may introspect. The public client always exists.
    public var confidentialClients: [RegisteredClient]
    /// Whether reading the database does not block, as with a file. Then reads run at once, on the I/O thread.
    public var readsAtOnce: Bool
    /// The largest number of fields in a form; 0 is no limit.
    public var maximumFormFields: Int
    /// The largest number of members in a JSON object; 0 is no limit.
    public var maximumJSONMembers: Int

    /// Makes options.
    public init(
        issuer: String, confidentialClients: [RegisteredClient] = [], readsAtOnce: Bool = true,
        maximumFormFields: Int = 32, maximumJSONMembers: Int = 16
    ) {
        self.issuer = issuer
        self.confidentialClients = confidentialClients
        self.readsAtOnce = readsAtOnce
        self.maximumFormFields = maximumFormFields
        self.maximumJSONMembers = maximumJSONMembers
    }
}

/// The paths of the server.
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

    /// The supported methods.
    var methods: [String] {
        switch self {
        case .token, .revoke, .introspect, .changePassword, .removeAccount: ["POST"]
        case .metadata, .health, .metrics: ["GET", "HEAD"]
        case .account: ["GET", "HEAD", "POST"]
        }
    }

    /// The form of its errors.
    var errorForm: RequestError.Form {
        switch self {
        case .token, .revoke, .introspect: .oauth
        default: .problem
        }
    }
}

public import HTTPServer

/// The identity, clients and limits of a server.
public struct AuthServerOptions: Sendable {
    /// The issuer: the URL at which clients reach the server, without path and trailing slash (RFC 8414 section 2).
    public var issuer: String
    /// The confidential clients, which may introspect. The public client always exists.
    public var confidentialClients: [RegisteredClient]
    /// The clients on other machines that may read the metrics.
    public var metricsClients: [AddressNetwork]
    /// Whether reading the database does not block, as with a file. Then reads run at once, on the I/O thread.
    public var readsAtOnce: Bool
    /// The largest number of fields in a form; 0 is no limit.
    public var maximumFormFields: Int
    /// The largest number of members in a JSON object; 0 is no limit.
    public var maximumJSONMembers: Int
    /// The largest number of pushed messages that wait for the database; 0 is no limit.
    public var maximumPushes: Int
    /// Whether pushed messages are stored by a thread of their own, so that no I/O thread waits for the disk.
    public var storesInThread: Bool

    /// Makes options.
    public init(
        issuer: String, confidentialClients: [RegisteredClient] = [],
        metricsClients: [AddressNetwork] = [], readsAtOnce: Bool = true,
        maximumFormFields: Int = 32, maximumJSONMembers: Int = 16, maximumPushes: Int = 1_024,
        storesInThread: Bool = true
    ) {
        self.issuer = issuer
        self.confidentialClients = confidentialClients
        self.metricsClients = metricsClients
        self.readsAtOnce = readsAtOnce
        self.maximumFormFields = maximumFormFields
        self.maximumJSONMembers = maximumJSONMembers
        self.maximumPushes = maximumPushes
        self.storesInThread = storesInThread
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
    case resetPassword = "/account/reset"
    case sessions = "/account/sessions"
    case endSessions = "/account/sessions/end"
    case inboxes = "/inboxes"
    case removeInbox = "/inboxes/remove"
    case subscriptions = "/subscriptions"
    case endSubscription = "/subscriptions/end"
    case push = "/push/{endpoint}"
    case messages = "/messages"
    case acknowledge = "/messages/acknowledge"
    case checklists = "/checklists"
    case checklist = "/checklists/{checklist}"
    case health = "/health"
    case metrics = "/metrics"

    /// The route of a path, and the last part of the path where that is a parameter.
    static func find(_ path: String) -> (route: Route, parameter: String)? {
        if let route = Route(rawValue: path), !path.hasSuffix("}") { return (route, "") }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let end = path.utf8.index(after: slash)
        let route: Route? =
            switch path[..<end] {
            case "/push/": .push
            case "/checklists/": .checklist
            default: nil
            }
        return route.map { (route: $0, parameter: String(path[end...])) }
    }

    /// The supported methods.
    var methods: [String] {
        switch self {
        case .token, .revoke, .introspect, .changePassword, .removeAccount, .resetPassword,
            .endSessions, .removeInbox, .subscriptions, .endSubscription, .push, .acknowledge:
            ["POST"]
        // A request for the head would wait, too.
        case .messages: ["GET"]
        case .metadata, .health, .metrics, .sessions, .checklists, .checklist: ["GET", "HEAD"]
        case .account, .inboxes: ["GET", "HEAD", "POST"]
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

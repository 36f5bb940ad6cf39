internal import HTTPServer

/// The paths of the server. A new path needs a case, its methods, and a handler in
/// ``AuthServer/respond(to:)``.
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
    case secondFactor = "/account/second-factor"
    case challengePasskey = "/account/second-factor/challenge"
    case removeSecondFactor = "/account/second-factor/remove"
    case recoveryCodes = "/account/second-factor/recovery-codes"
    case inboxes = "/inboxes"
    case removeInbox = "/inboxes/remove"
    case subscriptions = "/subscriptions"
    case endSubscription = "/subscriptions/end"
    case push = "/push/{endpoint}"
    case messages = "/messages"
    case acknowledge = "/messages/acknowledge"
    case checklists = "/checklists"
    case checklist = "/checklists/{checklist}"
    case syncToken = "/sync/token"
    case syncGroups = "/sync/groups"
    case removeSyncGroup = "/sync/groups/remove"
    case syncChange = "/sync/changes/{group}"
    case groupBlobs = "/sync/blobs/{group}"
    case blobs = "/sync/blobs/{group}/{area}"
    case blob = "/sync/blobs/{group}/{area}/{name}"
    case removeBlob = "/sync/remove"
    case health = "/health"
    case metrics = "/metrics"

    /// The route of a path, and the last parts of the path if they are parameters.
    static func find(_ path: String) -> (route: Route, parameter: String)? {
        if let route = Route(rawValue: path), !path.hasSuffix("}") { return (route, "") }
        let blobs = "/sync/blobs/"
        if path.hasPrefix(blobs) {
            let rest = String(path.utf8.dropFirst(blobs.utf8.count)) ?? ""
            let route: Route =
                switch rest.utf8.count(where: { $0 == UInt8(ascii: "/") }) {
                case 0: .groupBlobs
                case 1: .blobs
                default: .blob
                }
            return (route, rest)
        }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let end = path.utf8.index(after: slash)
        let route: Route? =
            switch path[..<end] {
            case "/push/": .push
            case "/checklists/": .checklist
            case "/sync/changes/": .syncChange
            default: nil
            }
        return route.map { (route: $0, parameter: String(path[end...])) }
    }

    /// The supported methods.
    var methods: [String] {
        switch self {
        case .token, .revoke, .introspect, .changePassword, .removeAccount, .resetPassword,
            .endSessions, .challengePasskey, .removeSecondFactor, .recoveryCodes, .removeInbox,
            .subscriptions, .endSubscription, .push, .acknowledge, .syncToken, .removeSyncGroup,
            .removeBlob:
            ["POST"]
        // HEAD is not supported, because its answer would wait too.
        case .messages, .syncChange: ["GET"]
        case .metadata, .health, .metrics, .sessions, .checklists, .checklist, .syncGroups,
            .groupBlobs, .blobs:
            ["GET", "HEAD"]
        case .account, .secondFactor, .inboxes, .blob: ["GET", "HEAD", "POST"]
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

extension AuthServer {
    /// Calls the handler of a path.
    func respond(to request: HTTPRequest) -> HTTPAnswer {
        guard let (route, parameter) = Route.find(request.path) else {
            return .now(RequestError.notFound.response)
        }
        guard route.methods.contains(request.method) else {
            return .now(RequestError.methodNotAllowed(route.methods).response)
        }
        return answering(route.errorForm) {
            switch route {
            case .token: try token(request)
            case .revoke: try revoke(request)
            case .introspect: try introspect(request)
            case .metadata: .now(metadata.response)
            case .account where request.method == "POST": try createAccount(request)
            case .account: try readAccount(request)
            case .changePassword: try changePassword(request)
            case .removeAccount: try removeAccount(request)
            case .resetPassword: try resetPassword(request)
            case .sessions: try listSessions(request)
            case .endSessions: try endSessions(request)
            case .secondFactor where request.method == "POST": try addSecondFactor(request)
            case .secondFactor: try readSecondFactors(request)
            case .challengePasskey: try challengePasskey(request)
            case .removeSecondFactor: try removeSecondFactor(request)
            case .recoveryCodes: try renewRecoveryCodes(request)
            case .inboxes where request.method == "POST": try makeInbox(request)
            case .inboxes: try listInboxes(request)
            case .removeInbox: try removeInbox(request)
            case .subscriptions: try subscribe(request)
            case .endSubscription: try endSubscription(request)
            case .push: try push(request, to: parameter)
            case .messages: try receive(request)
            case .acknowledge: try acknowledge(request)
            case .checklists: try listChecklists(request)
            case .checklist: try readChecklist(request, parameter)
            case .syncToken: try makeSyncToken(request)
            case .syncGroups: try listSyncGroups(request)
            case .removeSyncGroup: try removeSyncGroup(request)
            case .syncChange: try awaitSyncChange(request, parameter)
            case .groupBlobs: try listGroupBlobs(request, parameter)
            case .blobs: try listBlobs(request, parameter)
            case .blob where request.method == "POST": try putBlob(request, parameter)
            case .blob: try readBlob(request, parameter)
            case .removeBlob: try removeBlob(request)
            case .health: health()
            case .metrics: .now(try metricsText(request))
            }
        }
    }
}

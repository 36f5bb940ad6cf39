public import Accounts
public import HTTPServer
internal import Synchronization
public import TextCoding

/// The auth server: OAuth 2.0 and accounts over HTTP (`Docs/AuthProtocol.md`). Thread-safe.
public final class AuthServer: HTTPHandler {
    let options: AuthServerOptions
    let service: AccountService
    let repository: any AccountRepository
    let clients: ClientAuthentication
    let metrics: ServerMetrics
    let now: @Sendable () -> PointInTime
    let log: RequestLog
    private let metadata: ServerMetadata
    private let gauges = Mutex<@Sendable () -> [ServerGauge]>({ [] })

    /// Makes the server; hashes one password for that.
    ///
    /// - Parameters:
    ///   - options: Its name and its clients.
    ///   - repository: The accounts.
    ///   - rules: What holds for them.
    ///   - hashing: What hashes passwords; tests have their own.
    ///   - now: The time.
    ///   - writeLog: Takes lines of JSON, each with its end; called from several threads.
    /// - Throws: `outOfMemory`, or `repository` if the rules ask for a cost that is not accepted.
    public init(
        _ options: AuthServerOptions, repository: any AccountRepository,
        rules: AccountRules = AccountRules(), hashing: any PasswordHashing = Argon2idHashing(),
        now: @escaping @Sendable () -> PointInTime = { .now },
        writeLog: @escaping @Sendable ([UInt8]) -> Void
    ) throws(AccountServiceError) {
        self.options = options
        self.repository = repository
        self.now = now
        let metrics = ServerMetrics()
        self.metrics = metrics
        service = try AccountService(
            repository: repository, rules: rules,
            hashing: CountedHashing(hashing: hashing) { metrics.note(.derived) })
        clients = ClientAuthentication(options.confidentialClients)
        metadata = ServerMetadata(issuer: options.issuer)
        log = RequestLog(writeLog)
    }

    /// Says what the metrics tell of the present beside what is counted here.
    public func setGauges(_ gauges: @escaping @Sendable () -> [ServerGauge]) {
        self.gauges.withLock { $0 = gauges }
    }

    /// Notes something that is no request in the log. The detail has no secrets.
    public func note(_ event: String, _ detail: String? = nil) {
        log.note(event, detail, at: now())
    }

    /// Does what the database was too busy for before; for every few minutes.
    ///
    /// - Throws: `repository`.
    public func settle() throws(AccountServiceError) {
        try service.settle(at: now())
    }

    /// Notes a failure in the log.
    public func note(_ event: String, _ error: AccountServiceError) {
        note(event, error.explanation)
    }

    /// Answers a request; see `HTTPHandler`.
    public func answer(_ request: HTTPRequest) -> HTTPAnswer {
        respond(to: request).adding(Self.fields(request))
    }

    /// Answers what never became a request; see `HTTPHandler`.
    public func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
        let isOAuth = Route(rawValue: request.path)?.isOAuth ?? false
        let response =
            isOAuth
            ? OAuthError.refused(status: status).response
            : Problem.refused(status: status).response
        return response.adding(Self.fields(request))
    }

    /// Counts a request and writes it into the log.
    public func didAnswer(_ exchange: HTTPExchange) {
        metrics.note(exchange)
        log.note(exchange, at: now())
    }

    private func respond(to request: HTTPRequest) -> HTTPAnswer {
        guard let route = Route(rawValue: request.path) else {
            return .now(Problem.notFound.response)
        }
        guard route.methods.contains(request.method) else {
            return .now(Problem.methodNotAllowed(route.methods).response)
        }
        switch route {
        case .token: return oauth { () throws(OAuthError) in try token(request) }
        case .revoke: return oauth { () throws(OAuthError) in try revoke(request) }
        case .introspect: return oauth { () throws(OAuthError) in try introspect(request) }
        case .metadata: return .now(metadata.response)
        case .account where request.method == "POST":
            return problems { () throws(Problem) in try createAccount(request) }
        case .account: return problems { () throws(Problem) in try readAccount(request) }
        case .changePassword: return problems { () throws(Problem) in try changePassword(request) }
        case .removeAccount: return problems { () throws(Problem) in try removeAccount(request) }
        case .health: return health()
        case .metrics: return .now(metricsText(request))
        }
    }

    /// Whether the database answers. Sign-ins that wait for their turn to write are not waited for, where reading waits for nobody.
    private func health() -> HTTPAnswer {
        reading(
            { [self] in
                problems { () throws(Problem) in
                    do throws(AccountRepositoryError) {
                        try repository.check()
                    } catch {
                        throw problem(.repository(error))
                    }
                    return .now(.object { json in json.member("status", "ok") })
                }
            }, overload: Problem.overloadResponse)
    }

    /// The counters, for whoever asks from this machine without a proxy in between.
    private func metricsText(_ request: HTTPRequest) -> HTTPResponse {
        let isForwarded = ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"].contains {
            !request.headers.values($0).isEmpty
        }
        guard request.peer.isLoopback, request.client.isLoopback, !isForwarded else {
            return Problem.notFound.response
        }
        let gauges = gauges.withLock { $0 }
        return .content(
            Array(metrics.text(gauges: gauges()).utf8), type: "text/plain; version=0.0.4")
    }

    private static func fields(_ request: HTTPRequest) -> [HTTPHeaders.Field] {
        var fields = [HTTPHeaders.Field("X-Request-Id", request.id)]
        if request.isEncrypted {
            fields.append(HTTPHeaders.Field("Strict-Transport-Security", "max-age=31536000"))
        }
        return fields
    }
}

/// A number of the present, for the metrics.
public struct ServerGauge: Sendable, Hashable {
    /// The name behind `taskvault_`, in lower case with underscores.
    public let name: String
    /// What it is, as a sentence.
    public let help: String
    /// The number.
    public let value: Int

    /// Makes a gauge.
    public init(_ name: String, _ help: String, _ value: Int) {
        self.name = name
        self.help = help
        self.value = value
    }
}

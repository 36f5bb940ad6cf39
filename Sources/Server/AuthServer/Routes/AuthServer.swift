public import Accounts
public import HTTPServer
internal import Synchronization
public import TextCoding

/// The auth server: OAuth 2.0 and accounts over HTTP (`Docs/AuthProtocol.md`). Thread-safe.
public final class AuthServer: HTTPHandler {
    let options: AuthServerOptions
    let service: AccountService
    let inboxes: InboxService
    let syncing: SyncService
    let largeContents = LargeContents()
    let pushes: BatchQueue<InboxService.Push>
    let refreshes: BatchQueue<Refresh>
    let introspections: KeptAnswers
    let polls = WaitingPolls()
    let repository: AccountRepository
    let clients: ClientAuthentication
    let metrics: ServerMetrics
    let now: @Sendable () -> PointInTime
    let log: RequestLog
    let metadata: IssuerMetadata
    private let probe = HealthProbe()
    private let writing = WriteProbe()
    private let warnedOfProxy = Atomic<Bool>(false)
    private let values = Mutex<@Sendable () -> [ServerValue]>({ [] })

    /// Creates the server, and hashes one password.
    ///
    /// - Parameters:
    ///   - options: The issuer, the clients and the limits.
    ///   - repository: The accounts.
    ///   - rules: The rules for accounts.
    ///   - pseudonyms: The key of the stored hashes of names.
    ///   - hashing: Derives password hashes.
    ///   - now: The source of the current time.
    ///   - writeLog: Receives lines of JSON with their line ends; called from several threads.
    /// - Throws: `SealingError` if memory is exhausted or the configured cost is refused.
    public init(
        _ options: AuthServerOptions, repository: AccountRepository,
        rules: AccountRules = AccountRules(), pseudonyms: PseudonymKey,
        hashing: any PasswordHashing = Argon2idHashing(),
        now: @escaping @Sendable () -> PointInTime = { .now },
        writeLog: @escaping @Sendable ([UInt8]) -> Void
    ) throws {
        self.options = options
        self.repository = repository
        self.now = now
        let metrics = ServerMetrics(start: now())
        self.metrics = metrics
        service = try AccountService(
            repository: repository, rules: rules, pseudonyms: pseudonyms,
            hashing: CountedHashing(hashing: hashing) { metrics.note(.derived) })
        inboxes = InboxService(repository: repository, limits: rules.pushing)
        syncing = SyncService(repository: repository, limits: rules.syncing)
        pushes = BatchQueue(
            maximum: options.maximumPushes, startsThread: options.storesInThread)
        refreshes = BatchQueue(
            maximum: options.maximumPushes, startsThread: options.storesInThread)
        introspections = KeptAnswers(repository)
        clients = ClientAuthentication(options.clients, issuer: options.issuer)
        metadata = IssuerMetadata(issuer: options.issuer, scopes: clients.scopes)
        log = RequestLog(writeLog)
    }

    /// Sets the source of further values in the metrics.
    public func setValues(_ values: @escaping @Sendable () -> [ServerValue]) {
        self.values.withLock { $0 = values }
    }

    /// Writes an event into the log. The detail must not contain secrets.
    public func note(_ event: String, _ detail: String? = nil) {
        log.note(event, detail, at: now())
    }

    /// Releases attempts for which the database was too busy; see `AccountService.settle(at:)`. Call it every few minutes.
    ///
    /// - Throws: An error of the database.
    public func settle() throws {
        try service.settle(at: now())
    }

    /// Writes the changes by operators into the log. Call it every few minutes.
    ///
    /// - Throws: An error of the database.
    public func writeAudit() throws {
        try repository.change { transaction in
            // The events are written before the commit marks them: after a failure they are
            // written again.
            for event in try transaction.takeAuditEvents(limit: 1_000) { log.note(event) }
        }
    }

    /// Writes a failure into the log, at most once a minute.
    public func note(_ event: String, _ error: any Error) {
        log.note(failure: event, RequestLog.explanation(of: error), at: now())
    }

    /// Writes an action of a request on an account into the log.
    func audit(_ action: AuditAction, _ account: AccountID?, _ request: HTTPRequest) {
        log.note(action, account, by: request, at: now())
    }

    /// Writes a refusal into the log if the error refuses a password.
    func auditRefusal(_ error: any Error, _ account: AccountID?, _ request: HTTPRequest) {
        switch error {
        case AccountError.rejected, AccountError.disabled, AccountError.sessionEnded:
            audit(.refused, account, request)
        case AccountError.tooManyAttempts: audit(.throttled, account, request)
        case AccountError.secondFactorRequired: audit(.secondFactorMissing, account, request)
        case AccountError.secondFactorRejected: audit(.secondFactorRefused, account, request)
        default: break
        }
    }

    /// Answers a request; see `HTTPHandler`.
    public func answer(_ request: HTTPRequest) -> HTTPAnswer {
        respond(to: request).adding(Self.fields(request))
    }

    /// Answers a refused request; see `HTTPHandler`.
    public func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
        let route = Route.find(request.path)?.route
        let error: RequestError =
            switch (route, status) {
            case (.push, 413): .tooLarge
            case (.blob, 413): .blobTooLarge(SyncLimits.maximumSize)
            default: .refused(status: status, route?.errorForm ?? .problem)
            }
        return error.response.adding(Self.fields(request))
    }

    /// Counts a request, and writes it into the log.
    public func didAnswer(_ exchange: HTTPExchange) {
        let route = Route.find(exchange.request.path)?.route
        metrics.note(exchange, route)
        log.note(exchange, route, at: now())
        if exchange.request.isForwardingUnreadable,
            !warnedOfProxy.exchange(true, ordering: .relaxed)
        {
            note(
                "forwarded_for_unreadable",
                "the trusted proxy \(exchange.request.peer.text) sends an X-Forwarded-For with a port or another text; its clients count as one"
            )
        }
    }

    /// Whether the database answers and can be written. A thread of its own asks it, because a commit waits for the disk, and a database server may
    /// occupy all workers without an answer.
    func health() -> HTTPAnswer {
        let check: @Sendable () -> HTTPResponse = { [self] in
            do {
                try repository.check()
                try writing.check(at: now()) { try repository.checkWritable() }
                return .object { json in json.member("status", "ok") }
            } catch {
                return requestError(error, .problem).response
            }
        }
        if options.readsAtOnce, !options.storesInThread { return .now(check()) }
        return .deferred { [probe] answer in probe.ask(answer, check) }
    }

    /// The metrics, for clients on this machine without a proxy in between, and for clients in the
    /// setting.
    func metricsText(_ request: HTTPRequest) throws -> HTTPResponse {
        let isForwarded = ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"].contains {
            !request.headers.values($0).isEmpty
        }
        let isLocal = request.peer.isLoopback && request.client.isLoopback && !isForwarded
        let isNamed = options.metricsClients.contains { $0.contains(request.client) }
        guard isLocal || isNamed, isOwnHost(request.host) else { throw RequestError.notFound }
        let values = values.withLock { $0 }
        return .content(
            Array(metrics.text(values()).utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    /// Whether a host is an address, this machine or the issuer. A web page can make its own name
    /// resolve to the address of this server.
    private func isOwnHost(_ text: String?) -> Bool {
        guard let text else { return true }
        guard let host = IssuerURL("http://" + text.lowercased()) else { return false }
        return host.isLoopback || ListenAddress(host.host + ":0") != nil
            || host.host == IssuerURL(options.issuer)?.host
    }

    private static func fields(_ request: HTTPRequest) -> [HTTPHeaders.Field] {
        var fields = [HTTPHeaders.Field("X-Request-Id", request.id)]
        if request.isEncrypted {
            fields.append(HTTPHeaders.Field("Strict-Transport-Security", "max-age=31536000"))
        }
        return fields
    }
}

/// The steps of a request.
extension AuthServer {
    /// Runs a step on another lane.
    func later(
        _ lane: HTTPLane, for requester: HTTPRequester = .stranger(""),
        _ form: RequestError.Form, _ body: @escaping @Sendable () throws -> HTTPAnswer
    ) -> HTTPAnswer {
        .later(
            lane, for: requester, { [self] in answering(form, body) },
            overload: form.overloadResponse)
    }

    /// Runs a step that only reads: at once if reading does not block.
    func reading(
        _ form: RequestError.Form, _ body: @escaping @Sendable () throws -> HTTPAnswer
    ) -> HTTPAnswer {
        options.readsAtOnce ? answering(form, body) : later(.storage, form, body)
    }

    /// Runs the slow part of a request. Strangers share the lane by their widest networks, as they share the guesses at a name.
    func derivation<Value: Sendable>(
        _ work: PasswordWork<Value>, for request: HTTPRequest, _ form: RequestError.Form,
        _ body: @escaping @Sendable (PasswordWork<Value>) throws -> HTTPResponse
    ) -> HTTPAnswer {
        let requester =
            work.known.map { HTTPRequester.known($0) }
            ?? .stranger(request.client.networks.last ?? "")
        return later(.derivation, for: requester, form) { .now(try body(work)) }
    }
}

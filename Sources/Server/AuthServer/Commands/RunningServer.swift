internal import Accounts
internal import CommandLine
internal import HTTPServer
internal import Platform
internal import Sealing
internal import TextCoding

/// The running server with its database and log. It listens from its creation on.
struct RunningServer {
    /// The time limit for the reader of the log at the end.
    private static let patienceWithLog = Duration.seconds(2)
    /// The interval between removals of expired rows, in seconds.
    private static let purgePeriod: UInt32 = 300

    private let context: ServerContext
    private let configuration: ServerConfiguration
    private let certificateFault: CertificateFault?
    private let repository: AccountRepository
    private let auth: AuthServer
    private let inboxSignals: InboxSignals
    private let http: HTTPServer
    private let log: LogOutput

    /// Opens the database and listens.
    ///
    /// - Throws: `Failure`, `SealingError`, `DatabaseError`, `HTTPServerError`.
    init(_ context: ServerContext) throws {
        let configuration = try ServerConfiguration(context.settings)
        self.context = context
        self.configuration = configuration
        var options = configuration.limits
        options.identity = try configuration.tls?.read()
        certificateFault = options.identity.flatMap {
            configuration.fault(of: $0, at: context.now)
        }
        let place = try context.database()
        // A faulty libsodium would store hashes that other machines refuse.
        try CryptographicLibrary.check()
        let storageWorkers = options.lanes[.storage]?.workers ?? 1
        let connections = storageWorkers == 0 ? Int.max : storageWorkers + 2
        let repository = try place.openOrCreate(connections: connections)
        self.repository = repository
        log = LogOutput(descriptor: context.surroundings.errors)
        do {
            auth = try AuthServer(
                AuthServerOptions(
                    issuer: configuration.issuerText,
                    clients: configuration.clients,
                    metricsClients: configuration.metricsClients, readsAtOnce: place.isFile,
                    maximumFormFields: configuration.contents.formFields,
                    maximumJSONMembers: configuration.contents.jsonMembers,
                    maximumPushes: options.lanes[.storage]?.waiting ?? 0),
                repository: repository, rules: configuration.rules,
                pseudonyms: PseudonymFile(context).readOrMake(), now: context.surroundings.now,
                writeLog: log.write)
            if !Self.allow(descriptors: configuration.neededDescriptors) {
                auth.note("descriptors_limited", "maximum-connections exceeds the system's limit")
            }
            inboxSignals = try InboxSignals(place) { [auth] in
                auth.deliver()
            } report: { [auth] error in
                auth.note("signals_failed", error)
            }
            http = try HTTPServer(options, auth)
        } catch {
            repository.close()
            throw error
        }
        auth.setValues { [weak http] in http?.counters.values ?? [] }
    }

    /// Serves until a signal stops it. SIGHUP reloads certificate and key; any other signal stops
    /// the server.
    func run(until signals: borrowing BlockedSignals) {
        let scheme = configuration.tls == nil ? "http" : "https"
        auth.note("started", "\(scheme)://\(configuration.listen.text(port: http.port))")
        for warning in configuration.warnings { auth.note(warning.code, warning.message) }
        warn(of: certificateFault)
        startPurging()
        startDelivering()
        while true {
            let number = signals.wait()
            if number == SIGHUP {
                reload()
            } else {
                auth.note("stopping", number == SIGINT ? "SIGINT" : "SIGTERM")
                break
            }
        }
        // A poll may wait longer than the stop timeout.
        auth.polls.stop()
        http.stop(within: configuration.stopTimeout)
        inboxSignals.stop()
        repository.close()
        auth.note("stopped")
        log.finish(within: Self.patienceWithLog)
    }

    private func reload() {
        guard let tls = configuration.tls else {
            auth.note("reload_ignored", "the server has no certificate")
            return
        }
        do {
            let identity = try tls.read()
            try http.reload(identity)
            auth.note("reloaded", tls.certificate)
            warn(of: configuration.fault(of: identity, at: context.now))
        } catch {
            auth.note("reload_failed", Failure(error, context).message)
        }
    }

    /// A server with an expired certificate still serves, because its clients decide on the
    /// certificate.
    private func warn(of fault: CertificateFault?) {
        guard let fault, let tls = configuration.tls else { return }
        auth.note(fault.code, fault.message(tls.certificate, configuration.issuerHost))
    }

    /// Removes expired rows and settles attempts, now and every few minutes, until the process ends.
    private func startPurging() {
        let administration = AccountAdministration(
            repository: repository, rules: configuration.rules)
        let (auth, now) = (auth, context.surroundings.now)
        let isStarted = DetachedThread.start {
            while true {
                do {
                    try auth.settle()
                    try auth.writeAudit()
                    try administration.purge(at: now())
                } catch {
                    // The next purge tries again.
                    auth.note("purge_failed", error)
                }
                _ = sleep(Self.purgePeriod)
            }
        }
        if !isStarted { auth.note("purge_failed", "cannot start a thread") }
    }

    /// Ends polls at their time limits, and delivers messages of other servers, until the server
    /// stops.
    private func startDelivering() {
        let polls = auth.polls
        if !DetachedThread.start({ polls.run() }) || !inboxSignals.start() {
            auth.note("signals_failed", "cannot start a thread")
        }
    }

    /// Raises the limit of open descriptors as far as the system allows; nil requests the maximum.
    ///
    /// The corresponding C functions are `getrlimit` and `setrlimit` with `RLIMIT_NOFILE`.
    ///
    /// - Returns: Whether the limit is high enough.
    private static func allow(descriptors count: Int?) -> Bool {
        #if os(Linux)
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let kind = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard unsafe getrlimit(kind, &limit) == 0 else { return false }
        let wanted = count.map { rlim_t($0) } ?? limit.rlim_max
        if limit.rlim_cur >= wanted { return true }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        return unsafe setrlimit(kind, &limit) == 0 && limit.rlim_cur == wanted
    }
}

extension HTTPServerCounters {
    /// The values of the metrics.
    fileprivate var values: [ServerValue] {
        [
            ServerValue(gauge: "connections", "Open connections.", connections),
            ServerValue(
                counter: "refused_connections", "Connections refused because too many were open.",
                refusedConnections),
            ServerValue(
                counter: "displaced_connections",
                "Connections without a complete request that made room for others.",
                displacedConnections),
            ServerValue(
                counter: "timed_out_connections", "Connections closed by the timeout.",
                timedOutConnections),
            ServerValue(
                gauge: "waiting_requests", "Requests waiting for a worker.", waitingForWorkers),
            ServerValue(gauge: "busy_workers", "Busy workers.", busyWorkers),
            ServerValue(
                gauge: "held_requests", "Requests that wait without a worker.", deferredResponses),
            ServerValue(
                counter: "overloads", "Requests refused because too many were waiting.",
                overloads),
        ]
    }
}

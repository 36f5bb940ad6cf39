internal import Accounts
internal import CommandLine
internal import HTTPServer
internal import Platform

/// The server with all that belongs to it: listens from its creation on.
struct RunningServer {
    /// How long whoever reads the log may take at the end.
    private static let patienceWithLog = Duration.seconds(2)
    /// How often expired rows are removed, in seconds.
    private static let purgePeriod: UInt32 = 300

    private let configuration: ServerConfiguration
    private let repository: any AccountRepository
    private let auth: AuthServer
    private let http: HTTPServer
    private let log: LogOutput
    private let now: @Sendable () -> PointInTime

    /// Opens the database and listens.
    init(_ context: ServerContext) throws {
        let configuration = try ServerConfiguration(context.sources)
        self.configuration = configuration
        now = context.surroundings.now
        var options = configuration.limits
        options.identity = try configuration.tls.map { files in
            try files.read()
        }
        let place = try context.database()
        try ServerContext.checkLibrary()
        let storageWorkers = options.lanes[.storage]?.workers ?? 1
        let connections = storageWorkers == 0 ? Int.max : storageWorkers + 1
        do throws(AccountRepositoryError) {
            repository = try place.openOrCreate(connections: connections)
        } catch {
            throw CommandFailure(error, place)
        }
        log = LogOutput(descriptor: context.surroundings.errors)
        do throws(AccountServiceError) {
            auth = try AuthServer(
                AuthServerOptions(
                    issuer: configuration.issuerText,
                    confidentialClients: configuration.clients, readsAtOnce: place.isFile,
                    maximumFormFields: configuration.contents.formFields,
                    maximumJSONMembers: configuration.contents.jsonMembers),
                repository: repository, rules: configuration.rules,
                now: context.surroundings.now, writeLog: log.write)
        } catch {
            repository.close()
            throw CommandFailure(error, place, context.invocation)
        }
        if !Machine.allow(descriptors: configuration.neededDescriptors) {
            auth.note("descriptors_limited", "maximum-connections is more than the system allows")
        }
        do throws(HTTPServerError) {
            http = try HTTPServer(options, auth)
        } catch {
            repository.close()
            throw CommandFailure(error, at: configuration.listen.text(), configuration.tls)
        }
        auth.setGauges { [weak http] in http?.counters.gauges ?? [] }
    }

    /// Serves until a signal ends it: SIGHUP reads certificate and key again, any other one ends it.
    func run(until signals: borrowing HeldSignals) throws {
        let scheme = configuration.tls == nil ? "http" : "https"
        auth.note("started", "\(scheme)://\(configuration.listen.text(port: http.port))")
        for warning in configuration.warnings { auth.note(warning.code, warning.message) }
        startPurging()
        while true {
            let number = signals.wait()
            if number == SIGHUP {
                reload()
            } else {
                auth.note("stopping", number == SIGINT ? "SIGINT" : "SIGTERM")
                break
            }
        }
        http.stop(within: configuration.stopTimeout)
        repository.close()
        auth.note("stopped")
        log.finish(within: Self.patienceWithLog)
    }

    private func reload() {
        guard let tls = configuration.tls else {
            auth.note("reload_ignored", "there is no certificate to read again")
            return
        }
        do {
            let identity = try tls.read()
            do throws(HTTPServerError) {
                try http.reload(identity)
            } catch {
                throw CommandFailure(error, at: configuration.listen.text(), tls)
            }
            auth.note("reloaded", tls.certificate)
        } catch {
            auth.note("reload_failed", CommandFailure(unexplained: error).message)
        }
    }

    /// Removes what has expired, and does what the database was too busy for, now and every few minutes, until the process ends.
    private func startPurging() {
        let administration = AccountAdministration(
            repository: repository, rules: configuration.rules)
        let (auth, now) = (auth, now)
        let isStarted = ServerThread.start {
            while true {
                do throws(AccountServiceError) {
                    try auth.settle()
                    try administration.purge(at: now())
                } catch {
                    // The next time is soon.
                    auth.note("purge_failed", error)
                }
                _ = sleep(Self.purgePeriod)
            }
        }
        if !isStarted { auth.note("purge_failed", "there is no thread for it") }
    }
}

extension HTTPServerCounters {
    /// As the metrics tell them.
    fileprivate var gauges: [ServerGauge] {
        [
            ServerGauge("connections", "Connections that are open.", connections),
            ServerGauge(
                "refused_connections", "Connections that were one too many.", refusedConnections),
            ServerGauge(
                "timed_out_connections", "Connections that were too slow.", timedOutConnections),
            ServerGauge("waiting_requests", "Requests that wait for a worker.", waitingForWorkers),
            ServerGauge("busy_workers", "Workers that have something to do.", busyWorkers),
            ServerGauge("overloads", "Requests that found too many others waiting.", overloads),
        ]
    }
}

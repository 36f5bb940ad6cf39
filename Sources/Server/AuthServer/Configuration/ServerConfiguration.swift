internal import Accounts
internal import CommandLine
internal import HTTPServer
internal import Platform
internal import Sealing
internal import TextCoding

/// The configuration of the server, checked as a whole.
struct ServerConfiguration: Sendable {
    /// The address to listen on.
    let listen: ListenAddress
    /// The issuer; nil if it is the listen address.
    let issuer: IssuerURL?
    /// The files of certificate and key; nil without TLS.
    let tls: TLSFiles?
    /// The confidential clients.
    let clients: [RegisteredClient]
    /// The clients on other machines that may read the metrics.
    let metricsClients: [AddressNetwork]
    /// The rules for accounts.
    let rules: AccountRules
    /// The limits of connections, requests and workers.
    let limits: HTTPServerOptions
    /// The largest numbers of fields in a form and of members in an object; 0 is no limit.
    let contents: (formFields: Int, jsonMembers: Int)
    /// The time limit for requests in progress after a signal to stop.
    let stopTimeout: Duration
    /// The risks that the operator accepted, and the missing features of this machine.
    private(set) var warnings: [Warning] = []

    /// Reads the settings and checks their dependencies.
    ///
    /// - Throws: `Failure` that names the location of the error.
    init(
        _ sources: SettingSources, processors: Int = Self.processors,
        findsCommonPasswords: Bool = ZxcvbnLibrary.shared != nil
    ) throws {
        listen = sources.certain(ServerSettings.listen)
        issuer = sources.value(ServerSettings.issuer)
        clients = sources.clients
        metricsClients = sources.value(ServerSettings.metricsClients) ?? []
        tls = try TLSFiles(sources)
        rules = AccountRules(sources)
        contents = (
            sources.certain(ServerSettings.formFields), sources.certain(ServerSettings.jsonMembers)
        )
        stopTimeout = sources.certain(ServerSettings.stopTimeout).orUnlimited
        let threads = sources.certain(ServerSettings.threads)
        let workers = sources.value(ServerSettings.workers) ?? processors
        limits = HTTPServerOptions(
            address: listen.address, port: listen.port,
            threads: threads == 0 ? processors : threads,
            lanes: [
                .derivation: .init(
                    workers: workers, waiting: sources.certain(ServerSettings.waiting)),
                .storage: .init(
                    workers: sources.certain(ServerSettings.storageWorkers),
                    waiting: sources.certain(ServerSettings.storageWaiting)),
            ],
            maximumConnections: sources.certain(ServerSettings.connections),
            maximumConnectionsOfOneAddress: sources.certain(ServerSettings.connectionsOfOneAddress),
            reservedPath: Route.health.rawValue,
            trustedProxies: sources.value(ServerSettings.trustedProxy) ?? [],
            maximumBodySize: sources.certain(ServerSettings.bodySize),
            timeout: sources.certain(ServerSettings.timeout))
        try checkEncryption(sources)
        try checkIssuer(sources)
        warnings = try Self.checkPlainIssuer(issuer, listen, hasTLS: tls != nil, sources)
        if !findsCommonPasswords { warnings.append(.commonPasswords) }
        try Self.checkTimes(sources)
        try checkLimits(sources)
        try Self.checkMemory(sources, rules.passwordCost, workers: workers)
    }

    /// The number of processors.
    ///
    /// The corresponding C function is `sysconf` with `_SC_NPROCESSORS_ONLN`.
    static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The number of descriptors that the server needs; nil without a limit. Each connection needs
    /// one.
    /// Further ones are for files, pipes, the database, and new connections that displace others.
    var neededDescriptors: Int? {
        let storage = limits.lanes[.storage]?.workers ?? 0
        if storage == 0 || limits.maximumConnections == 0 { return nil }
        return limits.maximumConnections + 4 * storage + 4 * limits.threads + 144
    }

    /// The issuer, as clients see it.
    var issuerText: String {
        issuer?.text ?? (tls == nil ? "http://" : "https://") + listen.text()
    }

    /// A risk that the operator accepted, or a missing feature of this machine.
    struct Warning: Sendable, Hashable {
        /// A stable name in snake_case.
        let code: String
        /// The text, in lower case and without a full stop.
        let message: String

        /// The server cannot compare new passwords with common ones.
        static let commonPasswords = Warning(
            code: "common_passwords",
            message: "libzxcvbn is not installed: common passwords are accepted")
    }
}

extension AccountRules {
    /// Creates the rules for accounts from the settings.
    init(_ sources: SettingSources) {
        self.init()
        accessTokenLifetime = sources.certain(ServerSettings.accessLifetime)
        refreshTokenLifetime = sources.certain(ServerSettings.refreshLifetime)
        sessionLifetime = sources.certain(ServerSettings.sessionLifetime)
        maximumSessions = sources.certain(ServerSettings.sessions)
        let accessTokens = sources.certain(ServerSettings.accessTokens)
        maximumAccessTokens = accessTokens == 0 ? .max : accessTokens
        let replacedTokens = sources.certain(ServerSettings.replacedTokens)
        maximumReplacedTokens = replacedTokens == 0 ? .max : replacedTokens
        invitationLifetime = sources.certain(ServerSettings.invitationLifetime)
        registrationIsOpen = sources.certain(ServerSettings.registration) == .open
        passwordCost = KeyDerivationCost(
            passes: UInt32(sources.certain(ServerSettings.passes)),
            memoryKiB: UInt32(sources.certain(ServerSettings.memory)) * 1_024)
        guessing.freeFailures = sources.certain(ServerSettings.freeFailures)
        let nameFailures = sources.certain(ServerSettings.nameFailures)
        guessing.nameFailures = nameFailures == 0 ? .max : nameFailures
        guessing.period = sources.certain(ServerSettings.guessPeriod)
        guessing.networkAttempts = Int64(sources.certain(ServerSettings.networkAttempts))
        guessing.networkPeriod = sources.certain(ServerSettings.networkPeriod)
        // Regaining all attempts at once disables the limit.
        if guessing.networkPeriod == .zero { guessing.networkAttempts = 0 }
        guessing.maximumKeys = sources.certain(ServerSettings.rememberedKeys)
        guessing.knownDeviceLifetime = sources.certain(ServerSettings.deviceLifetime).orUnlimited
        let devices = sources.certain(ServerSettings.devices)
        guessing.maximumKnownDevices = devices == 0 ? .max : devices
        pushing.hourlyOfSender = Int64(sources.certain(ServerSettings.hourlyOfSender))
        pushing.waitingOfSender = sources.certain(ServerSettings.waitingOfSender)
        pushing.hourlyOfInbox = Int64(sources.certain(ServerSettings.hourlyOfInbox))
        pushing.waitingOfInbox = sources.certain(ServerSettings.waitingOfInbox)
        pushing.longestLife = sources.certain(ServerSettings.messageLifetime)
        pushing.maximumInboxes = sources.certain(ServerSettings.inboxes)
        pushing.maximumSubscriptions = sources.certain(ServerSettings.subscriptions)
        syncing.quota = Int64(sources.certain(ServerSettings.syncQuota)) * 1_048_576
    }
}

extension Duration {
    /// The duration of a limit, with 0 as practically unlimited.
    var orUnlimited: Duration { self == .zero ? .seconds(1_000_000_000_000) : self }
}

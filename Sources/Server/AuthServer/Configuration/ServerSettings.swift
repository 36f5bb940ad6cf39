internal import Accounts
internal import HTTPServer
internal import Sealing
internal import TextCoding

/// All settings of the server. Options, environment variables, the configuration file, `--check-config` and the documents derive from this table.
///
/// A number is in the type that enforces it, and its row names the place.
enum ServerSettings {
    private static let rules = AccountRules()
    private static let limits = HTTPServerOptions()
    private static let contents = AuthServerOptions(issuer: "")

    // Addresses and TLS.
    static let listen = Setting(
        "listen", .listenAddress, "the address and port to listen on", standard: "127.0.0.1:8420")
    static let issuer = Setting(
        "issuer", .url, "the URL at which clients reach the server, without path",
        otherwise: "the address of listen")
    static let trustedProxy = Setting(
        "trusted-proxy", .networks,
        "the proxies whose X-Forwarded-For is accepted: addresses or networks such as 127.0.0.1, 10.0.0.0/8, separated by commas",
        otherwise: "none")
    static let metricsClients = Setting(
        "metrics-clients", .networks,
        "the addresses or networks on other machines that may read /metrics, separated by commas",
        otherwise: "none")
    static let database = Setting(
        "database", .database,
        "the file of the accounts, or the address of a PostgreSQL database such as postgresql://host/name",
        otherwise:
            "/var/lib/taskvault-authd/accounts.db for root, otherwise taskvault-authd/accounts.db in $XDG_DATA_HOME"
    )
    static let pseudonymKey = Setting(
        "pseudonym-key", .file,
        "the file of the key that hides names in the database; made if it does not exist",
        otherwise: "FILE.key beside the configuration FILE, or without one beside the database")
    static let certificate = Setting(
        "tls-certificate", .file,
        "the certificate chain of the server, PEM; SIGHUP reads it again")
    static let key = Setting(
        "tls-key", .file, "the key of the certificate, PEM, not readable by all users")
    static let plainHTTP = Setting(
        "allow-plain-http", .yesNo,
        "listen without TLS on an address other than loopback; requires the next setting too",
        standard: "no")
    static let protectedElsewhere = Setting(
        "plain-http-is-protected-elsewhere", .yesNo,
        "a proxy or tunnel encrypts all connections to the clients", standard: "no")

    // Accounts.
    static let registration = Setting<Registration>(
        "registration", .choice("WHO"),
        "who can create an account; open lets clients find out which accounts exist",
        standard: Registration.invitation.rawValue)
    static let invitationLifetime = Setting(
        "invitation-lifetime", .time("1m", "365d"), "how long an invitation is valid",
        standard: rules.invitationLifetime)
    static let passes = Setting(
        "password-passes", .number(2...64), "passes of Argon2id over its memory",
        standard: rules.passwordCost.passes)
    static let memory = Setting(
        "password-memory", .number(19...4_096), "memory of Argon2id in MiB",
        standard: rules.passwordCost.memoryKiB / 1_024)
    static let accessLifetime = Setting(
        "access-token-lifetime", .time("1m", "24h"), "how long an access token is valid",
        standard: rules.accessTokenLifetime)
    static let refreshLifetime = Setting(
        "refresh-token-lifetime", .time("1m", "365d"), "how long a refresh token is valid",
        standard: rules.refreshTokenLifetime)
    static let sessionLifetime = Setting(
        "session-lifetime", .time("1m", "3650d"), "the longest lifetime of a session",
        standard: rules.sessionLifetime)

    // Workers and connections.
    static let workers = Setting(
        "workers", .number(1...1_024, unlimited: "0"),
        "the number of passwords verified at once; each takes password-memory",
        otherwise: "the number of processors")
    static let waiting = Setting(
        "waiting", .number(1...100_000, unlimited: "0"),
        "the number of requests that wait for a worker; further ones get status 503",
        standard: limits.lanes[.derivation]?.waiting ?? 0)
    static let storageWorkers = Setting(
        "database-workers", .number(1...256, unlimited: "0"),
        "the number of requests that use the database at once",
        standard: limits.lanes[.storage]?.workers ?? 0)
    static let storageWaiting = Setting(
        "database-waiting", .number(1...100_000, unlimited: "0"),
        "the number of requests that wait for the database; further ones get status 503",
        standard: limits.lanes[.storage]?.waiting ?? 0)
    static let threads = Setting(
        "threads", .number(1...256, unlimited: "0"),
        "the number of threads that read requests and write answers; without a limit, one for each processor",
        standard: limits.threads)
    static let bodySize = Setting(
        "maximum-body", .number(4_096...1_048_576, unlimited: "0"),
        "the largest content of a request in bytes", standard: limits.maximumBodySize)
    static let formFields = Setting(
        "maximum-form-fields", .number(8...10_000, unlimited: "0"),
        "the largest number of fields in a form", standard: contents.maximumFormFields)
    static let jsonMembers = Setting(
        "maximum-json-members", .number(4...10_000, unlimited: "0"),
        "the largest number of members in a JSON object", standard: contents.maximumJSONMembers)
    static let connections = Setting(
        "maximum-connections", .number(1...1_000_000, unlimited: "0"),
        "the largest number of connections", standard: limits.maximumConnections)
    static let connectionsOfOneAddress = Setting(
        "maximum-connections-of-one-address", .number(1...1_000_000, unlimited: "0"),
        "the largest number of connections from one address, or one /64 network of IPv6",
        standard: limits.maximumConnectionsOfOneAddress)
    static let timeout = Setting(
        "timeout", .time("1s", "10m", unlimited: "0"),
        "the time limit for receiving a request, for sending an answer, and for an idle connection",
        standard: limits.timeout)
    static let sessions = Setting(
        "maximum-sessions", .number(1...10_000, unlimited: "0"),
        "the largest number of sessions of an account; a further sign-in ends the least recently used one",
        standard: rules.maximumSessions)
    static let accessTokens = Setting(
        "maximum-access-tokens", .number(1...100_000, unlimited: "0"),
        "the number of valid access tokens of a session; a further one revokes the oldest",
        standard: rules.maximumAccessTokens)
    static let replacedTokens = Setting(
        "maximum-replaced-tokens", .number(16...1_000_000, unlimited: "0"),
        "the number of replaced refresh tokens kept for each session, to detect their reuse",
        standard: rules.maximumReplacedTokens)
    static let stopTimeout = Setting(
        "stop-timeout", .time("1s", "1h", unlimited: "0"),
        "the time limit for requests in progress after a signal to stop", standard: "30s")

    // Inboxes.
    static let hourlyOfSender = Setting(
        "sender-hourly", .number(1...100_000, unlimited: "0"),
        "the number of messages of one sender to one inbox in an hour",
        standard: rules.pushing.hourlyOfSender)
    static let waitingOfSender = Setting(
        "sender-waiting", .number(1...100_000, unlimited: "0"),
        "the number of waiting messages of one sender in one inbox",
        standard: rules.pushing.waitingOfSender)
    static let hourlyOfInbox = Setting(
        "inbox-hourly", .number(1...1_000_000, unlimited: "0"),
        "the number of messages to one inbox in an hour", standard: rules.pushing.hourlyOfInbox)
    static let waitingOfInbox = Setting(
        "inbox-waiting", .number(1...1_000_000, unlimited: "0"),
        "the number of waiting messages in one inbox", standard: rules.pushing.waitingOfInbox)
    static let messageLifetime = Setting(
        "message-lifetime", .time("1m", "365d", unlimited: "0"),
        "the longest time that a message waits", standard: rules.pushing.longestLife)
    static let inboxes = Setting(
        "maximum-inboxes", .number(1...10_000, unlimited: "0"),
        "the largest number of inboxes of an account", standard: rules.pushing.maximumInboxes)
    static let subscriptions = Setting(
        "maximum-subscriptions", .number(1...100_000, unlimited: "0"),
        "the largest number of senders of an inbox", standard: rules.pushing.maximumSubscriptions)

    static let syncQuota = Setting(
        "sync-quota", .number(8...16_777_216, unlimited: "0"),
        "the room of an account for sync in MiB, of which 1 MiB is kept for devices and recovery",
        standard: rules.syncing.quota / 1_048_576)

    // Limits of guesses.
    static let freeFailures = Setting(
        "guess-free-failures", .number(1...1_000, unlimited: "0"),
        "the number of wrong passwords for one name from one network, or from a known device, within guess-period",
        standard: rules.guessing.freeFailures)
    static let nameFailures = Setting(
        "guess-name-failures", .number(1...1_000, unlimited: "0"),
        "the number of wrong passwords for one name from all networks within guess-period; at least guess-free-failures",
        standard: rules.guessing.nameFailures)
    static let guessPeriod = Setting(
        "guess-period", .time("1m", "24h"), "how long a wrong password counts",
        standard: rules.guessing.period)
    static let networkAttempts = Setting(
        "guess-network-attempts", .number(1...100_000, unlimited: "0"),
        "the number of attempts at once from one address, or one /64 network of IPv6; 4 times for /24 and /56, 16 times for /48",
        standard: rules.guessing.networkAttempts)
    static let networkPeriod = Setting(
        "guess-network-period", .time("1s", "24h", unlimited: "0"),
        "the time in which a network regains all its attempts",
        standard: rules.guessing.networkPeriod)
    static let rememberedKeys = Setting(
        "guess-table", .number(1_000...100_000_000, unlimited: "0"),
        "the number of names, and of networks, with an own counter; further ones share some",
        standard: rules.guessing.maximumKeys)
    static let deviceLifetime = Setting(
        "known-device-lifetime", .time("1h", "365d", unlimited: "0"),
        "how long after a sign-in the guesses of others do not delay sign-ins from its device",
        standard: rules.guessing.knownDeviceLifetime)
    static let devices = Setting(
        "known-devices", .number(1...1_000, unlimited: "0"),
        "the number of such devices of an account; the least recently used are forgotten",
        standard: rules.guessing.maximumKnownDevices)

    /// All settings, in the order of the documents.
    static let all: [any AnySetting] = [
        listen, issuer, trustedProxy, metricsClients, database, pseudonymKey, certificate, key,
        plainHTTP, protectedElsewhere,
        registration, invitationLifetime, passes, memory, accessLifetime, refreshLifetime,
        sessionLifetime,
        workers, waiting, storageWorkers, storageWaiting, threads, bodySize, formFields,
        jsonMembers, connections, connectionsOfOneAddress, timeout, sessions, accessTokens,
        replacedTokens, stopTimeout,
        hourlyOfSender, waitingOfSender, hourlyOfInbox, waitingOfInbox, messageLifetime, inboxes,
        subscriptions, syncQuota,
        freeFailures, nameFailures, guessPeriod, networkAttempts, networkPeriod, rememberedKeys,
        deviceLifetime, devices,
    ]

    /// The setting with a name.
    static func setting(_ name: String) -> (any AnySetting)? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}

/// The policy for creating accounts.
enum Registration: String, CaseIterable, Sendable {
    /// People with an invitation.
    case invitation
    /// Every person.
    case open
}

extension Setting where Value == Int {
    /// Describes a setting with a default in another type.
    fileprivate init(
        _ name: String, _ type: SettingType<Int>, _ help: String, standard: some BinaryInteger
    ) {
        self.init(name, type, help, standard: String(standard))
    }
}

extension Setting where Value == Duration {
    /// Describes a setting with a default in another type, in whole seconds.
    fileprivate init(
        _ name: String, _ type: SettingType<Duration>, _ help: String, standard: Duration
    ) {
        let seconds = UInt64(clamping: standard.components.seconds)
        let text =
            seconds % 86_400 == 0 ? "\(seconds / 86_400)d" : TimeSpan(seconds: seconds).text
        self.init(name, type, help, standard: text)
    }
}

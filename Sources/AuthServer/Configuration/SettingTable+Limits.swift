/// What the server puts up with.
extension SettingTable {
    /// The workers.
    static let workers = Setting(
        "workers", .number(1...1_024, orNone: true),
        "how many passwords are verified at once; each takes password-memory",
        otherwise: "the number of processors")
    /// The queue for the workers.
    static let waiting = Setting(
        "waiting", .number(1...100_000, orNone: true),
        "how many requests wait for a worker; more are told to come back", standard: "16")
    /// The workers of the database.
    static let storageWorkers = Setting(
        "database-workers", .number(1...256, orNone: true),
        "how many requests use the database at once", standard: "4")
    /// The queue for them.
    static let storageWaiting = Setting(
        "database-waiting", .number(1...100_000, orNone: true),
        "how many requests wait for the database; more are told to come back", standard: "1024")
    /// The threads.
    static let threads = Setting(
        "threads", .number(1...256, orNone: true),
        "how many threads read requests and write answers, of any number of clients; without a limit there is one for each processor",
        standard: "2")
    /// The size of contents.
    static let bodySize = Setting(
        "maximum-body", .number(1_024...1_048_576, orNone: true),
        "the largest content of a request in bytes", standard: "16384")
    /// The fields of forms.
    static let formFields = Setting(
        "maximum-form-fields", .number(8...10_000, orNone: true),
        "how many fields a form may have", standard: "32")
    /// The members of objects.
    static let jsonMembers = Setting(
        "maximum-json-members", .number(4...10_000, orNone: true),
        "how many members a JSON object may have", standard: "16")
    /// The connections.
    static let connections = Setting(
        "maximum-connections", .number(1...1_000_000, orNone: true),
        "how many connections there may be", standard: "4096")
    /// The connections of one address.
    static let connectionsOfOneAddress = Setting(
        "maximum-connections-of-one-address", .number(1...1_000_000, orNone: true),
        "how many connections there may be from one address, or one /64 network of IPv6",
        standard: "256")
    /// The time-out.
    static let timeout = Setting(
        "timeout", .time("1s", "10m", orNone: true),
        "how long a request may take to arrive, an answer to be fetched, and a connection to do nothing",
        standard: "10s")
    /// The time-out of the end.
    static let stopTimeout = Setting(
        "stop-timeout", .time("1s", "1h", orNone: true),
        "how long requests under way may take to be answered after a signal to end",
        standard: "30s")

    /// The sessions of an account.
    static let sessions = Setting(
        "maximum-sessions", .number(1...10_000, orNone: true),
        "how many sessions an account may have; a further sign-in ends the one used longest ago",
        standard: "100")

    /// The access tokens of a session.
    static let accessTokens = Setting(
        "maximum-access-tokens", .number(1...100_000, orNone: true),
        "how many access tokens of one session are good at once; a further one ends the oldest",
        standard: "256")
    /// The replaced tokens of a session.
    static let replacedTokens = Setting(
        "maximum-replaced-tokens", .number(16...1_000_000, orNone: true),
        "how many replaced refresh tokens of one session are kept, so that their reuse is noticed",
        standard: "1024")

    /// The failures without consequence.
    static let freeFailures = Setting(
        "guess-free-failures", .number(1...1_000, orNone: true),
        "how many wrong passwords for one name have no consequence", standard: "5")
    /// The first delay.
    static let firstDelay = Setting(
        "guess-first-delay", .time("1s", "24h", orNone: true),
        "how long a name is closed after that; each further failure doubles it", standard: "30s")
    /// The longest delay.
    static let longestDelay = Setting(
        "guess-longest-delay", .time("1s", "24h", orNone: true),
        "how long a name is closed at most", standard: "15m")
    /// The memory for failures.
    static let memoryOfFailures = Setting(
        "guess-memory", .time("1m", "365d", orNone: true),
        "how long after the last one the failures of a name are forgotten", standard: "24h")
    /// The attempts of a network.
    static let networkAttempts = Setting(
        "guess-network-attempts", .number(1...100_000, orNone: true),
        "how many attempts of one address, or one /64 network of IPv6, are possible at once",
        standard: "15")
    /// The time in which a network gets its attempts back.
    static let networkPeriod = Setting(
        "guess-network-period", .time("1s", "24h", orNone: true),
        "the time in which it gets all of them back", standard: "1m")
    /// The size of the table.
    static let rememberedKeys = Setting(
        "guess-table", .number(1_000...100_000_000, orNone: true),
        "of how many names and networks attempts are remembered; the oldest are forgotten",
        standard: "100000")
    /// How long a place is known.
    static let placeLifetime = Setting(
        "known-place-lifetime", .time("1h", "365d", orNone: true),
        "how long after a sign-in the failures of others do not count at its network",
        standard: "180d")
    /// How many places are known.
    static let places = Setting(
        "known-places", .number(1...1_000, orNone: true),
        "how many such networks an account has; those used last stay", standard: "16")

    /// All of them.
    static let limits: [SettingDescription] = [
        workers.description, waiting.description, storageWorkers.description,
        storageWaiting.description, threads.description, bodySize.description,
        formFields.description, jsonMembers.description,
        connections.description, connectionsOfOneAddress.description, timeout.description,
        sessions.description, accessTokens.description, replacedTokens.description,
        stopTimeout.description,
        freeFailures.description, firstDelay.description, longestDelay.description,
        memoryOfFailures.description, networkAttempts.description, networkPeriod.description,
        rememberedKeys.description, placeLifetime.description, places.description,
    ]
}

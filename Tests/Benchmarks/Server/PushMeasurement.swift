internal import Accounts
internal import Database
internal import TextCoding

/// Pushes on connections that are kept alive, against a constant answer of the same server: its metadata.
enum PushMeasurement {
    private static let connections = 64

    static func run(
        _ effort: ServerEffort, _ accounts: SampleAccounts, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let title = "pushes a second, \(connections) connections"
        guard let wrk = LoadGenerator.path else {
            table.add(title, skipped: "needs Debian's package wrk")
            return
        }
        let database = folder.path(of: "push.db")
        let repository = try AccountRepository.openOrCreate(.file(database))
        defer { repository.close() }
        try accounts.fill(repository)
        let inboxes = try SampleInboxes(
            count: 100, subscriptions: 10, of: accounts, in: repository)
        let server = try AuthServerProcess(
            database: database, named: "push",
            // A message a minute is no load. Those that wait are counted and limited as usual.
            settings: ["sender-hourly = 0", "inbox-hourly = 0"], in: folder)
        defer { server.end() }
        let metadata = HTTPText.get("/.well-known/oauth-authorization-server")
        let constant = try HTTPConnection(port: server.port).ask(metadata)
        let sample = try HTTPConnection(port: server.port).ask(
            HTTPText.push(inboxes.endpoints[0]))
        guard constant.status == 200, sample.status == 201 else {
            throw BenchmarkFailure("answers \(constant.status) and \(sample.status)")
        }
        let pushing = try LoadGenerator(
            wrk, connections: connections, seconds: effort.loadSeconds,
            requests: inboxes.endpoints.map(HTTPText.push), named: "push", in: folder)
        let asking = try LoadGenerator(
            wrk, connections: connections, seconds: effort.loadSeconds, requests: [metadata],
            named: "metadata", in: folder)
        var latencies: [Double] = []
        var pushed = 0.0
        let rates = try PairedTimes.measure(rounds: effort.rounds) {
            let waiting = try forgetAll(repository)
            guard Double(waiting) >= pushed else {
                throw BenchmarkFailure("\(pushed) messages were accepted, and \(waiting) waited")
            }
            let (load, _) = try pushing.run(server.process, sample.size)
            latencies.append(load.slowest)
            pushed = load.count
            return load.rate
        } _: {
            try asking.run(server.process, constant.size).load.rate
        }
        table.add(rates: title, rates, against: "the same server, a constant", atLeast: 0.3)
        table.add("push under that load, 99th percentile", .time(latencies.median))
    }

    /// Removes all messages.
    ///
    /// - Returns: How many waited.
    private static func forgetAll(_ repository: AccountRepository) throws -> Int {
        let tomorrow = PointInTime.now.advanced(by: .seconds(24 * 60 * 60))
        return try repository.change {
            try $0.purgeInboxes(expiredBefore: tomorrow, endedBefore: PointInTime.now)
        }
    }
}

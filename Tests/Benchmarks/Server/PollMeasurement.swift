internal import Accounts
internal import Database
internal import Platform

/// Ten thousand clients that wait for messages: what they cost in memory, and what those who sign in notice of them.
enum PollMeasurement {
    private static let count = 10_000
    /// As many as one inbox may have.
    private static let ofInbox = 8

    static func run(
        _ effort: ServerEffort, _ accounts: SampleAccounts, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let title = "server's memory, 10,000 idle polls"
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur >= UInt(count + 1_000)
        else {
            table.add(title, skipped: "needs a limit of \(count + 1_000) open files")
            return
        }
        let database = folder.path(of: "poll.db")
        let repository = try AccountRepository.openOrCreate(.file(database))
        defer { repository.close() }
        try accounts.fill(repository)
        let inboxes = try SampleInboxes(
            count: count / ofInbox, subscriptions: 1, of: accounts, in: repository)
        let settings = [
            "maximum-connections = 0", "maximum-connections-of-one-address = 0",
            "guess-network-attempts = 0",
        ]
        let server = try AuthServerProcess(
            database: database, named: "poll", settings: settings, in: folder)
        defer { server.end() }
        let quiet = try AuthServerProcess(
            database: database, named: "no-poll", settings: settings, in: folder)
        defer { quiet.end() }
        let rest = try server.process.mebibytes("VmRSS:")
        var polls = try begin(count, inboxes, server)
        let held = try server.process.mebibytes("VmRSS:")
        table.add(
            title, .mebibytes(held), against: "at rest", .mebibytes(rest), atMost: .mebibytes(400))
        var times: (with: [Double], without: [Double]) = ([], [])
        let clients = ServerMeasurements.processors
        for round in 0..<(2 * effort.rounds) {
            let busy = round.isMultiple(of: 2)
            let outcome = try SignInMeasurement.signIns(
                2 * effort.signIns, accounts, [busy ? server : quiet], clients: clients)
            if busy {
                times.with += outcome.times
            } else {
                times.without += outcome.times
            }
        }
        let (with, without) = (times.with.percentile(99), times.without.percentile(99))
        table.add(
            "sign-in meanwhile, 99th percentile", .time(with), against: "without polls",
            .time(without), ratio: with / without, aim: 1.1)
        try expectMessage(inboxes, server, &polls, into: &table)
    }

    /// Connects, and waits until the server holds all requests.
    private static func begin(
        _ count: Int, _ inboxes: SampleInboxes, _ server: AuthServerProcess
    ) throws -> [HTTPConnection] {
        let polls = try (0..<count).map { number in
            let connection = try HTTPConnection(port: server.port)
            try connection.send(
                HTTPText.poll(inboxes.receiving[number % inboxes.receiving.count]))
            return connection
        }
        for _ in 0..<600 {
            let metrics = try HTTPConnection(port: server.port).ask(HTTPText.get("/metrics"))
            if metrics.text.contains("\ntaskvault_held_requests \(count)\n") { return polls }
            usleep(100_000)
        }
        throw BenchmarkFailure("the server does not hold \(count) requests")
    }

    /// Pushes a message into each of some inboxes: its polls end, and no others.
    private static func expectMessage(
        _ inboxes: SampleInboxes, _ server: AuthServerProcess, _ polls: inout [HTTPConnection],
        into table: inout Table
    ) throws {
        var times: [Double] = []
        for number in 0..<100 {
            times.append(
                try Clock.time {
                    let answer = try HTTPConnection(port: server.port).ask(
                        HTTPText.push(inboxes.endpoints[number]))
                    guard answer.status == 201 else {
                        throw BenchmarkFailure("a push got \(answer.status)")
                    }
                    while polls[number].complete == nil {
                        guard try polls[number].receive() else {
                            throw BenchmarkFailure("a poll got no answer")
                        }
                    }
                })
        }
        table.add(
            "from push to the end of the poll, 99th percentile", .time(times.percentile(99)),
            atMost: .time(1e9))
    }
}

internal import Accounts
internal import Database
internal import Platform
internal import Synchronization

/// A thousand sign-ins at once: what they cost in memory, and what others notice of them.
enum FloodMeasurement {
    static func run(
        _ effort: ServerEffort, _ accounts: SampleAccounts, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let database = folder.path(of: "flood.db")
        let repository = try AccountRepository.openOrCreate(.file(database))
        defer { repository.close() }
        try accounts.fill(repository)
        let server = try AuthServerProcess(
            database: database, named: "flood",
            // All come from one address: its limits would refuse nearly all of them, at little cost.
            settings: [
                "guess-network-attempts = 0", "maximum-connections-of-one-address = 0",
                "timeout = 60s",
            ], in: folder)
        defer { server.end() }
        _ = try SignInMeasurement.signIns(1, accounts, [server], clients: 1)
        let rest = try server.process.mebibytes("VmRSS:")
        let quiet = try HealthSampler(port: server.port)
        usleep(1_000_000)
        let quietTimes = try quiet.end()
        let few = try flood(server, accounts.entries.prefix(200))
        let peakOfFew = try server.process.mebibytes("VmHWM:")
        let health = try HealthSampler(port: server.port)
        var statuses: [Int: Int] = [:]
        for _ in 0..<effort.floods {
            for status in try flood(server, accounts.entries[...]) {
                statuses[status, default: 0] += 1
            }
        }
        let times = try health.end()
        guard Set(statuses.keys).union(few).isSubset(of: [200, 429, 503]),
            statuses[200, default: 0] > 0,
            statuses.values.reduce(0, +) == effort.floods * accounts.entries.count
        else { throw BenchmarkFailure("answers to a flood of sign-ins: \(statuses)") }
        let peak = try server.process.mebibytes("VmHWM:") - rest
        let workers = ServerMeasurements.processors
        let derivations = Double(workers * 64)
        let name = "1,000 sign-ins at once"
        table.add("server's memory, at rest", .mebibytes(rest))
        table.add(
            "  more at most, 200 sign-ins at once", .mebibytes(peakOfFew - rest),
            against: "\(workers) × 64 MiB", .mebibytes(derivations),
            atMost: .mebibytes(derivations + 32))
        table.add(
            "  more at most, \(name)", .mebibytes(peak), against: "\(workers) × 64 MiB",
            .mebibytes(derivations), ratio: peak / derivations)
        for status in [200, 429, 503] {
            table.add(
                "  of \(name), answered \(status)",
                .count(statuses[status, default: 0] / effort.floods))
        }
        table.add(
            "GET /health meanwhile, 99th percentile", .time(times.percentile(99)),
            against: "without load", .time(quietTimes.percentile(99)), atMost: .time(100e6))
        table.add("GET /health meanwhile, median", .time(times.median))
    }

    /// Sends a sign-in for each account, all at once, each on a connection of its own.
    ///
    /// - Returns: The statuses of the answers.
    private static func flood(
        _ server: AuthServerProcess, _ accounts: ArraySlice<SampleAccounts.Entry>
    ) throws -> [Int] {
        let connections = try accounts.map { _ in try HTTPConnection(port: server.port) }
        for (connection, account) in zip(connections, accounts) {
            try connection.send(HTTPText.signIn(account.email))
        }
        var waiting = connections
        while !waiting.isEmpty {
            var events = waiting.map {
                pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
            }
            guard unsafe poll(&events, nfds_t(events.count), 60_000) > 0 else {
                throw BenchmarkFailure("\(waiting.count) sign-ins got no answer")
            }
            for (connection, event) in zip(waiting, events) where event.revents != 0 {
                guard try connection.receive() else {
                    throw BenchmarkFailure("a sign-in got no answer")
                }
            }
            waiting.removeAll { $0.complete != nil }
        }
        return connections.compactMap { $0.complete?.status }
    }
}

/// Asks for `/health` again and again, every few milliseconds, in a thread of its own.
private final class HealthSampler {
    private let result = Mutex<(times: [Double], failure: String?)>(([], nil))
    private let isEnding = Atomic(false)
    private var thread: Thread?

    init(port: UInt16) throws {
        let connection = try HTTPConnection(port: port)
        thread = Thread { [self] in
            while !isEnding.load(ordering: .relaxed) {
                do {
                    let time = try Clock.time {
                        let status = try connection.ask(HTTPText.get("/health")).status
                        guard status == 200 else {
                            throw BenchmarkFailure("/health answers \(status)")
                        }
                    }
                    result.withLock { $0.times.append(time) }
                } catch {
                    let text = "\(error)"
                    return result.withLock { $0.failure = text }
                }
                usleep(2_000)
            }
        }
    }

    /// Ends the thread.
    ///
    /// - Returns: How long each answer took, in nanoseconds.
    func end() throws -> [Double] {
        isEnding.store(true, ordering: .relaxed)
        thread?.join()
        let (times, failure) = result.withLock { ($0.times, $0.failure) }
        if let failure { throw BenchmarkFailure(failure) }
        return times
    }
}

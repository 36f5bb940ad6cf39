internal import Accounts
internal import Database
internal import Synchronization
internal import TestSupport

/// One and two servers on one PostgreSQL server, which syncs.
enum TwoServersMeasurement {
    private static let clients = 8

    static func run(
        _ effort: ServerEffort, _ accounts: SampleAccounts, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let title = "refreshes a second, two servers, PostgreSQL"
        guard PostgreSQLServer.isWanted else {
            table.add(title, skipped: PostgreSQLServer.reason)
            return
        }
        let postgres = try PostgreSQLServer(settings: ["fsync=on"])
        defer { postgres.stop() }
        let repository = try AccountRepository.openOrCreate(
            .server(PostgreSQLAddress(postgres.address())))
        defer { repository.close() }
        try accounts.fill(repository)
        var servers: [AuthServerProcess] = []
        defer { for server in servers { server.end() } }
        for name in ["first", "second"] {
            servers.append(
                try AuthServerProcess(
                    database: postgres.address(), named: name,
                    settings: ["guess-network-attempts = 0"], in: folder))
        }
        let both = servers
        let tokens = Mutex(accounts.entries.map(\.refresh))
        let refreshes = try PairedTimes.measure(rounds: effort.rounds) {
            try refresh(effort.refreshes, tokens, both)
        } _: {
            try refresh(effort.refreshes, tokens, [both[0]])
        }
        let threads = ServerMeasurements.processors
        let signIns = try PairedTimes.measure(rounds: effort.rounds) {
            try SignInMeasurement.signIns(
                effort.signIns, accounts, both, clients: 4 * threads
            ).rate
        } _: {
            try SharedWork.run(effort.signIns, threads: threads) { _ in
                { _ in try BareVerification.verify(SampleAccounts.password, accounts.hash) }
            }.rate
        }
        try accounts.requireSameHashes(repository)
        table.add(rates: title, refreshes, against: "one server, \(clients) clients too")
        table.add(
            rates: "sign-ins a second, two servers, PostgreSQL", signIns,
            against: "crypto_pwhash_str_verify, \(threads) threads")
    }

    /// Refreshes so often, each client with a token of its own, which is replaced by its successor. The next call takes other sessions: one
    /// that is refreshed a thousand times in an hour is ended.
    private static func refresh(
        _ count: Int, _ tokens: borrowing Mutex<[String]>, _ servers: [AuthServerProcess]
    ) throws -> Double {
        let last = Mutex(tokens.withLock { Array($0.prefix(clients)) })
        let outcome = try SharedWork.run(count, threads: clients) { client in
            let connection = try HTTPConnection(port: servers[client % servers.count].port)
            return { _ in
                let token = last.withLock { $0[client] }
                let next = try connection.ask(HTTPText.refresh(token)).member("refresh_token")
                last.withLock { $0[client] = next }
            }
        }
        let next = last.withLock { $0 }
        tokens.withLock { $0 = $0.dropFirst(clients) + next }
        return outcome.rate
    }
}

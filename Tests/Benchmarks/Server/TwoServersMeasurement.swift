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
            try RefreshMeasurement.refresh(effort.refreshes, tokens, both, clients: clients)
        } _: {
            try RefreshMeasurement.refresh(
                effort.refreshes, tokens, [both[0]], clients: clients)
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
}

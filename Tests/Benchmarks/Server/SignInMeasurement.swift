internal import Accounts
internal import Database

/// Sign-ins with a password over HTTP, with all limits on guessing, against bare verifications on as many threads.
enum SignInMeasurement {
    static func run(
        _ effort: ServerEffort, _ accounts: SampleAccounts, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let database = folder.path(of: "sign-in.db")
        let repository = try AccountRepository.openOrCreate(.file(database))
        defer { repository.close() }
        try accounts.fill(repository)
        let server = try AuthServerProcess(database: database, named: "sign-in", in: folder)
        defer { server.end() }
        let threads = ServerMeasurements.processors
        let derived = try server.count(of: "argon2")
        var asked = 0
        var latencies: [Double] = []
        let rates = try PairedTimes.measure(rounds: effort.rounds) {
            let outcome = try signIns(effort.signIns, accounts, [server], clients: 2 * threads)
            if asked > 0 { latencies += outcome.times }
            asked += effort.signIns
            return outcome.rate
        } _: {
            try SharedWork.run(effort.signIns, threads: threads) { _ in
                { _ in try BareVerification.verify(SampleAccounts.password, accounts.hash) }
            }.rate
        }
        guard try server.count(of: "argon2") - derived == asked else {
            throw BenchmarkFailure("the server did not derive once for each sign-in")
        }
        try accounts.requireSameHashes(repository)
        table.add(
            rates: "sign-ins a second, \(2 * threads) clients", rates,
            against: "crypto_pwhash_str_verify, \(threads) threads", atLeast: 0.95)
        table.add("sign-in under that load, median", .time(latencies.median))
        table.add("sign-in under that load, 99th percentile", .time(latencies.percentile(99)))
    }

    /// Signs in so often; the clients take the servers in turn, and the accounts, too.
    static func signIns(
        _ count: Int, _ accounts: SampleAccounts, _ servers: [AuthServerProcess], clients: Int
    ) throws -> SharedWork.Outcome {
        try SharedWork.run(count, threads: clients) { client in
            let connection = try HTTPConnection(port: servers[client % servers.count].port)
            return { number in
                let account = accounts.entries[number % accounts.entries.count]
                _ = try connection.ask(HTTPText.signIn(account.email)).member("access_token")
            }
        }
    }
}

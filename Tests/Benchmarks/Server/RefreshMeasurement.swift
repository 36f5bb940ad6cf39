internal import Accounts
internal import Database
internal import SecretMemory
internal import Synchronization
internal import TextCoding

/// Refreshes, which share commits, against the same ones without HTTP and with a commit each, as many at once as there are processors.
enum RefreshMeasurement {
    private static let connections = 64

    static func run(
        _ effort: ServerEffort, _ accounts: SampleAccounts, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let database = folder.path(of: "refresh.db")
        let repository = try AccountRepository.openOrCreate(.file(database))
        defer { repository.close() }
        try accounts.fill(repository)
        let server = try AuthServerProcess(database: database, named: "refresh", in: folder)
        defer { server.end() }
        let alone = try AccountRepository.openOrCreate(.file(folder.path(of: "alone.db")))
        defer { alone.close() }
        try accounts.fill(alone)
        guard let pseudonyms = PseudonymKey(try SecretBytes(count: 32)) else {
            throw BenchmarkFailure("no key")
        }
        let service = try AccountService(repository: alone, pseudonyms: pseudonyms)
        let tokens = Mutex(accounts.entries.map(\.refresh))
        let ownTokens = Mutex(accounts.entries.map(\.refresh))
        let rates = try PairedTimes.measure(rounds: effort.rounds) {
            try refresh(4 * effort.refreshes, tokens, [server], clients: connections)
        } _: {
            try refresh(effort.refreshes, ownTokens, clients: ServerMeasurements.processors) { _ in
                { token in
                    let outcome = try service.refresh(
                        token, client: OAuthClientName.taskvault, at: .now)
                    guard case .issued(let issued) = outcome else {
                        throw BenchmarkFailure("a token was refused")
                    }
                    return issued.refresh
                }
            }
        }
        table.add(
            rates: "refreshes a second, \(connections) connections", rates,
            against: "without HTTP, a commit each", atLeast: 2)
    }

    /// Refreshes so often at servers, which the clients take in turn.
    ///
    /// - Returns: Refreshes a second.
    static func refresh(
        _ count: Int, _ tokens: borrowing Mutex<[String]>, _ servers: [AuthServerProcess],
        clients: Int
    ) throws -> Double {
        try refresh(count, tokens, clients: clients) { client in
            let connection = try HTTPConnection(port: servers[client % servers.count].port)
            return { try connection.ask(HTTPText.refresh($0)).member("refresh_token") }
        }
    }

    /// Refreshes so often, each client with a token of its own, which is replaced by its successor. The next call takes other sessions: one
    /// that is refreshed a thousand times in an hour is ended.
    private static func refresh(
        _ count: Int, _ tokens: borrowing Mutex<[String]>, clients: Int,
        _ prepare: (_ client: Int) throws -> (_ token: String) throws -> String
    ) throws -> Double {
        let last = Mutex(tokens.withLock { Array($0.prefix(clients)) })
        let outcome = try SharedWork.run(count, threads: clients) { client in
            let successor = try prepare(client)
            return { _ in
                let token = last.withLock { $0[client] }
                let next = try successor(token)
                last.withLock { $0[client] = next }
            }
        }
        let next = last.withLock { $0 }
        tokens.withLock { $0 = $0.dropFirst(clients) + next }
        return outcome.rate
    }
}

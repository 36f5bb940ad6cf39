internal import Accounts
internal import Database
internal import Synchronization

/// The sign-ins of an owner on a known device, while others poll the name from the same network as fast as they can.
enum AttackMeasurement {
    private static let tries = 50
    private static let attackers = 4

    static func run(
        _ accounts: SampleAccounts, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let database = folder.path(of: "attack.db")
        let repository = try AccountRepository.openOrCreate(.file(database))
        defer { repository.close() }
        try accounts.fill(repository)
        let server = try AuthServerProcess(database: database, named: "attack", in: folder)
        defer { server.end() }
        let owner = try HTTPConnection(port: server.port)
        let email = accounts.entries[0].email
        let device = try owner.ask(HTTPText.signIn(email)).member("device_token")
        let isEnding = Atomic(false)
        let polls = Mutex<(refused: Int, failure: String?)>((0, nil))
        let threads = (0..<attackers).map { _ in
            Thread {
                do {
                    let connection = try HTTPConnection(port: server.port)
                    while !isEnding.load(ordering: .relaxed) {
                        let status = try connection.ask(HTTPText.signIn(email, "a guess of it"))
                            .status
                        if status == 429 { polls.withLock { $0.refused += 1 } }
                    }
                } catch {
                    let text = "\(error)"
                    polls.withLock { $0.failure = text }
                }
            }
        }
        var times: [Double] = []
        do {
            defer {
                isEnding.store(true, ordering: .relaxed)
                for thread in threads { thread.join() }
            }
            for _ in 0..<tries {
                times.append(
                    try Clock.time {
                        _ = try owner.ask(HTTPText.signIn(email, device: device))
                            .member("access_token")
                    })
            }
        }
        let (refused, failure) = polls.withLock { $0 }
        if let failure { throw BenchmarkFailure(failure) }
        guard refused > tries else { throw BenchmarkFailure("nothing polled the name") }
        table.add(
            "sign-in on a known device while \(attackers) poll the name, longest of \(tries)",
            .time(times.max() ?? 0), atMost: .time(2e9))
        table.add("  refused polls meanwhile", .count(refused))
    }
}

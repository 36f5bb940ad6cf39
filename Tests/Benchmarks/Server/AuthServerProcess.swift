internal import Accounts
internal import Platform

/// `taskvault-authd serve` over a database, with what is asked of it.
struct AuthServerProcess {
    let process: ServerProcess

    /// Starts a server over a file or the address of a database; `settings` are lines of its configuration beside those of every measurement.
    init(
        database: String, named name: String, settings: [String] = [], in folder: ScratchFolder
    ) throws {
        let lines =
            ["listen = 127.0.0.1:0", "issuer = https://localhost", "threads = 2"]
            + [
                "database = \(database)", "workers = \(ServerMeasurements.processors)",
                "client \(SampleAccounts.clientName) = \(SampleAccounts.clientSecretHash)",
            ] + settings
        try folder.save(Array((lines.joined(separator: "\n") + "\n").utf8), as: name + ".conf")
        let configuration = folder.path(of: name + ".conf")
        unsafe chmod(configuration, 0o600)
        process = try ServerProcess(
            [
                TaskVaultExecutable.path + "-authd", "serve", "--configuration",
                configuration,
            ], log: name + ".log", in: folder)
    }

    var port: UInt16 { process.port }

    func end() { process.end() }

    /// A counter of `/metrics`.
    func count(of event: String) throws -> Int {
        let answer = try HTTPConnection(port: port).ask(HTTPText.get("/metrics"))
        let start = "taskvault_events_total{event=\"\(event)\"} "
        let line = answer.text.split(separator: "\n").first { $0.hasPrefix(start) }
        guard let line, let count = Int(line.dropFirst(start.count)) else {
            throw BenchmarkFailure("no counter \(event)")
        }
        return count
    }
}

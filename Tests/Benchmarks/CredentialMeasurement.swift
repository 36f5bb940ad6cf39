import Platform
import SecretMemory
import SecureStorage
import VaultAgent
import VaultCore

/// The time for which git waits, beside its own cache in memory, and what the log of reads adds to a read.
enum CredentialMeasurement {
    static func run(
        _ effort: Effort, _ vault: BenchmarkVault, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let home = try AgentHome(of: vault, in: folder, named: "git-home-\(vault.itemCount)")
        defer { home.end() }
        let client = try home.client()
        try client.unlock(with: .passphrase(try BenchmarkVault.passphrase()))
        try measureGit(effort, home, in: folder, into: &table)
        try measureLog(home, client, in: folder, into: &table)
    }

    private static func measureGit(
        _ effort: Effort, _ home: AgentHome, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let name = "git credential fill, \(home.itemCount) items"
        let git = "/usr/bin/git"
        guard unsafe access(git, X_OK) == 0 else {
            return table.add(name, skipped: "no git")
        }
        let socket = try folder.makeFolder("git-cache-\(home.itemCount)") + "/socket"
        let place = "protocol=https\\nhost=git.example\\n"
        func call(_ helper: String, _ operation: String, _ lines: String) -> [String] {
            [
                "/bin/sh", "-c",
                "printf '\(place)\(lines)\\n' | \(git) -c credential.helper='\(helper)' credential \(operation) >/dev/null",
            ]
        }
        let ours = "!\(home.executable) git-credential --home \(home.path)"
        let cache = "cache --socket=\(socket)"
        for helper in [ours, cache] {
            _ = try Child.time(call(helper, "approve", "username=ada\\npassword=sesame\\n"))
        }
        let times = try PairedTimes.measure(rounds: effort.rounds * 5) {
            try Child.time(call(ours, "fill", ""))
        } _: {
            try Child.time(call(cache, "fill", ""))
        }
        _ = try Child.time(["/bin/sh", "-c", "\(git) credential-cache --socket=\(socket) exit"])
        table.add(name, times, against: "git-credential-cache", aim: 1.6)
    }

    private static func measureLog(
        _ home: AgentHome, _ client: AgentClient, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let count = 20_000
        let names = try (0..<count).map { try Sample.name($0 % home.itemCount) }
        _ = try client.list()
        let read = try Clock.time { for name in names { _ = try client.value(of: name) } }
        let logs = try folder.makeFolder("log-\(home.itemCount)")
        let place = ReadLogPlace(folder: logs) { "00" }
        let log = ReadLog(place, now: VaultEnvironment.systemTime, random: .system)
        log.open([UInt8](repeating: 1, count: 16), in: MemorySecureStore(now: { 0 }))
        let program = ReadingProgram.own
        let noted = Clock.time {
            for name in names { log.add(name, by: program) }
            log.flush()
        }
        guard log.failure == 0 else { throw BenchmarkFailure("the log was not written") }
        log.close()
        table.add(
            "the log of an agent's read, \(home.itemCount) items", .time(noted / Double(count)),
            atMost: .time(0.2 * read / Double(count)))
    }
}

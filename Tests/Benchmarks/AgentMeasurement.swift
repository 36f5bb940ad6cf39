import Platform
import Sealing
import SecureStorage
import VaultAgent
import VaultCore
import VaultStorage

/// The costs of commands that ask the agent, and what the agent itself costs.
enum AgentMeasurement {
    /// The cheapest derivation that the executable accepts.
    static let cost = KeyDerivationCost(passes: 2, memoryKiB: 19 * 1_024)

    static func run(
        _ effort: Effort, _ large: BenchmarkVault, in folder: ScratchFolder,
        into table: inout Table
    ) throws {
        let small = try BenchmarkVault("ten.db", in: folder)
        _ = try small.timeFilling(upTo: 10)
        for vault in [small, large] {
            try vault.setCost(cost)
            let home = try AgentHome(
                of: vault, in: folder, named: "home-\(vault.itemCount)")
            defer { home.end() }
            try run(effort, home, into: &table)
        }
    }

    private static func run(
        _ effort: Effort, _ home: AgentHome, into table: inout Table
    ) throws {
        let size = "\(home.itemCount.formattedWithCommas) items"
        let client = try home.client()
        let secret = VaultSecret.passphrase(try BenchmarkVault.passphrase())
        try client.unlock(with: secret)
        let name = try Sample.name(home.itemCount / 2)

        let starts = try PairedTimes.measure(
            rounds: effort.rounds * 5,
            {
                try Child.time(
                    [
                        home.executable, "--home", home.path, "secret", "get", name.service,
                        name.account,
                    ])
            }, { try Child.time(["/bin/true"]) })
        table.add("secret get through the agent, \(size)", starts, against: "/bin/true")
        table.add(
            "  more than /bin/true", .time(starts.first.median - starts.second.median),
            atMost: .time(6e6))

        // Each bucket is verified before the rates are taken.
        _ = try client.list()
        let one = try Clients.rate(of: 1, requests: 20_000, home)
        let many = try Clients.rate(of: 50, requests: 20_000, home)
        table.add("reads a second, 1 connection, \(size)", .itemsPerSecond(one))
        table.add(
            "reads a second, 50 connections, \(size)", .itemsPerSecond(many),
            against: "1 connection", .itemsPerSecond(one), ratio: many / one, atLeast: .ratio(2))
        // An agent at rest has returned what the list and the clients needed.
        sleep(3)
        table.add(
            "agent's memory, unlocked, \(size)", .mebibytes(try home.residentMebibytes()),
            atMost: .mebibytes(40))
        let locking = try (0..<effort.rounds).map { round -> Double in
            if round > 0 {
                try client.unlock(with: secret)
                for number in 0..<100 { _ = try client.value(of: Sample.name(number % 10)) }
            }
            return try Clock.time { _ = try client.lock() }
        }
        table.add("from lock to wiped, \(size)", .time(locking.median))
        let held = try (0..<effort.rounds).map { _ in
            try client.unlock(with: secret)
            return try home.timeLockingDuringWrite(client)
        }
        table.add(
            "  during a write that waits, the slowest", .time(held.max() ?? 0),
            atMost: .time(100e6))
        table.add(
            "agent's memory, locked, \(size)", .mebibytes(try home.residentMebibytes()),
            atMost: .mebibytes(40))
    }
}

extension Int {
    fileprivate var formattedWithCommas: String {
        self < 1_000 ? "\(self)" : "\(self / 1_000)," + "\(1_000 + self % 1_000)".dropFirst()
    }
}

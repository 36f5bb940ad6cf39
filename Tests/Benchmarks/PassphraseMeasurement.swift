internal import Sealing
internal import VaultCore

/// A passphrase change that keeps the keys, with the cheapest derivation, so that what grows with the vault would show.
enum PassphraseMeasurement {
    static func run(_ effort: Effort, _ vaults: Vaults, into table: inout Table) throws {
        let times = try PairedTimes.measure(rounds: effort.rounds) {
            try change(vaults.large)
        } _: {
            try change(vaults.empty)
        }
        table.add(
            "passphrase change, keys kept, 100,000 items", times, against: "the same at 0 items",
            aim: 1.2)
    }

    private static func change(_ vault: BenchmarkVault) throws -> Double {
        try vault.authenticated { authenticated in
            let passphrase = try BenchmarkVault.passphrase()
            let start = Clock.now
            _ = try authenticated.changePassphrase(
                to: passphrase, cost: KeyDerivationCost(passes: 1, memoryKiB: 8), keepingKeys: true)
            return Clock.now - start
        }
    }
}

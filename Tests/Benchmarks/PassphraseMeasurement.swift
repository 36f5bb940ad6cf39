internal import Sealing
internal import VaultCore

/// New keys, with every row sealed again; the derivation of the passphrase is not in it.
enum RekeyMeasurement {
    static func run(
        _ effort: Effort, _ large: BenchmarkVault, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let medium = try BenchmarkVault("rekey.db", in: folder)
        _ = try medium.timeFilling(upTo: 10_000)
        for (vault, name, aim) in [(medium, "10,000", 0.5e9), (large, "100,000", 4e9)] {
            let times = try (0..<max(3, effort.slowRounds / 3)).map { _ in
                try vault.authenticated { authenticated in
                    let start = Clock.now
                    _ = try authenticated.rekey()
                    return Clock.now - start
                }
            }
            table.add("rekey of \(name)", .time(times.median), atMost: .time(aim))
        }
    }
}

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

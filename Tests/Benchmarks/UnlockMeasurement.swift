internal import TestSupport
internal import Sealing
internal import SecretMemory
internal import VaultCore
internal import VaultStorage

/// Unlocking with the passphrase, against the bare derivation with the same parameters.
enum UnlockMeasurement {
    static func run(_ effort: Effort, _ vaults: Vaults, into table: inout Table) throws {
        let memory = effort.cost.memoryKiB / 1_024
        let parameters = "\(effort.cost.passes) × \(memory) MiB"
        for vault in [vaults.empty, vaults.large] {
            try vault.setCost(effort.cost)
            let storage = try VaultDatabase.openFile(at: vault.path, mode: .readWrite)
            defer { storage.close() }
            let secret = VaultSecret.passphrase(try BenchmarkVault.passphrase())
            let times = try PairedTimes.measure(rounds: effort.slowRounds) {
                var unlocked: UnlockedVault?
                let time = try Clock.time {
                    unlocked = try LockedVault(storage, vault.environment).unlock(with: secret)
                }
                guard unlocked?.isVerified == true else { throw BenchmarkFailure("not unlocked") }
                return time
            } _: {
                try Clock.time {
                    _ = try BareDerivation.run(
                        BenchmarkVault.passphraseText, salt: [UInt8](repeating: 1, count: 16),
                        passes: UInt64(effort.cost.passes), memoryKiB: Int(effort.cost.memoryKiB))
                }
            }
            table.add(
                "unlock, \(vault.itemCount) items", times, against: "crypto_pwhash \(parameters)",
                aim: 1.05)
        }
    }
}

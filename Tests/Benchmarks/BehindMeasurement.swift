internal import SecretMemory
internal import VaultCore
internal import VaultStorage

/// Opening a vault of which this machine saw a commit long ago, against one that it saw last.
enum BehindMeasurement {
    private static let commits = 10_000

    static func run(_ effort: Effort, into table: inout Table) throws {
        let storage = try VaultDatabase.inMemory()
        let records = MemoryRollbackRecords()
        let recovery = VaultSecret.recoveryCode(
            try VaultCreation.create(
                in: storage, VaultEnvironment(rollbackRecords: records, limits: .testing),
                passphrase: try BenchmarkVault.passphrase(),
                cost: KeyDerivationCost(passes: 1, memoryKiB: 8)))
        func unlock(_ records: any RollbackRecords) throws -> UnlockedVault {
            try LockedVault(storage, VaultEnvironment(rollbackRecords: records, limits: .testing))
                .unlock(with: recovery)
        }
        guard let early = try records.read() else { throw BenchmarkFailure("no rollback record") }
        let vault = try unlock(records)
        for number in 0..<commits {
            try vault.changeSettings { $0[.idleLimit] = UInt32(600 + number % 2) }
        }
        let times = try PairedTimes.measure(rounds: effort.rounds) {
            try records.replace(with: early)
            return try Clock.time { _ = try unlock(records) }
        } _: {
            try Clock.time { _ = try unlock(records) }
        }
        table.add("open, 10,000 commits behind", times, against: "open, none behind")
        table.add(
            "  more than none behind", .time(times.first.median - times.second.median),
            atMost: .time(50e6))
    }
}

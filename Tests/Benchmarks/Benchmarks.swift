internal import Sealing

/// How much work a run does.
struct Effort: Sendable {
    /// What the derivation costs where unlocking is measured.
    let cost: KeyDerivationCost
    /// Rounds of what takes about a second.
    let slowRounds: Int
    /// Rounds of what takes milliseconds.
    let rounds: Int
    /// Saves, each of them synced.
    let saves: Int
    /// How long a service without work is watched, in seconds.
    let rest: UInt32
    /// The size of the file that goes in and out, in bytes.
    let fileSize: Int
    /// What a server has to do.
    let server: ServerEffort

    static let full = Effort(
        cost: .standard, slowRounds: 9, rounds: 41, saves: 1_000, rest: 600, fileSize: 1 << 30,
        server: .full)
    static let quick = Effort(
        cost: KeyDerivationCost(passes: 3, memoryKiB: 64 * 1_024), slowRounds: 5, rounds: 11,
        saves: 250, rest: 30, fileSize: 128 << 20, server: .quick)
}

/// Everything that is measured, in one run.
package enum Benchmarks {
    /// The size at which a vault counts as large.
    static let largeCount = 100_000

    /// What a run is about.
    enum Part: CaseIterable {
        case vault, secrets, services, files, tasks, reminders, app, server, signIn
    }

    /// Runs measurements and prints their table.
    ///
    /// - Returns: The exit code: 1 if a measurement failed, or if product and baseline did not do the same work.
    static func run(_ effort: Effort, _ parts: [Part] = Part.allCases) -> Int32 {
        do {
            ProductConnection.watch()
            let folder = try ScratchFolder()
            defer { folder.remove() }
            var table = Table()
            if parts.contains(.vault) { try runVault(effort, in: folder, into: &table) }
            if parts.contains(.secrets) {
                try EverydayMeasurement.run(effort, in: folder, into: &table)
            }
            #if os(Linux)
                if parts.contains(.services) {
                    try ServicesMeasurement.run(effort, in: folder, into: &table)
                }
            #endif
            if parts.contains(.files) {
                try FileMeasurement.run(effort, in: folder, into: &table)
            }
            if parts.contains(.tasks) {
                try TaskMeasurements.run(effort, in: folder, into: &table)
            }
            if parts.contains(.reminders) {
                try ReminderMeasurement.run(effort, in: folder, into: &table)
            }
            #if os(Linux)
                if parts.contains(.app) {
                    try AppMeasurement.run(effort, in: folder, into: &table)
                }
            #endif
            if parts.contains(.server) {
                try ServerMeasurements.run(effort.server, in: folder, into: &table)
            }
            if parts.contains(.signIn) {
                try SilentSignInMeasurement.run(effort, in: folder, into: &table)
                #if os(Linux)
                    try MessageMeasurement.run(in: folder, into: &table)
                #endif
            }
            table.print()
            return 0
        } catch {
            print("benchmark failed: \(error)")
            return 1
        }
    }

    private static func runVault(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let vaults = try ImportMeasurement.run(effort, in: folder, into: &table)
        try MemoryMeasurement.run(vaults.large, into: &table)
        try UnlockMeasurement.run(effort, vaults, into: &table)
        try BehindMeasurement.run(effort, into: &table)
        try FirstReadMeasurement.run(effort, vaults, into: &table)
        try ReadMeasurement.run(effort, vaults.large, in: folder, into: &table)
        try ForeignWriteMeasurement.run(effort, vaults.large, into: &table)
        try ListMeasurement.run(effort, vaults.large, into: &table)
        try PassphraseMeasurement.run(effort, vaults, into: &table)
        try AgentMeasurement.run(effort, vaults.large, in: folder, into: &table)
        // From here on vaults grow.
        let copies = try BareCopies(of: vaults.large, in: folder)
        try FirstSaveMeasurement.run(effort, vaults, copies, into: &table)
        try SaveMeasurement.run(effort, vaults, copies, into: &table)
        try PostgreSQLSaveMeasurement.run(effort, in: folder, into: &table)
        try RekeyMeasurement.run(effort, vaults.large, in: folder, into: &table)
    }
}

/// Why a run is worth nothing.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

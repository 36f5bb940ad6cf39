internal import Sealing

/// How much work a run does.
struct Effort: Sendable {
    /// The limits of the derivation where unlocking is measured.
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
    /// The effort of measurements of a server.
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

    /// The subjects of a run.
    enum Part: String, CaseIterable {
        case vault, secrets, services, files, tasks, reminders, sync, app, server
        case signIn = "sign-in"
        /// Only where it is named: its figures do not depend on the machine.
        case growth
    }

    /// Runs measurements, and prints the table of each part.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - isQuick: Whether fewer rounds suffice.
    ///   - json: A file that also gets the figures; nil for none.
    /// - Returns: The exit code: 1 if a measurement failed, if product and baseline did not do the same work, or if an operation grows.
    static func run(_ parts: [Part], isQuick: Bool, json: String?) -> Int32 {
        do {
            var report = try json.map { try BenchmarkReport($0, isQuick: isQuick) }
            ProductConnection.watch()
            let folder = try ScratchFolder()
            defer { folder.remove() }
            var status: Int32 = 0
            for part in parts {
                var table = Table()
                try measure(part, isQuick ? .quick : .full, in: folder, into: &table)
                print("\n\(part.rawValue)")
                for line in table.lines { print(line) }
                try report?.add(part, table)
                if part == .growth, table.rows.contains(where: { $0.isMet == false }) { status = 1 }
            }
            return status
        } catch {
            print("benchmark failed: \(error)")
            return 1
        }
    }

    private static func measure(
        _ part: Part, _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        switch part {
        case .vault: try runVault(effort, in: folder, into: &table)
        case .secrets: try EverydayMeasurement.run(effort, in: folder, into: &table)
        case .files: try FileMeasurement.run(effort, in: folder, into: &table)
        case .tasks: try TaskMeasurements.run(effort, in: folder, into: &table)
        case .reminders: try ReminderMeasurement.run(effort, in: folder, into: &table)
        case .sync: try SyncMeasurements.run(effort, in: folder, into: &table)
        case .server: try ServerMeasurements.run(effort.server, in: folder, into: &table)
        case .signIn:
            try SilentSignInMeasurement.run(effort, in: folder, into: &table)
            #if os(Linux)
                try MessageMeasurement.run(in: folder, into: &table)
            #endif
        #if os(Linux)
            case .services: try ServicesMeasurement.run(effort, in: folder, into: &table)
            case .app: try AppMeasurement.run(effort, in: folder, into: &table)
            case .growth: try GrowthMeasurement.run(in: folder, into: &table)
        #else
            case .services, .app, .growth:
                table.add(part.rawValue, skipped: "measured on Linux only")
        #endif
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

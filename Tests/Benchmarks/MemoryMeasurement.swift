internal import TestSupport
internal import Platform
internal import Sealing
internal import SecretMemory
internal import VaultCore
internal import VaultStorage

/// What a session needs that verified 100,000 items, in a process of its own, where nothing else was allocated before.
enum MemoryMeasurement {
    static let childArgument = "--memory"

    static func run(_ vault: BenchmarkVault, into table: inout Table) throws {
        let command = "'\(CommandLine.arguments[0])' benchmark \(childArgument) '\(vault.path)'"
        guard let output = unsafe popen(command, "r") else {
            throw BenchmarkFailure("no child process")
        }
        var line = [CChar](repeating: 0, count: 64)
        let isRead = unsafe fgets(&line, Int32(line.count), output) != nil
        guard unsafe pclose(output) == 0, isRead else {
            throw BenchmarkFailure("the child process failed")
        }
        let text = String(decoding: line.prefix { $0 != 10 }.map(UInt8.init), as: UTF8.self)
        let growth = text.split(separator: " ").compactMap { Double($0) }
        guard growth.count == 2 else { throw BenchmarkFailure("the child process said \(text)") }
        table.add("memory, 100,000 items verified", .mebibytes(growth[0] / 1_048_576))
        table.add("memory, peak while they are listed", .mebibytes(growth[1] / 1_048_576))
    }

    /// Prints how much the process grew, in bytes: by verification, and at most while listing.
    static func runChild(_ arguments: [String]) -> Int32 {
        do {
            ProductConnection.watch()
            let storage = try VaultDatabase.openFile(at: arguments[0], mode: .readOnly)
            let environment = VaultEnvironment(
                rollbackRecords: MemoryRollbackRecords(), limits: .testing)
            let vault = try LockedVault(storage, environment)
                .unlock(with: .passphrase(try BenchmarkVault.passphrase()))
            let open = unsafe OpenVault(
                vault: vault, storage: storage, connection: try ProductConnection.newest())
            let start = try ProcessStatus.kibibytes("VmRSS:")
            // So many items at random that each of the 256 buckets has one.
            for number in 0..<10_000 { _ = try open.reads(try Sample.name(number)) }
            let verified = try ProcessStatus.kibibytes("VmRSS:") - start
            _ = try vault.list()
            print((verified * 1_024), (try ProcessStatus.kibibytes("VmHWM:") - start) * 1_024)
            open.close()
            return 0
        } catch {
            print("failed: \(error)")
            return 1
        }
    }
}

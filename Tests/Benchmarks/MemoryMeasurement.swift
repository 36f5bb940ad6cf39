/// The memory of a session that verified 100,000 items, in a process of its own, where nothing else was allocated before.
enum MemoryMeasurement {
    static let childArgument = "--memory"

    static func run(_ vault: BenchmarkVault, into table: inout Table) throws {
        let text = try Child.output(
            of: "'\(CommandLine.arguments[0])' benchmark \(childArgument) '\(vault.path)'")
        let growth = text.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
        guard growth.count == 2 else { throw BenchmarkFailure("the child process said \(text)") }
        table.add("memory, 100,000 items verified", .mebibytes(growth[0] / 1_048_576))
        table.add("memory, peak while they are listed", .mebibytes(growth[1] / 1_048_576))
    }

    /// Prints how much the process grew, in bytes: by verification, and at most while listing.
    static func runChild(_ arguments: [String]) -> Int32 {
        do {
            ProductConnection.watch()
            let open = try BenchmarkVault(at: arguments[0], itemCount: Benchmarks.largeCount).open()
            let start = try ProcessStatus.kibibytes("VmRSS:")
            // So many items at random that each of the 256 buckets has one.
            for number in 0..<10_000 { _ = try open.reads(try Sample.name(number)) }
            let verified = try ProcessStatus.kibibytes("VmRSS:") - start
            try open.verifyAll()
            print((verified * 1_024), (try ProcessStatus.kibibytes("VmHWM:") - start) * 1_024)
            open.close()
            return 0
        } catch {
            print("failed: \(error)")
            return 1
        }
    }
}

internal import TestSupport

/// Machines that sync by themselves, and the server of many: programs in Python that run the real ones.
enum SyncProgramMeasurement {
    static func run(_ effort: Effort, into table: inout Table) throws {
        try arrival(effort, into: &table)
        try devices(effort, into: &table)
    }

    /// From the start of `task add` on one machine to the row in the list of the other.
    private static func arrival(_ effort: Effort, into table: inout Table) throws {
        let count = isShort(effort) ? 5 : 50
        for line in try lines(of: "time-arrival \(count)") where line.count == 4 {
            table.add(
                "change on the other machine, through a \(line[0]), median of \(count)",
                .time(try seconds(line[1])), atMost: .time(1e9))
            table.add("  the slowest", .time(try seconds(line[2])))
            if line[0] == "server", let requests = Int(line[3]) {
                table.add("  requests of a round without changes", .count(requests))
            }
        }
    }

    private static func devices(_ effort: Effort, into table: inout Table) throws {
        let time = isShort(effort) ? 10 : 60
        guard let line = try lines(of: "time-devices \(time)").last, line.count == 3,
            let share = Double(line[0]), let rate = Double(line[2])
        else { throw BenchmarkFailure("time-devices says nothing") }
        table.add(
            "server's share of a core, 500 devices of 50 accounts", .ratio(share), ratio: share,
            aim: 0.2)
        table.add(
            "  answer, 99th percentile", .time(try seconds(line[1])), atMost: .time(100e6))
        table.add("  requests a second", .perSecond(rate))
    }

    private static func isShort(_ effort: Effort) -> Bool { effort.rounds < Effort.full.rounds }

    /// A time in nanoseconds.
    private static func seconds(_ word: Substring) throws -> Double {
        guard let seconds = Double(word) else { throw BenchmarkFailure("no time: \(word)") }
        return seconds * 1e9
    }

    /// The words of each line that a program in `Tests/Sync` prints.
    private static func lines(of command: String) throws -> [[Substring]] {
        let folder = TaskVaultExecutable.path.dropLast("/taskvault".count)
        let output = try Child.output(
            of: """
                TASKVAULT_EXECUTABLES="$(realpath '\(folder)')" '\(Checkout.path("Tests/Sync"))'/\(command)
                """)
        return output.split(separator: "\n").map { $0.split(separator: " ") }
    }
}

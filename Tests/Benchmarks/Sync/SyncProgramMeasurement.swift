internal import TestSupport

/// Machines that sync by themselves, and the server of many: programs in Python that run the real ones.
enum SyncProgramMeasurement {
    static func run(_ effort: Effort, into table: inout Table) throws {
        try arrival(effort, into: &table)
        try devices(effort, into: &table)
        try exchange(into: &table)
        try upload(effort, into: &table)
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

    /// As between two homes in a folder, but with the real programs: a process for each round, with a server in another one.
    private static func exchange(into table: inout Table) throws {
        guard let line = try lines(of: "time-exchange \(SyncMeasurements.count)").last,
            line.count == 2
        else { throw BenchmarkFailure("time-exchange says nothing") }
        let times = try line.map { try seconds($0) }
        table.add(
            "first exchange of 10,000 secrets and 10,000 tasks, through the server",
            .time(times[0] + times[1]), atMost: .time(10e9))
        table.add("  the machine that gets them", .time(times[1]))
    }

    private static func upload(_ effort: Effort, into table: inout Table) throws {
        let size = isShort(effort) ? 64 : 1_024
        guard let line = try lines(of: "time-upload \(size)").last, line.count == 3 else {
            throw BenchmarkFailure("time-upload says nothing")
        }
        let rates = try line.map { Double(size) / (try seconds($0) / 1e9) }
        table.add(
            "upload of a file of \(size) MiB to the server, MiB", .perSecond(rates[0]),
            against: "file get", .perSecond(rates[1]), ratio: rates[0] / rates[1],
            atLeast: .ratio(0.7))
        table.add(
            "  bare SQLite, a sync for each MiB", .perSecond(rates[2]), against: "file get",
            .perSecond(rates[1]), ratio: rates[2] / rates[1])
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

internal import Platform

/// All that is measured of the auth server, over HTTP, with `taskvault-authd` in a process of its own.
enum ServerMeasurements {
    /// How many processors there are: as many workers derive, and as many threads the baseline has.
    static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    static func run(_ effort: ServerEffort, in folder: ScratchFolder, into table: inout Table)
        throws
    {
        try OpenFiles.allowMany()
        let before = try MachineLoad.now()
        let accounts = try SampleAccounts(count: 1_000)
        try SignInMeasurement.run(effort, accounts, in: folder, into: &table)
        try AttackMeasurement.run(accounts, in: folder, into: &table)
        try IntrospectionMeasurement.run(effort, accounts, in: folder, into: &table)
        try FloodMeasurement.run(effort, accounts, in: folder, into: &table)
        try RefreshMeasurement.run(effort, accounts, in: folder, into: &table)
        try TwoServersMeasurement.run(effort, accounts, in: folder, into: &table)
        try PushMeasurement.run(effort, accounts, in: folder, into: &table)
        try PollMeasurement.run(effort, accounts, in: folder, into: &table)
        print(
            "\(processors) processors; load average \(before) at the beginning,",
            "\(try MachineLoad.now()) at the end\n")
    }
}

/// How much work a run does.
struct ServerEffort: Sendable {
    /// Rounds, each of product and baseline.
    let rounds: Int
    /// Sign-ins of a round.
    let signIns: Int
    /// How long a round of introspections takes, in seconds.
    let loadSeconds: Int
    /// Refreshes of a round.
    let refreshes: Int
    /// How often a thousand sign in at once.
    let floods: Int

    static let full = ServerEffort(
        rounds: 9, signIns: 40, loadSeconds: 4, refreshes: 1_000, floods: 5)
    static let quick = ServerEffort(
        rounds: 3, signIns: 20, loadSeconds: 2, refreshes: 400, floods: 2)
}

/// The other load of the machine.
enum MachineLoad {
    /// The load average of the last minute.
    static func now() throws -> String {
        var average = 0.0
        guard unsafe getloadavg(&average, 1) == 1 else { throw BenchmarkFailure("no load") }
        return fixed(average, 1)
    }
}

/// How many files and sockets a process may have open.
enum OpenFiles {
    /// Allows as many as the system does, for a thousand connections. Processes that are started inherit it.
    static func allowMany() throws {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw BenchmarkFailure("no limit of open files")
        }
        limit.rlim_cur = limit.rlim_max
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_max >= 4_096
        else { throw BenchmarkFailure("too few open files are allowed") }
    }
}

#if os(Linux)
    internal import Platform
    internal import Tasks
    internal import VaultAgent

    /// Commands of a home that syncs, beside the same of one that does not, and a round without changes: whole processes, each beside an agent.
    enum SyncCommandMeasurement {
        private static let count = 1_000

        static func run(
            _ effort: Effort, in folder: ScratchFolder, into table: inout Table
        ) throws {
            let vault = try BenchmarkVault("sync-commands.db", in: folder)
            _ = try vault.timeFilling(upTo: count)
            try vault.setCost(AgentMeasurement.cost)
            let tasks = try TaskFile(folder.path(of: "sync-commands-tasks.db"), count: count)
            var shuffle = Shuffle()
            try tasks.list.insert(TaskSample.tasks(0..<count, using: &shuffle))
            tasks.close()
            let on = try Home(of: vault, tasks.path, in: folder, named: "sync-on")
            defer { on.end() }
            let off = try Home(of: vault, tasks.path, in: folder, named: "sync-off")
            defer { off.end() }
            try on.run(["sync", "enable", "--folder", try folder.makeFolder("sync-shared")])
            try on.run(["sync", "now"])
            try quiet(effort, on, into: &table)
            let word = try Sample.name(count / 2).service
            var number = 0
            let commands: [(name: String, words: () -> [String])] = [
                ("secret get", { ["secret", "get", word] }),
                (
                    "secret set",
                    {
                        number += 1
                        return ["secret", "set", "new\(number)", "me"]
                    }
                ), ("task add", { ["task", "add", "call the plumber"] }),
                ("task list", { ["task", "list", "--limit", "50"] }),
            ]
            for command in commands {
                let times = try PairedTimes.measure(rounds: effort.rounds) {
                    let time = try on.time(command.words())
                    // No round in the background takes part in the next time.
                    try on.run(["sync", "now"])
                    return time
                } _: {
                    try off.time(command.words())
                }
                table.add(command.name + ", sync on", times, against: "sync off", aim: 1.1)
            }
        }

        /// A round without changes: its process, and what the agent does for it.
        private static func quiet(
            _ effort: Effort, _ home: Home, into table: inout Table
        ) throws {
            let times = try (0..<effort.rounds).map { _ in try home.time(["sync", "now"]) }
            table.add("sync now without changes, 1,000 and 1,000", .time(times.median))
            let before = try home.agent.processorTime()
            var used = 0.0
            for _ in 0..<effort.rounds { used += try home.processorTime(["sync", "now"]) }
            used += try home.agent.processorTime() - before
            table.add(
                "  processor time, with the agent's", .time(used / Double(effort.rounds)),
                atMost: .time(20e6))
        }
    }

    /// A home with an unlocked agent.
    private struct Home {
        let agent: AgentHome
        private let state: String

        init(
            of vault: BenchmarkVault, _ tasks: String, in folder: ScratchFolder,
            named name: String
        ) throws {
            agent = try AgentHome(of: vault, in: folder, named: name)
            state = folder.path(of: name + "-state")
            _ = try folder.copy(tasks, to: name + "/tasks.db")
            try agent.client().unlock(with: .passphrase(try BenchmarkVault.passphrase()))
        }

        private func words(_ words: [String]) -> [String] {
            unsafe setenv("XDG_STATE_HOME", state, 1)
            let command = [agent.executable, "--home", agent.path] + words
            guard words.starts(with: ["secret", "set"]) else { return command }
            return ["/bin/sh", "-c", "printf %s value | exec \"$@\"", "sh"] + command
        }

        func run(_ words: [String]) throws { _ = try time(words) }

        func time(_ words: [String]) throws -> Double { try Child.time(self.words(words)) }

        func processorTime(_ words: [String]) throws -> Double {
            try Child.processorTime(self.words(words))
        }

        func end() { agent.end() }
    }

    extension Child {
        /// Starts one, waits for its end, and tells how much processor time it used, in nanoseconds.
        fileprivate static func processorTime(_ words: [String]) throws -> Double {
            var status: Int32 = 0
            var usage = rusage()
            let process = try start(words)
            while unsafe wait4(process, &status, 0, &usage) == -1, errno == EINTR {}
            guard status == 0 else {
                throw BenchmarkFailure("\(words.joined(separator: " ")) failed: \(status)")
            }
            let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            let microseconds = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
            return seconds * 1e9 + microseconds * 1e3
        }
    }

    extension AgentHome {
        /// The processor time of the agent, in nanoseconds.
        fileprivate func processorTime() throws -> Double {
            var clock = clockid_t()
            var time = timespec()
            guard unsafe clock_getcpuclockid(process, &clock) == 0,
                unsafe clock_gettime(clock, &time) == 0
            else { throw BenchmarkFailure("no processor time of the agent") }
            return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
        }
    }
#endif

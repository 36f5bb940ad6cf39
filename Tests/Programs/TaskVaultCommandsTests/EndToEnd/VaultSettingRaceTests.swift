#if os(Linux)
    import Foundation
    import Glibc
    import TestSupport
    import Testing

    /// `settings set vault` beside an agent that is starting: none goes on with the vault that was meant before.
    @Suite(
        .enabled(
            if: PostgreSQLServer.isWanted && Tracer.isUsable,
            "strace is not installed, or \(PostgreSQLServer.reason)"),
        .waitsForProcesses)
    struct VaultSettingRaceTests {
        private static let address = "postgresql://ada@localhost/elsewhere"

        /// Starts a command without waiting for its end.
        private func start(
            _ home: TestHome, _ arguments: [String], beneath wrapper: [String] = []
        ) throws -> pid_t {
            home.note(arguments)
            let nothing = try Files.open("/dev/null", O_RDWR)
            defer { close(nothing) }
            return try Executable.start(
                arguments, environment: home.environment, in: home.folder,
                .init(input: nothing, output: nothing, errors: nothing), beneath: wrapper)
        }

        /// Starts an agent that stands still after its first call of a name, which may fail with an error.
        private func startAgent(
            _ home: TestHome, stoppedAfter call: String, error: String? = nil
        ) throws -> (tracer: pid_t, agent: pid_t) {
            let tracer = try start(
                home, ["agent"],
                beneath: [
                    Tracer.path, "-f", "-qq", "-e", "trace=" + call, "-e",
                    "inject=\(call)\(error.map { ":error=" + $0 } ?? ""):signal=SIGSTOP:when=1",
                    "-o", home.folder + "/trace",
                ])
            var agent: pid_t?
            let isStopped = Processes.wait {
                let path = "/proc/\(tracer)/task/\(tracer)/children"
                let children = (try? Files.read(path)).map { String(decoding: $0, as: UTF8.self) }
                agent = children?.split(separator: " ").first.flatMap { pid_t($0) }
                let trace = (try? Files.read(home.folder + "/trace")) ?? []
                return !trace.isEmpty
                    && agent.map { (try? StoppedProcess.isStopped($0)) == true } == true
            }
            try #require(isStopped)
            return (tracer, try #require(agent))
        }

        /// Lets an agent go on, and expects it to refuse; one that serves instead is ended.
        private func expectRefusal(_ home: TestHome, _ tracer: pid_t, _ agent: pid_t) {
            kill(agent, SIGCONT)
            let isDecided = Processes.wait {
                !Processes.isRunning(agent) || home.agentProcess == agent
            }
            #expect(isDecided && !Processes.isRunning(agent))
            kill(agent, SIGTERM)
            #expect(Executable.wait(for: tracer) == 8)
        }

        /// Starts a change of the setting that has found the agents that there are and waits for its turn to write; then runs `body`.
        private func withSettingUnderWay(
            _ home: TestHome, _ body: (_ file: Int32) throws -> Void
        ) throws {
            // So that there is a file.
            expectDone(try home.ask("settings set task-order due"))
            let file = try Files.open(home.home + "/settings", O_RDWR)
            defer { close(file) }
            try #require(flock(file, LOCK_EX) == 0)
            let setting = try start(home, ["settings", "set", "vault", Self.address])
            let isWaiting = Processes.wait {
                let locks = (try? Files.read("/proc/locks")) ?? []
                return String(decoding: locks, as: UTF8.self).split(separator: "\n").contains {
                    $0.contains("-> FLOCK") && $0.split(separator: " ").contains("\(setting)")
                }
            }
            #expect(isWaiting)
            try body(file)
            #expect(Executable.wait(for: setting) == 0)
        }

        @Test func anAgentThatReadItBeforeLooksOnceMore() throws {
            let home = try TestHome()
            let (tracer, agent) = try startAgent(
                home, stoppedAfter: "flock", error: "EAGAIN")
            // It has no lock yet: of an agent with its lock, the command would wait to be let in.
            expect(try home.runBare(["settings", "set", "vault", Self.address]), ends: 0)
            expectRefusal(home, tracer, agent)
            // Its leftovers disturb no other process.
            expect(try home.runBare(["settings", "set", "vault", "file"]), ends: 0)
            try home.unlock()
            try home.tell("value")
        }

        @Test func anAgentThatStartsBeforeTheChangeIsEndedAfterIt() throws {
            let home = try TestHome()
            var agent: pid_t = 0
            try withSettingUnderWay(home) { file in
                agent = try home.unlock()
                flock(file, LOCK_UN)
            }
            #expect(Processes.wait { !Processes.isRunning(agent) })
        }

        @Test func anAgentThatEndsByItselfMeanwhileIsNoFailure() throws {
            let home = try TestHome()
            try withSettingUnderWay(home) { file in
                let (tracer, agent) = try startAgent(home, stoppedAfter: "listen")
                flock(file, LOCK_UN)
                // It listens: the second socket of its name is that of the client, who waits to be let in.
                let socket =
                    home.home.split(separator: "/").suffix(2).joined(separator: "/")
                    + "/agent.sock"
                let isAsked = Processes.wait {
                    let sockets = (try? Files.read("/proc/net/unix")) ?? []
                    return String(decoding: sockets, as: UTF8.self).split(separator: "\n").count {
                        $0.hasSuffix(socket)
                    } > 1
                }
                #expect(isAsked)
                expectRefusal(home, tracer, agent)
            }
        }
    }
#endif

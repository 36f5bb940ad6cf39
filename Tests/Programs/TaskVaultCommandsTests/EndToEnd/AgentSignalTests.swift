#if os(Linux)
    import Foundation
    import Glibc
    import TestSupport
    import Testing
    import VaultAgent

    /// Signals, crashes, and what other processes of the same user can see.
    @Suite(.waitsForProcesses) struct AgentSignalTests {
        /// An agent in the foreground, a child of the tests.
        final class Foreground {
            let process: pid_t
            private let files: [String]

            init(_ home: TestHome, waits: Bool = true) throws {
                home.note(["agent"])
                files = ["out", "err"].map { "\(home.folder)/agent-\($0)" }
                let descriptors = try files.map { try Files.open($0, O_WRONLY | O_CREAT | O_TRUNC) }
                defer { descriptors.forEach { close($0) } }
                let nothing = try Files.open("/dev/null", O_RDONLY)
                defer { close(nothing) }
                process = try Executable.start(
                    ["agent"], environment: home.environment, in: home.folder,
                    .init(input: nothing, output: descriptors[0], errors: descriptors[1]),
                    beneath: home.launcher)
                let agent = process
                if waits { #expect(Processes.wait { home.agentProcess == agent }) }
            }

            /// Waits for the end.
            ///
            /// - Returns: The status of wait(2), and what was printed.
            func finish() throws -> (status: Int32, printed: [UInt8]) {
                var status: Int32 = 0
                while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
                return (status, try files.flatMap { try Files.read($0) })
            }
        }

        private enum State: String, CaseIterable {
            case locked, unlocked, verified
        }

        private func bring(_ home: TestHome, to state: State) throws {
            if state == .locked { return }
            try home.unlock()
            try home.tell("hidden", options: "--class after-verification --replace")
            guard state == .unlocked else { return }
            try home.ask("settings set verification-window 1s")
            try home.waitFor("unlocked")
        }

        @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
        func theseEndIt(signal: Int32) throws {
            for state in State.allCases {
                let home = try TestHome()
                let agent = try Foreground(home)
                try bring(home, to: state)
                kill(agent.process, signal)
                let end = try agent.finish()
                #expect(end.status == 0, "\(state)")
                #expect(end.printed.isEmpty)
                #expect(Files.names(in: home.home) == ["vault.db"])
                #expect(try home.state == "locked")
            }
        }

        @Test func thisOneLocksIt() throws {
            let home = try TestHome()
            let agent = try home.unlock()
            for _ in 0..<3 {
                kill(agent, SIGUSR1)
                try home.waitFor("locked")
                #expect(try home.unlock() == agent)
            }
            // Locked already, it stays.
            try home.ask("lock")
            for _ in 0..<100 { kill(agent, SIGUSR1) }
            #expect(try home.unlock() == agent)
        }

        /// By the clock of the agent, which is the system's.
        private func waitASecond() {
            let clock = SystemSessionClock()
            clock.sleep(until: clock.now + .seconds(1))
        }

        @Test func thatItSleptOverTheLimitIsNoticedFirst() throws {
            let home = try TestHome()
            let agent = try home.unlock()
            try home.tell("hidden", options: "--class after-verification")
            expect(try home.ask("settings set verification-window 1s"), ends: 0)
            try StoppedProcess.stop(agent)
            // Asked while it sleeps; it answers when it wakes, after the window.
            let session = try TerminalSession(home, ["secret", "get", "mail.example", "ada"])
            waitASecond()
            kill(agent, SIGCONT)
            try session.waitFor("Passphrase: ")
            try session.type("\u{4}")
            #expect(try session.finish() == 2)
            #expect(!session.screen.contains("hidden"))

            expect(try home.ask("settings set idle-limit 1s"), ends: 0)
            try StoppedProcess.stop(agent)
            let late = try TerminalSession(home, ["secret", "list", "--json"])
            waitASecond()
            kill(agent, SIGCONT)
            #expect(try late.finish() == 3)
        }

        @Test func oneThatWasStoppedIsNotCalledLocked() throws {
            let home = try TestHome()
            let agent = try home.unlock()
            try StoppedProcess.stop(agent)
            // So that the home can end it.
            defer { kill(agent, SIGCONT) }
            for command in ["status", "lock"] {
                expect(
                    try home.ask(command), ends: 1,
                    "error: the agent does not answer: process \(agent)",
                    "hint: kill -KILL \(agent) ends it and erases its keys")
            }
        }

        @Test(.enabled(if: Files.exists("/usr/bin/perl"), "perl is missing"))
        func itsStarterCannotHoldThemBack() throws {
            let home = try TestHome()
            home.launcher = [
                "/usr/bin/perl", "-MPOSIX=:signal_h", "-e",
                "sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGTERM, SIGUSR1)); exec @ARGV", "--",
            ]
            let agent = try home.unlock()
            home.launcher = []
            kill(agent, SIGUSR1)
            try home.waitFor("locked")
            kill(agent, SIGTERM)
            #expect(Processes.wait { !Processes.isRunning(agent) })
        }

        @Test(arguments: [SIGSEGV, SIGABRT, SIGQUIT, SIGTRAP, SIGBUS, SIGILL, SIGFPE])
        func aCrashPrintsNothingAndLeavesNoCore(signal: Int32) throws {
            for state in State.allCases {
                let home = try TestHome()
                home.launcher = ["/bin/sh", "-c", "ulimit -c unlimited; exec \"$0\" \"$@\""]
                let agent = try Foreground(home)
                home.launcher = []
                try bring(home, to: state)
                kill(agent.process, signal)
                let end = try agent.finish()
                #expect(end.status & 0x7F == signal, "\(state)")
                #expect(end.status & 0x80 == 0, "a core was dumped")
                #expect(end.printed.isEmpty)
                #expect(try home.state == "locked")
                try home.unlock()
            }
        }

        @Test(
            .enabled(if: Files.exists("/usr/bin/perl"), "perl, which makes the calls, is missing"),
            .enabled(if: OtherUser.isAvailable, "setpriv is missing"),
            .enabled(if: Tracer.mayAttach, "Yama forbids it everywhere"))
        func itsUsersProcessesCannotLookIntoIt() throws {
            let home = try OtherUser.home()
            // A process that may be inspected.
            let open = try Executable.start(
                [], environment: home.environment, in: home.folder, .init(),
                beneath: home.launcher + ["/usr/bin/perl", "-e", "sleep 600;"])
            defer {
                kill(open, SIGKILL)
                _ = Executable.wait(for: open)
            }
            for state in State.allCases {
                let agent = try home.unlock()
                try bring(home, to: state)
                if state == .locked { try home.ask("lock") }
                #expect(Processes.field("Uid", of: agent)?.hasPrefix("\(OtherUser.id)") == true)
                for door in OtherUser.doors {
                    #expect(
                        try OtherUser.try(door, on: agent, of: home) == false, "\(door) \(state)")
                    #expect(
                        try OtherUser.try(door, on: open, of: home) == true, "\(door), the control")
                }
            }
        }
    }
#endif

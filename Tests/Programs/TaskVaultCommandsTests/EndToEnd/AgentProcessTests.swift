#if os(Linux)
    import Foundation
    import Glibc
    import TestSupport
    import Testing

    /// The agent as a process, by the kernel's view.
    @Suite(.waitsForProcesses) struct AgentProcessTests {
        private func links(_ agent: pid_t) throws -> [String] {
            let folder = "/proc/\(agent)/fd"
            // One may be closed while they are listed.
            return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
            }
        }

        @Test(.enabled(if: geteuid() == 0, "only the administrator sees the agent's descriptors"))
        func nothingOfItsStarterIsOpen() throws {
            let home = try TestHome()
            // The terminal session hands descriptors down: the terminal itself, and one that tells when it is closed.
            let session = try TerminalSession(home, ["unlock"])
            try session.answer("Passphrase", TestHome.passphrase)
            #expect(try session.finish() == 0)
            let agent = try #require(home.agentProcess)
            for descriptor in 0...2 {
                #expect(
                    try FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/\(agent)/fd/\(descriptor)") == "/dev/null")
            }
            let allowed = [
                home.home, home.home + "/vault.db", home.home + "/vault.db-wal",
                home.home + "/vault.db-shm", "/dev/null",
            ]
            let records = home.folder + "/state/taskvault/rollback/"
            for link in try links(agent) {
                #expect(
                    allowed.contains(link) || link.hasPrefix("pipe:") || link.hasPrefix("socket:")
                        || link.hasPrefix(records),
                    "\(link)")
            }
            // Clients come and go; locked, it holds its folder, sockets and pipes.
            try home.tell("value")
            expect(try home.ask("lock"), ends: 0)
            let isLean = try Processes.wait {
                try links(agent).filter { $0.hasPrefix("/") && $0 != "/dev/null" } == [home.home]
            }
            #expect(isLean)
        }

        @Test func itHasASessionOfItsOwn() throws {
            let home = try TestHome()
            let session = try TerminalSession(home, ["unlock"])
            try session.answer("Passphrase", TestHome.passphrase)
            #expect(try session.finish() == 0)
            let agent = try #require(home.agentProcess)
            #expect(getsid(agent) == agent)
            let statistics = String(
                decoding: try Files.read("/proc/\(agent)/stat"), as: UTF8.self)
            let fields = statistics.split(separator: ")").last?.split(separator: " ") ?? []
            #expect(fields[4] == "0", "no terminal can send it signals")
            #expect(Processes.field("NoNewPrivs", of: agent) == "1")
            #expect(
                String(decoding: try Files.read("/proc/\(agent)/limits"), as: UTF8.self)
                    .contains(/Max core file size\s+0\s+0\s/))
            #expect(Processes.field("Umask", of: agent) == "0077")
        }

        @Test(
            .enabled(if: geteuid() == 0, "only the administrator sees its folder and environment"))
        func itHoldsNoFolderInUseAndKeepsTheHomeAsItWas() throws {
            let home = try TestHome()
            let agent = try home.unlock()
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(agent)/cwd")
                    == "/")
            let environment = try Files.read("/proc/\(agent)/environ").split(separator: 0)
            #expect(environment.contains { $0.elementsEqual("TASKVAULT_HOME=\(home.home)".utf8) })
            let line = try Files.read("/proc/\(agent)/cmdline")
            // As `unlock --json` starts it; nothing else is in its arguments.
            #expect(
                String(decoding: line, as: UTF8.self)
                    == "taskvault\0agent\0--background\0--json\0")
        }

        @Test func theSocketIsForItsOwnerOnly() throws {
            let home = try TestHome()
            try home.unlock()
            #expect(Files.mode(home.home) == 0o700)
            #expect(Files.mode(home.home + "/agent.sock") & 0o077 == 0)
        }
    }
#endif

import Foundation
import Platform
@testable import TaskVaultCommands
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct ProcessRoleTests {
    @Test(arguments: [
        ("taskvault", ProcessRole.command), ("taskvault secret get a b", .command),
        ("taskvault status agent", .command), ("taskvault agent", .agent),
        ("/usr/bin/taskvault agent --background", .agent), ("taskvault services", .services),
        ("/usr/bin/taskvault-services --json", .services), ("taskvault app --foreground", .page),
        ("/usr/bin/taskvault-app --print-url", .page), ("taskvault app", .starter),
        ("taskvault --home=/x app", .starter), ("taskvault app -- --foreground", .starter),
        ("taskvault remind --once", .starter), ("taskvault --home /x run -- ls", .starter),
        ("taskvault --home /x services", .services), ("taskvault --json app --foreground", .page),
        ("taskvault secret get run ada", .command), ("taskvault secret get app ada", .command),
        ("taskvault secret get -- run", .command), ("taskvault secret set app2 x", .command),
    ])
    func areChosenByTheFirstArguments(line: String, role: ProcessRole) {
        #expect(ProcessRole(line.split(separator: " ").map(String.init)) == role)
    }

    @Test(arguments: [
        ("/usr/bin/taskvault-services run --json", "services --json"),
        ("taskvault-services", "services"), ("taskvault-app run", "app --foreground"),
        ("taskvault-app --print-url", "app --foreground --print-url"),
        ("taskvault run -- ls", "run -- ls"),
        ("git-credential-taskvault get", "git-credential get"),
    ])
    func namesStandForArguments(line: String, arguments: String) {
        let words = line.split(separator: " ").map(String.init)
        let found = HelperName.arguments(Array(words.dropFirst()), of: words[0])
        #expect(found.joined(separator: " ") == arguments)
    }

    #if os(Linux)
        /// Expects the protections of a process, as the kernel reports them.
        private func expectProtection(of process: pid_t, privileges: Bool) throws {
            #expect(Processes.field("NoNewPrivs", of: process) == (privileges ? "0" : "1"))
            #expect(Processes.field("Umask", of: process) == "0077")
            let limits = String(
                decoding: try Files.read("/proc/\(process)/limits"), as: UTF8.self)
            let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
            // A process that may not be traced belongs to the administrator there.
            var status = stat()
            #expect(unsafe stat("/proc/\(process)/environ", &status) == 0)
            #expect(status.st_uid == 0)
        }

        /// Starts a command with standard input from a pipe, and waits until it is hardened.
        private func withProcess(
            _ home: TestHome, _ arguments: [String], _ body: (pid_t) throws -> Void
        ) throws {
            let (input, output) = (try SystemPipe(), try SystemPipe())
            defer { input.closeReader() }
            // A command that cannot print ends at once.
            let process = try Executable.start(
                arguments, environment: home.environment, in: home.folder,
                .init(input: input.reader, output: output.writer))
            defer {
                input.closeWriter()
                output.closeWriter()
                output.closeReader()
                kill(process, SIGKILL)
                _ = Executable.wait(for: process)
            }
            let isReady = Processes.wait { Processes.field("Umask", of: process) == "0077" }
            #expect(isReady)
            try body(process)
        }

        @Test func aCommandIsHardened() throws {
            let home = try TestHome()
            try withProcess(home, ["secret", "list", "--no-agent", "--passphrase-file", "-"]) {
                try expectProtection(of: $0, privileges: false)
            }
        }

        @Test func aStarterOfProgramsIsHardenedButForTheirPrivileges() throws {
            let home = try TestHome()
            let line = ["run", "--env", "A=mail.example/ada", "--no-agent"]
            try withProcess(home, line + ["--passphrase-file", "-", "--", "true"]) {
                try expectProtection(of: $0, privileges: true)
            }
        }

        @Test func theAgentIsHardened() throws {
            let home = try TestHome()
            try withProcess(home, ["agent"]) { try expectProtection(of: $0, privileges: false) }
        }

        @Test func thePageIsHardened() throws {
            let home = try TestHome()
            try withProcess(home, ["app", "--foreground", "--print-url"]) {
                try expectProtection(of: $0, privileges: false)
            }
        }

        @Test func theServicesMayRunAnyReminderCommand() throws {
            let home = try TestHome()
            expect(try home.runBare(["settings", "set", "reminder-command", "/bin/true"]), ends: 0)
            try withProcess(home, ["services"]) { try expectProtection(of: $0, privileges: true) }
        }

        /// A program that does not see its arguments prints its help, and ends with 0.
        @Test(
            .enabled(if: HiddenProcesses.isPossible, "needs namespaces of users"),
            arguments: [
                "secret list", "agent", "services", "app", "app --foreground", "remind", "run",
            ])
        func eachRoleReadsItsArgumentsWithoutProc(words: String) throws {
            let home = try TestHome(withVault: false)
            let line = words.split(separator: " ").map(String.init) + ["--lantern"]
            let found = try home.runBare(line, beneath: HiddenProcesses.launcher)
            #expect(found.exitCode == 2)
            #expect(found.errorLines.first?.contains("--lantern") == true, "\(found.errorText)")
        }

        @Test(
            .enabled(if: HiddenProcesses.isPossible, "needs namespaces of users"),
            arguments: ["taskvault-services", "taskvault-app"])
        func anExecutableOfItsOwnNameReadsItsArgumentsWithoutProc(name: String) throws {
            let home = try TestHome(withVault: false)
            home.program = home.folder + "/" + name
            try #require(unsafe symlink(Executable.path, home.program) == 0)
            let found = try home.runBare(["--lantern"], beneath: HiddenProcesses.launcher)
            #expect(found.exitCode == 2)
            #expect(found.errorLines.first?.contains("--lantern") == true, "\(found.errorText)")
        }

        @Test(.enabled(if: HiddenProcesses.isPossible, "needs namespaces of users"))
        func aRunProgramGetsItsArgumentsWithoutProc() throws {
            let home = try TestHome()
            try home.save("swordfish")
            let found = try home.runBare(
                ["run", "--env", "A=mail.example/ada", "--no-agent", "--passphrase-file"]
                    + [home.passphraseFile, "--", "sh", "-c", "echo \"$1 of $A\"", "sh", "--help"],
                beneath: HiddenProcesses.launcher)
            #expect(found.outputText == "--help of swordfish\n", "\(found.errorText)")
        }

        /// The command starts its own file, whose path only /proc has.
        @Test(.enabled(if: HiddenProcesses.isPossible, "needs namespaces of users"))
        func anAgentThatCannotStartWithoutProcIsAnError() throws {
            let home = try TestHome()
            let found = try home.runBare(
                ["unlock", "--passphrase-file", home.passphraseFile],
                beneath: HiddenProcesses.launcher)
            #expect(found.exitCode == 1)
            #expect(found.errorLines.first?.hasPrefix("taskvault: error: ") == true)
        }

        @Test func aRunProgramMayGainPrivileges() throws {
            let home = try TestHome()
            try home.save("swordfish")
            let line = ["run", "--env", "A=mail.example/ada", "--no-agent"]
            let found = try home.runBare(
                line + ["--passphrase-file", home.passphraseFile, "--"]
                    + ["grep", "NoNewPrivs", "/proc/self/status"])
            #expect(found.outputText.hasSuffix("\t0\n"), "\(found.errorText)")
        }
    #endif
}

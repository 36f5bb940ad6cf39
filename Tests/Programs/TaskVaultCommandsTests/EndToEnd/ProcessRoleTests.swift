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
            let input = try SystemPipe()
            defer { input.closeReader() }
            let process = try Executable.start(
                arguments, environment: home.environment, in: home.folder,
                .init(input: input.reader))
            defer {
                input.closeWriter()
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

        /// Hides /proc from a program.
        private static let hiding = [
            "/usr/bin/unshare", "-rm", "/bin/sh", "-c",
            "mount -t tmpfs none /proc && exec \"$@\"", "sh",
        ]

        private static var canHide: Bool {
            let process = Process()
            process.executableURL = URL(filePath: hiding[0])
            process.arguments = Array(hiding.dropFirst()) + ["/bin/true"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }

        @Test(.enabled(if: canHide, "needs namespaces of users"))
        func theArgumentsNeedNoFileSystemOfProcesses() throws {
            let home = try TestHome(withVault: false)
            let found = try home.runBare(["version"], beneath: Self.hiding)
            #expect(found.outputText.hasPrefix("taskvault "), "\(found.errorText)")
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

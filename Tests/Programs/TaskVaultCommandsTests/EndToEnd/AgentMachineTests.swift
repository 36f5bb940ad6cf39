#if os(Linux)
    import Foundation
    import Glibc
    import TestSupport
    import Testing

    /// Machines that do not give what is asked of them.
    @Suite(
        .enabled(if: OtherUser.isAvailable, "setpriv is missing"),
        .enabled(if: Files.exists("/usr/bin/prlimit"), "prlimit is missing"),
        .disabled(if: Sanitizer.isActive, "a sanitizer's mlock says yes and does nothing"),
        .waitsForProcesses)
    struct AgentMachineTests {
        private static let warning =
            "taskvault: warning: memory cannot be locked (ulimit -l): the agent's keys may reach the swap"

        /// A home whose owner may lock no memory.
        private func home() throws -> TestHome {
            let home = try OtherUser.home()
            home.launcher += ["/usr/bin/prlimit", "--memlock=0:0"]
            return home
        }

        @Test func withoutLockedMemoryUnlockingWarnsOnce() throws {
            let home = try home()
            let unlock = "unlock --passphrase-file \(home.passphraseFile)"
            let unlocked = try home.ask(unlock)
            #expect(unlocked.exitCode == 0, "\(unlocked.errorText)")
            #expect(unlocked.errorLines == [Self.warning])
            #expect(try home.status["memory_locked"] as? Bool == false)
            // What is done afterwards says no more of it.
            expect(try home.ask("secret set mail.example ada", input: "value"), ends: 0)
            let read = try home.ask("secret get mail.example ada")
            #expect(read.outputText == "value" && read.errors.isEmpty)
            let inJSON = try home.ask(unlock + " --json")
            #expect(inJSON.failure["warning"] as? String == "memory_not_locked")
            #expect(inJSON.object["memory_locked"] as? Bool == false)
        }

        @Test func theOwnerMayInsistOnLockedMemory() throws {
            let home = try home()
            let unlock = "unlock --passphrase-file \(home.passphraseFile)"
            let refusal = [
                "error: this vault requires locked memory, which is not available",
                "hint: raise the limit: ulimit -l",
            ]
            // A session that does not meet the demand cannot make it.
            #expect(try home.ask(unlock).exitCode == 0)
            expect(
                try home.ask("settings set require-locked-memory yes"), ends: 8, refusal[0],
                refusal[1])
            let agent = try #require(home.agentProcess)
            kill(agent, SIGKILL)
            #expect(Processes.wait { !Processes.isRunning(agent) })

            let limited = home.launcher
            home.launcher = OtherUser.launcher
            try #require(
                try home.status["process_id"] is NSNull, "no agent runs")
            let unlocked = try home.unlock()
            try #require(
                try home.status["memory_locked"] as? Bool == true, "the machine's own limit is 0")
            try home.ask("settings set require-locked-memory yes")
            #expect(try home.ask("settings get require-locked-memory").outputText == "yes\n")
            kill(unlocked, SIGTERM)
            #expect(Processes.wait { !Processes.isRunning(unlocked) })

            home.launcher = limited
            for command in [
                unlock, "secret list --no-agent --passphrase-file \(home.passphraseFile)",
            ] {
                expect(try home.ask(command), ends: 8, refusal[0], refusal[1])
            }
            #expect(try home.state == "locked")
            #expect(try home.ask("secret list").exitCode == 3)
        }
    }
#endif

import Platform
import Testing
import TestSupport

/// Where an agent comes from, where it lives, and what ends it.
@Suite(.waitsForProcesses) struct AgentLifeTests {
    @Test func thereIsOneForAVault() throws {
        let home = try TestHome()
        let agent = try home.unlock()
        for _ in 0..<2 {
            expect(
                try home.ask("agent"), ends: 6, "error: an agent is already running for this vault",
                "hint: taskvault status")
        }
        #expect(try home.unlock() == agent)
        #expect(try home.state == "verified")
    }

    @Test func thereIsNoneWithoutAVault() throws {
        let home = try TestHome(withVault: false)
        for command in ["agent", "unlock --passphrase-file \(home.passphraseFile)", "verify"] {
            let refused = try home.ask(command)
            #expect(refused.exitCode == 5, "\(command)")
            #expect(
                refused.errorLines.first == "taskvault: error: there is no vault at \(home.vault)")
        }
        #expect(try home.ask("secret list").exitCode == 5)
        expect(try home.ask("lock"), ends: 0)
        #expect(!Files.exists(home.home))
    }

    @Test func aDamagedVaultIsNotUnlocked() throws {
        let home = try TestHome()
        try home.save("value")
        try VaultBytes.flipState(of: home.vault)
        let unlocking = try home.ask("unlock --passphrase-file \(home.passphraseFile)")
        #expect(unlocking.exitCode == 7, "\(unlocking.errorText)")
        #expect(try home.state == "locked")
        // With an agent that is locked, and with none.
        try Files.write("not a database", to: home.vault)
        let unlock = "unlock --passphrase-file \(home.passphraseFile)"
        for (command, code) in [(unlock, 7), ("agent", 7), ("secret list", 3), ("lock", 0)] {
            #expect(try home.ask(command).exitCode == Int32(code), "\(command)")
        }
        let agent = try #require(home.agentProcess)
        kill(agent, SIGTERM)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        for (command, code) in [(unlock, 7), ("agent", 7), ("secret list", 7), ("lock", 0)] {
            #expect(try home.ask(command).exitCode == Int32(code), "\(command)")
        }
        #expect(Files.names(in: home.home) == ["vault.db"])
    }

    @Test func damageUnderALiveSessionHasNoSilentEffect() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("value")
        // What the log holds goes into the file, of which all but the first page is then something else.
        expect(try home.ask("lock"), ends: 0)
        try home.unlock()
        var bytes = try Files.read(home.vault)
        for offset in 4_096..<bytes.count { bytes[offset] ^= 0xFF }
        try Files.write(bytes, to: home.vault)
        // What it has read before may answer, but only rightly.
        let read = try home.ask("secret get mail.example ada")
        #expect(read.exitCode == 0 ? read.outputText == "value" : read.exitCode == 7)
        #expect([0, 7].contains(try home.ask("secret list").exitCode))
        // It may save beside pages that it has verified and holds, but the damage does not become sound by that.
        #expect([0, 7].contains(try home.ask("secret set new ada", input: "value").exitCode))
        expect(try home.ask("lock"), ends: 0)
        #expect(try home.ask("unlock --passphrase-file \(home.passphraseFile)").exitCode == 7)
    }

    @Test(arguments: ["home", "vault"])
    func itEndsWithItsVault(gone: String) throws {
        let home = try TestHome()
        let agent = try home.unlock()
        let aside = home.folder + "/aside"
        let taken = gone == "home" ? home.home : home.vault
        #expect(unsafe rename(taken, aside) == 0)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        #expect(unsafe rename(aside, taken) == 0)
        #expect(try home.state == "locked")
        #expect(!Files.exists(home.home + "/agent.sock") || gone == "home")
        #expect(try home.unlock() != agent)
    }

    @Test func destroyingTheVaultEndsIt() throws {
        let home = try TestHome()
        let agent = try home.unlock()
        expect(try home.ask("destroy --yes"), ends: 0)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        #expect(Files.names(in: home.home).isEmpty)
        // The next vault there has nothing of the one before.
        try home.make()
        #expect(try home.state == "locked")
    }

    @Test func twoVaultsHaveTwo() throws {
        let first = try TestHome()
        let second = try TestHome(withVault: false)
        try second.make()
        let agents = [try first.unlock(), try second.unlock()]
        #expect(agents[0] != agents[1])
        try first.tell("of the first")
        try second.tell("of the second")
        try first.expectValue("of the first")
        expect(try first.ask("lock"), ends: 0)
        #expect(try first.state == "locked")
        try second.expectValue("of the second")
    }

    @Test func aSocketThatADeadOneLeftIsNoHindrance() throws {
        let home = try TestHome()
        let dead = try home.unlock()
        try home.tell("value")
        kill(dead, SIGKILL)
        #expect(Processes.wait { !Processes.isRunning(dead) })
        #expect(Files.exists(home.home + "/agent.sock"))
        #expect(try home.state == "locked")
        #expect(try home.ask("secret list").exitCode == 3)
        expect(try home.ask("lock"), ends: 0)
        #expect(try home.unlock() != dead)
        try home.expectValue("value")
    }

    @Test func twoPeopleMayUnlockAtTheSameMoment() throws {
        for _ in 0..<3 {
            let home = try TestHome()
            let sessions = try (0..<3).map { _ in try TerminalSession(home, ["unlock"]) }
            for session in sessions { try session.waitFor("Passphrase: ") }
            // No agent is there yet: all of them are going to start one.
            #expect(!Files.exists(home.home + "/agent.sock"))
            for session in sessions { try session.type(TestHome.passphrase + "\n") }
            for session in sessions { #expect(try session.finish() == 0, "\(session.screen)") }
            #expect(try home.state == "verified")
            #expect(try home.ask("agent").exitCode == 6)
        }
    }

    @Test func aHomeMayBeRelative() throws {
        let home = try TestHome()
        home.environment["TASKVAULT_HOME"] = nil
        let unlocked = try home.ask("unlock --home home --passphrase-file \(home.passphraseFile)")
        expect(unlocked, ends: 0)
        expect(try home.ask("secret set a b --home home", input: "value"), ends: 0)
        #expect(try home.ask("secret get a b --home ./home/../home").outputText == "value")
        let agent = try #require(
            try home.ask("status --json --home \(home.home)").object["process_id"] as? Int)
        #expect(
            try home.ask("secret list --home nowhere").errorLines.first
                == "taskvault: error: there is no vault at nowhere/vault.db")
        expect(try home.ask("lock --home \(home.home)"), ends: 0)
        expect(
            try home.ask("secret list --home home"), ends: 3, "error: the vault is locked",
            "hint: taskvault unlock --home home")
        // It wrote nothing beside, and ends with the folder.
        #expect(!Files.exists(home.folder + "/vault.db"))
        #expect(unsafe rename(home.home, home.folder + "/aside") == 0)
        #expect(Processes.wait { !Processes.isRunning(pid_t(agent)) })
        home.environment["TASKVAULT_HOME"] = "aside"
        expect(try home.ask("unlock --passphrase-file \(home.passphraseFile)"), ends: 0)
        #expect(try home.ask("secret get a b").outputText == "value")
    }

    @Test func aPathThatIsTooLongForASocketWorks() throws {
        let home = try TestHome(withVault: false)
        let parts = (0..<6).map { "\($0)" + String(repeating: "x", count: 50) }
        let long = home.folder + "/" + parts.joined(separator: "/")
        home.environment["TASKVAULT_HOME"] = long
        try home.make()
        let agent = try home.unlock()
        try home.tell("value")
        try home.expectValue("value")
        #expect(Files.exists(long + "/agent.sock"))
        #expect(try home.ask("agent").exitCode == 6)
        kill(agent, SIGTERM)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        #expect(!Files.exists(long + "/agent.sock"))
    }
}

import Platform
import Testing
import TestSupport

/// The vault changes under a live session.
@Suite(.waitsForProcesses) struct AgentChangeTests {
    private static let newPassphrase = "nine lives of another cat entirely"

    @Test func aChangeBehindItsBackIsSeenAtOnce() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("first")
        for number in 0..<5 {
            // By a process that does not ask the agent.
            try home.run("secret set --replace mail.example ada", input: "value \(number)")
            try home.expectValue("value \(number)")
            try home.run("secret set new\(number) ada", input: "n")
            #expect(try home.ask("secret list").outputLines.count == number + 3)
            try home.tell("by the agent \(number)", options: "--replace")
            #expect(try home.value() == "by the agent \(number)")
        }
        try home.run("secret remove --yes mail.example ada")
        #expect(try home.ask("secret get mail.example ada").exitCode == 5)
        // A setting, too.
        try home.run("settings set idle-limit 5m")
        #expect(try home.ask("settings get idle-limit").outputText == "5m\n")
        try home.run("settings set idle-limit 1s")
        try home.waitFor("locked")
    }

    @Test func anotherPassphraseLeavesTheSession() throws {
        let home = try TestHome()
        let agent = try home.unlock()
        try home.tell("value")
        let changed = try home.run(
            "passphrase change --keep-keys", lines: [TestHome.passphrase, Self.newPassphrase])
        expect(changed, ends: 0)
        #expect(try home.state == "verified")
        try home.expectValue("value")
        #expect(
            try home.ask("verify --passphrase-file \(home.passphraseFile)").exitCode == 4)
        expect(
            try home.ask("verify --passphrase-file -", input: Self.newPassphrase + "\n"), ends: 0)
        expect(try home.ask("lock"), ends: 0)
        #expect(try home.ask("unlock --passphrase-file \(home.passphraseFile)").exitCode == 4)
        expect(
            try home.ask("unlock --passphrase-file -", input: Self.newPassphrase + "\n"), ends: 0)
        #expect(home.agentProcess == agent)
        try home.expectValue("value")
    }

    @Test(arguments: ["rekey", "passphrase change", "recovery revoke"])
    func newKeysEndTheSession(command: String) throws {
        let home = try TestHome()
        let agent = try home.unlock()
        try home.tell("value")
        // The same passphrase again: the keys are new all the same.
        let rekeyed = try home.run(command, lines: [TestHome.passphrase, TestHome.passphrase])
        #expect(rekeyed.exitCode == 0, "\(rekeyed.errorText)")
        #expect(
            rekeyed.errorLines
                == ["taskvault: the agent is locked now: its keys were replaced"])
        #expect(try home.state == "locked")
        expect(
            try home.ask("secret get mail.example ada"), ends: 3, "error: the vault is locked",
            "hint: taskvault unlock")
        #expect(try home.unlock() == agent)
        try home.expectValue("value")
    }

    @Test(
        arguments: [
            "secret get mail.example ada", "secret list --json", "settings get idle-limit",
            "verify",
            "task add --protected",
        ])
    func keysReplacedElsewhereAreToldOnce(command: String) throws {
        let home = try TestHome()
        try home.save("value")
        // The first unlock gives the vault the key of this machine's log.
        try home.unlock()
        expect(try home.ask("lock"), ends: 0)
        // Another machine, with a state folder of its own and a synchronised copy of the file.
        let other = try TestHome(withVault: false)
        #expect(unsafe mkdir(other.home, 0o700) == 0)
        try Files.copy(home.vault, to: other.vault)
        let agent = try home.unlock()
        try home.expectValue("value")
        let changed = try other.run(
            "passphrase change", lines: [TestHome.passphrase, Self.newPassphrase])
        expect(changed, ends: 0)
        try Files.copy(other.vault, to: home.folder + "/newer.db")
        #expect(unsafe rename(home.folder + "/newer.db", home.vault) == 0)
        for suffix in ["-wal", "-shm"] { unsafe unlink(home.vault + suffix) }
        if command.hasPrefix("task") { #expect(try home.state == "locked") }

        let told = try home.ask(command, input: "words\n")
        if command.hasSuffix("--json") {
            #expect(told.exitCode == 3)
            #expect(told.failure["code"] as? String == "keys_replaced")
        } else {
            expect(
                told, ends: 3, "error: keys replaced; unlock again", "hint: taskvault unlock")
        }
        #expect(told.output.isEmpty)
        expect(
            try home.ask("secret get mail.example ada"), ends: 3, "error: the vault is locked",
            "hint: taskvault unlock")
        #expect(try home.ask("unlock --passphrase-file \(home.passphraseFile)").exitCode == 4)
        expect(
            try home.ask("unlock --passphrase-file -", input: Self.newPassphrase + "\n"), ends: 0)
        #expect(home.agentProcess == agent)
        try home.expectValue("value")
    }

    @Test(arguments: ["rekey", "passphrase change", "recovery revoke"])
    func newKeysNeedAnAgentThatCanBeReached(command: String) throws {
        let home = try TestHome()
        try home.save("value")
        let before = try Files.read(home.vault)
        // Something else is where the agent would be.
        try Files.write("something else", to: home.home + "/agent.sock")
        let refused = try home.run(
            command, lines: [TestHome.passphrase, Self.newPassphrase])
        #expect(refused.exitCode == 8)
        #expect(refused.output.isEmpty)
        #expect(try Files.read(home.vault) == before)
    }

    @Test func aRestoredVaultIsAnswered() throws {
        let home = try TestHome()
        let agent = try home.unlock()
        try home.tell("of the backup")
        expect(try home.ask("backup backup.db"), ends: 0)
        try home.tell("newer", options: "--replace")
        let followed = try home.run("restore backup.db --replace")
        #expect(followed.exitCode == 0, "\(followed.errorText)")
        try home.expectValue("of the backup")
        try home.tell("newer", options: "--replace")
        let restored = try home.run("restore backup.db --replace --new-lineage")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        #expect(try home.state == "locked")
        #expect(try home.ask("secret list").exitCode == 3)
        #expect(try home.unlock() == agent)
        try home.expectValue("of the backup")
        try home.tell("newest", options: "--replace")
        #expect(try home.value() == "newest")
        #expect(try home.run("doctor").exitCode == 0)
    }

    @Test func aVaultThatWasPutThereByHandIsNotAnswered() throws {
        let home = try TestHome()
        let other = try TestHome(withVault: false)
        try other.make()
        try other.save("of the other")
        try home.unlock()
        try home.tell("value")
        try home.expectValue("value")
        // The same path, another file, another vault.
        #expect(unsafe rename(home.vault, home.folder + "/aside.db") == 0)
        for suffix in ["-wal", "-shm"] { unsafe unlink(home.vault + suffix) }
        try Files.copy(other.vault, to: home.vault)
        let read = try home.ask("secret get mail.example ada")
        #expect(read.output.isEmpty)
        #expect(read.exitCode == 3, "\(read.errorText)")
        #expect(try home.state == "locked")
        // Its own passphrase, which is the same here, opens it in a new session, if the owner means this vault.
        let unlock = "unlock --passphrase-file \(home.passphraseFile)"
        #expect(try home.ask(unlock).exitCode == 7)
        expect(try home.ask(unlock + " --accept-other"), ends: 0)
        try home.expectValue("of the other")
    }

    @Test func aRepairUnderALiveSession() throws {
        let home = try TestHome()
        try home.save("value")
        let sound = try Files.read(home.vault)
        try home.unlock()
        try home.expectValue("value")
        expect(try home.ask("lock"), ends: 0)
        // While the agent is there and locked.
        try VaultBytes.flipState(of: home.vault)
        #expect(try home.ask("unlock --passphrase-file \(home.passphraseFile)").exitCode == 7)
        let repaired = try home.run("doctor --repair --yes")
        #expect(repaired.exitCode == 0, "\(repaired.errorText)")
        try home.unlock()
        try home.expectValue("value")
        // And once more while it is unlocked.
        #expect(try home.run("doctor --repair --yes").exitCode == 0)
        try home.expectValue("value")
        try home.tell("after the repair", options: "--replace")
        #expect(try home.value() == "after the repair")
        #expect(sound.count > 0)
    }

    @Test func aPassphraseThatIsNotNeededIsNotTheValue() throws {
        let home = try TestHome()
        try home.unlock()
        let given = TestHome.passphrase + "\n"
        expect(
            try home.ask("secret set mail.example ada --passphrase-file -", input: given + "first"),
            ends: 0)
        try home.expectValue("first")
        expect(
            try home.ask(
                "secret update mail.example ada --passphrase-file -", input: given + "second\n"),
            ends: 0)
        try home.expectValue("second\n")
        // With and without the agent, a script says the same.
        expect(
            try home.ask(
                "secret update mail.example ada --no-agent --passphrase-file -",
                input: given + "third"), ends: 0)
        try home.expectValue("third")
        // A file is no place for a value.
        expect(
            try home.ask(
                "secret update mail.example ada --passphrase-file \(home.passphraseFile)",
                input: "fourth\n"), ends: 0)
        try home.expectValue("fourth\n")
        // Even a wrong one is not looked at.
        #expect(
            try home.ask(
                "secret get mail.example ada --passphrase-file -", input: "something else\n"
            ).outputText == "fourth\n")
        #expect(
            try home.ask("secret list --passphrase-file /nonexistent").exitCode == 0)
    }

    @Test func withoutTheAgentNothingOfItIsUsed() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("value")
        expect(
            try home.ask("secret get mail.example ada --no-agent"), ends: 2,
            "error: cannot ask for the passphrase: standard input is not a terminal",
            "hint: run it in a terminal, or give --passphrase-file FILE")
        #expect(
            try home.ask(
                "secret get mail.example ada --no-agent --passphrase-file -",
                input: "something else\n"
            ).exitCode == 4)
        #expect(try home.state == "verified")
    }
}

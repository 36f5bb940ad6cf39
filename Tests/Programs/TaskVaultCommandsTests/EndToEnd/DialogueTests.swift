import Platform
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct DialogueTests {
    private let first = "Create a passphrase"
    private let second = "Repeat the passphrase"

    @Test func theInitDialogueStartsAgainUntilBothAreTheSame() throws {
        let home = try TestHome(withVault: false)
        let session = try TerminalSession(home, ["init"] + TestHome.cheap)
        try session.waitFor(first + ": ")
        #expect(!session.echoes)
        try session.type("abc\n")
        try session.waitFor("error: the passphrase has fewer than 4 characters")
        try session.answer(first, TestHome.passphrase)
        try session.answer(second, "something else")
        try session.waitFor("taskvault: error: the two passphrases differ\r\n")
        try session.answer(first, TestHome.passphrase)
        try session.answer(second, TestHome.passphrase)
        #expect(try session.finish() == 0)
        #expect(session.echoes)
        #expect(!session.screen.contains(TestHome.passphrase))
        #expect(session.screen.contains("taskvault: strength: strong (at most 10^20 guesses)\r\n"))
        _ = try TestHome.recoveryCode(in: session.screen)
        #expect(try home.run("secret list").exitCode == 0)
    }

    @Test func aWeakPassphraseIsUsedOnlyIfItIsMeant() throws {
        let weak = "to be or not to be"
        let home = try TestHome(withVault: false)
        func session(_ command: [String], _ answer: String) throws -> TerminalSession {
            let session = try TerminalSession(home, command + TestHome.cheap)
            if command == ["passphrase", "change"] {
                try session.answer("Passphrase", weak)
            }
            try session.answer(first, weak)
            try session.answer(second, weak)
            try session.waitFor("taskvault: strength: weak (at most 10^3 guesses)\r\n")
            try session.answer("use it anyway? [y/N]", answer)
            return session
        }
        let refused = try session(["init"], "")
        #expect(try refused.finish() == 8)
        #expect(refused.screen.contains("taskvault: cancelled"))
        #expect(!Files.exists(home.home))
        #expect(try session(["init"], "y").finish() == 0)
        let before = try slot(of: home)
        let unchanged = try session(["passphrase", "change"], "n")
        #expect(try unchanged.finish() == 8)
        #expect(unchanged.screen.contains("taskvault: cancelled"))
        #expect(try slot(of: home) == before)
        #expect(try session(["passphrase", "change"], "yes").finish() == 0)
        #expect(try slot(of: home) != before)
    }

    @Test func newKeysShowTheirProgress() throws {
        let home = try TestHome()
        try home.save("value")
        home.environment["TERM"] = "xterm"
        let session = try TerminalSession(home, ["passphrase", "change"])
        try session.answer("Passphrase", TestHome.passphrase)
        try session.answer(first, "another passphrase entirely")
        try session.answer(second, "another passphrase entirely")
        try session.waitFor("encrypting 100 %\r\u{1B}[K")
        #expect(try session.finish() == 0)
        let revoking = try TerminalSession(home, ["recovery", "revoke", "--keep-keys"])
        try revoking.answer("Passphrase", "another passphrase entirely")
        #expect(try revoking.finish() == 0)
        #expect(!revoking.screen.contains("encrypting"))
    }

    /// The first key slot of a vault's header.
    private func slot(of home: TestHome) throws -> [UInt8] {
        let bytes = try Files.read(home.vault)
        let start = try VaultBytes.header(in: bytes) + 29
        return Array(bytes[start..<start + 414])
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalAtThePromptBringsTheEchoBack(signal: Int32) throws {
        let home = try TestHome(withVault: false)
        let session = try TerminalSession(home, ["init"])
        try session.waitFor(first + ": ")
        try session.type("half a pass")
        #expect(!session.echoes)
        if signal == SIGINT { try session.type("\u{3}") } else { kill(session.process, signal) }
        #expect(try session.finish() == 130)
        #expect(session.echoes)
        // Ctrl-C also makes the terminal give up what is on its way to the screen, sometimes this message.
        #expect(
            session.screen.hasSuffix("taskvault: error: interrupted\r\n") || signal == SIGINT)
        #expect(!Files.exists(home.home))
    }

    @Test func theEndOfInputAtThePrompt() throws {
        let home = try TestHome()
        let session = try TerminalSession(home, ["--no-agent", "secret", "list"])
        try session.waitFor("Passphrase: ")
        try session.type("\u{4}")
        #expect(try session.finish() == 2)
        #expect(session.echoes)
    }

    @Test func theValueIsAskedForAfterThePassphraseWithoutBeingShown() throws {
        let home = try TestHome()
        let session = try TerminalSession(
            home, ["--no-agent", "secret", "set", "mail.example", "ada"])
        try session.answer("Passphrase", TestHome.passphrase)
        try session.answer("Value", "hunter2")
        #expect(try session.finish() == 0)
        #expect(!session.screen.contains("hunter2"))
        #expect(try home.value() == "hunter2")
    }

    @Test(arguments: [["set", "--replace"], ["update"]])
    func anEmptyValueIsAskedForAgain(command: [String]) throws {
        let home = try TestHome()
        try home.save("the old one")
        let session = try TerminalSession(
            home, ["--no-agent", "secret"] + command + ["mail.example", "ada"])
        try session.answer("Passphrase", TestHome.passphrase)
        try session.answer("Value", "")
        try session.waitFor("error: the value is empty; --allow-empty saves it\r\n")
        #expect(try home.value() == "the old one")
        try session.answer("Value", "hunter2")
        #expect(try session.finish() == 0)
        #expect(try home.value() == "hunter2")
    }

    @Test func anEmptyValueMayBeMeant() throws {
        let home = try TestHome()
        let session = try TerminalSession(
            home, ["--no-agent", "secret", "set", "--allow-empty", "mail.example", "ada"])
        try session.answer("Passphrase", TestHome.passphrase)
        try session.answer("Value", "")
        #expect(try session.finish() == 0)
        #expect(try home.value() == "")
    }

    /// Replacing ignores concurrent changes while the value was typed.
    @Test(arguments: [false, true]) func replacingUsesTheCurrentState(isThere: Bool) throws {
        let home = try TestHome()
        if isThere { try home.save("the old one") }
        let session = try TerminalSession(
            home, ["--no-agent", "secret", "set", "--replace", "mail.example", "ada"])
        try session.answer("Passphrase", TestHome.passphrase)
        try session.waitFor("Value: ")
        if isThere {
            expect(try home.run("secret remove --yes mail.example ada"), ends: 0)
        } else {
            try home.save("another's")
        }
        try session.type("hunter2\n")
        #expect(try session.finish() == 0)
        #expect(try home.value() == "hunter2")
    }

    @Test func aTakenNameIsRefusedBeforeTheQuestion() throws {
        let home = try TestHome()
        try home.save("first")
        let session = try TerminalSession(
            home, ["--no-agent", "secret", "set", "mail.example", "ada"])
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 6)
        #expect(!session.screen.contains("Value"))
    }

    @Test func valuesAreMadeVisibleOnATerminal() throws {
        let home = try TestHome()
        try home.run(
            ["secret", "set", "a", "b"],
            input: Array("x\u{1B}[31m\ny\u{202E}".utf8) + [0xFF])
        let session = try TerminalSession(home, ["--no-agent", "secret", "get", "a", "b"])
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0)
        #expect(session.screen.hasSuffix("\r\nx\\u{1B}[31m\r\ny\\u{202E}\\xFF\r\n"))
        // Text, which a table of text can hold.
        try home.run(["secret", "set", "c", "d"], input: Array("z\u{1B}[31m".utf8))
        let export = try TerminalSession(home, ["secret", "export", "--format", "csv"])
        try export.answer("Passphrase", TestHome.passphrase)
        #expect(try export.finish() == 0)
        #expect(export.screen.contains("z\\u{1B}[31m"))
        #expect(!export.screen.contains("\u{1B}"))
    }

    @Test func restoreAsksBeforeItReplaces() throws {
        let home = try TestHome()
        try home.run("backup backup.db")
        let question = "Replace the content of \(home.vault)? A copy is kept beside it [y/N]"
        let refused = try TerminalSession(home, ["restore", "backup.db"])
        try refused.answer(question, "")
        #expect(try refused.finish() == 8)
        #expect(Files.names(in: home.home) == ["vault.db"])
        let session = try TerminalSession(home, ["restore", "backup.db"])
        try session.answer(question, "y")
        try session.answer("Passphrase of the backup", TestHome.passphrase)
        #expect(try session.finish() == 0)
        #expect(Files.names(in: home.home) == ["vault.db", "vault.db.replaced-1"])
    }

    @Test func restoreAllowsThreeAttempts() throws {
        let home = try TestHome()
        try home.save("value")
        try home.run("backup backup.db")
        let other = try TestHome(withVault: false)
        let restore = ["restore", home.folder + "/backup.db"]
        let failed = try TerminalSession(other, restore)
        for _ in 0..<2 {
            try failed.answer("Passphrase of the backup", "not this one")
            try failed.waitFor("taskvault: error: wrong passphrase")
        }
        try failed.answer("Passphrase of the backup", "nor this")
        #expect(try failed.finish() == 4)
        #expect(!Files.exists(other.vault))
        let session = try TerminalSession(other, restore)
        try session.answer("Passphrase of the backup", "not this one")
        try session.answer("Passphrase of the backup", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(try other.value() == "value")
        // Ctrl-C at a later attempt leaves nothing.
        let third = try TestHome(withVault: false)
        let ended = try TerminalSession(third, restore)
        try ended.answer("Passphrase of the backup", "not this one")
        try ended.waitFor("Passphrase of the backup: ")
        try ended.type("\u{3}")
        #expect(try ended.finish() == 130)
        #expect(!Files.exists(third.home))
        // A file is read once.
        #expect(
            try third.run("restore \(home.folder)/backup.db", lines: ["no", TestHome.passphrase])
                .exitCode == 4)
    }

    @Test func repairAsksAfterShowingTheProblems() throws {
        let home = try TestHome()
        try home.save("value")
        try VaultBytes.flipState(of: home.vault)
        let session = try TerminalSession(home, ["doctor", "--repair"])
        try session.answer("Passphrase", TestHome.passphrase)
        try session.waitFor("problem: state_seal")
        try session.answer("cannot be detected afterwards [y/N]", "yes")
        #expect(try session.finish() == 0)
        #expect(try home.value() == "value")
    }

    @Test func aTerminalIsNoPassphraseFile() throws {
        let home = try TestHome()
        let session = try TerminalSession(
            home, ["--no-agent", "secret", "list", "--passphrase-file", "-"])
        #expect(try session.finish() == 2)
        #expect(session.screen.contains("which would show the input"))
    }

    @Test func aCrashPrintsNothing() throws {
        for signal in [SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP] {
            let home = try TestHome()
            let session = try TerminalSession(home, ["--no-agent", "secret", "list"])
            try session.waitFor("Passphrase: ")
            try session.type(TestHome.passphrase)
            kill(session.process, signal)
            #expect(try session.finish() == 128 + signal)
            #expect(session.screen == "Passphrase: ")
            #expect(!Files.names(in: home.folder).contains { $0.hasPrefix("core") })
        }
    }
}

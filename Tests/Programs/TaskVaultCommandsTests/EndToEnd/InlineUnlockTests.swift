import Foundation
import Platform
import Testing
import TestSupport

/// A command at a terminal that finds the vault locked unlocks it, as `unlock` does.
@Suite(.waitsForProcesses) struct InlineUnlockTests {
    private static let unlocked =
        "taskvault: unlocked: protected secrets for 2m, the others for 15m"

    /// A home with a locked vault of one secret.
    private func home() throws -> TestHome {
        let home = try TestHome()
        try home.save("hunter2")
        return home
    }

    private let get = ["secret", "get", "mail.example", "ada"]

    /// The thread that waits for the end of an agent takes no signal that the command holds back.
    @Test func aFileIsWrittenWholeOrNotAtAll() throws {
        let home = try TestHome.forFiles()
        try home.make("big", FileContent.bytes(30_000_000))
        try home.doFile("add", "big")
        func unfinished() -> [String] {
            Files.names(in: home.folder).filter { $0.hasPrefix(".taskvault-") }
        }
        for _ in 0..<3 {
            let agent = try #require(home.agentProcess)
            kill(agent, SIGTERM)
            #expect(Processes.wait { !Processes.isRunning(agent) })
            let session = try TerminalSession(home, ["file", "get", "big", "--output", "out"])
            try session.answer("Passphrase", TestHome.passphrase)
            #expect(Processes.wait { !unfinished().isEmpty || Files.exists(home.folder + "/out") })
            kill(session.process, SIGINT)
            let code = try session.finish()
            #expect(unfinished().isEmpty, "exit code \(code)")
            unsafe unlink(home.folder + "/out")
        }
    }

    @Test func theAgentHoldsTheVaultAfterwards() throws {
        let home = try home()
        let session = try TerminalSession(home, get)
        try session.waitFor("Passphrase: ")
        #expect(!session.echoes)
        try session.type(TestHome.passphrase + "\n")
        #expect(try session.finish() == 0)
        #expect(session.screen == "Passphrase: \r\n\(Self.unlocked)\r\nhunter2\r\n")
        #expect(try home.state == "verified")
        try home.expectValue("hunter2")
        let second = try TerminalSession(home, get)
        #expect(try second.finish() == 0)
        #expect(second.screen == "hunter2\r\n")
        // The agent of a locked session is used again.
        let agent = home.agentProcess
        expect(try home.ask("lock"), ends: 0)
        let third = try TerminalSession(home, get)
        try third.answer("Passphrase", TestHome.passphrase)
        #expect(try third.finish() == 0)
        #expect(home.agentProcess == agent)
    }

    @Test(arguments: [
        "secret list", "secret edit mail.example ada --label x", "settings get idle-limit",
        "settings set idle-limit 10m", "verify",
    ])
    func everyCommandThatNeedsTheSessionDoes(words: String) throws {
        let home = try home()
        let session = try TerminalSession(home, words.split(separator: " ").map(String.init))
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(try home.state == "verified")
    }

    @Test(arguments: ["settings list", "task list", "status", "lock"])
    func aCommandThatWorksWithoutTheSessionDoesNot(words: String) throws {
        let home = try home()
        let session = try TerminalSession(home, words.split(separator: " ").map(String.init))
        #expect(try session.finish() == 0)
        #expect(!session.screen.contains("Passphrase"))
        #expect(home.agentProcess == nil)
    }

    @Test(arguments: [
        ("secret set new ada", "value"), ("inject", "{{ taskvault://mail.example/ada }}"),
        ("secret get mail.example ada", ""), ("unlock", ""), ("verify", ""),
    ])
    func aPersonIsAskedAlsoIfStandardInputIsAnotherFile(words: String, input: String) throws {
        let home = try home()
        let file = home.folder + "/input"
        try Files.write(input, to: file)
        let session = try TerminalSession(
            home, words.split(separator: " ").map(String.init), input: file)
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(try home.state == "verified")
        if words == "inject" { #expect(session.screen.contains("hunter2")) }
        if words.hasPrefix("secret set") {
            try home.expectValue("value", "new")
            expect(try home.ask("lock"), ends: 0)
        }
    }

    @Test func aPersonIsAskedAlsoIfStandardInputIsAPipe() throws {
        let home = try home()
        let session = try TerminalSession(
            home, [], shell: "printf piped | '\(home.program)' secret set new ada")
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        try home.expectValue("piped", "new")
    }

    @Test func aProgramThatAsksItselfAndABackgroundJobAreNotAsked() throws {
        let home = try home()
        let file = home.folder + "/input"
        try Files.write("protocol=https\nhost=git.example\n\n", to: file)
        for words in [["git-credential", "get"], ["docker-credential", "list"]] {
            let session = try TerminalSession(home, words, input: file)
            #expect(try session.finish() == 3)
            #expect(!session.screen.contains("Passphrase"))
        }
        let job = try TerminalSession(
            home, [],
            shell: "set -m; '\(home.program)' secret get mail.example ada </dev/null & wait $!")
        #expect(try job.finish() == 3, "\(job.screen)")
        #expect(!job.screen.contains("Passphrase"))
    }

    @Test func whatIsTypedAheadIsNotShown() throws {
        let home = try home()
        let session = try TerminalSession(home, ["secret", "set", "new", "ada"])
        try session.answer("Passphrase", TestHome.passphrase)
        // The answer is read, and the vault is being unlocked.
        try session.waitFor("\r\n")
        #expect(!session.echoes)
        try session.type("typed ahead")
        try session.waitFor("Value: ")
        // Discards what may have been typed after the question.
        try session.type("\u{15}swordfish\n")
        #expect(try session.finish() == 0)
        #expect(!session.screen.contains("ahead"))
        #expect(session.echoes)
        try home.expectValue("swordfish", "new")
    }

    @Test func thereAreThreeTries() throws {
        let home = try home()
        for command in [get, ["unlock"]] {
            let session = try TerminalSession(home, command)
            // An empty one is wrong, too.
            for wrong in ["not this one", ""] {
                try session.answer("Passphrase", wrong)
                try session.waitFor("taskvault: error: wrong passphrase\r\n")
            }
            try session.answer("Passphrase", "nor this")
            #expect(try session.finish() == 4)
            #expect(session.screen.contains("hint: if you forgot it: "))
            #expect(!session.screen.contains("hunter2"))
            #expect(try home.state == "locked")
        }
        let session = try TerminalSession(home, get)
        try session.answer("Passphrase", "not this one")
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0)
        #expect(session.screen.hasSuffix("hunter2\r\n"))
    }

    @Test(arguments: [
        "doctor", "rekey", "secret export", "secret list --no-agent",
    ])
    func aCommandWithItsOwnPassphraseHasThreeTries(words: String) throws {
        let home = try home()
        let command = words.split(separator: " ").map(String.init)
        let failed = try TerminalSession(home, command)
        for _ in 0..<2 {
            try failed.answer("Passphrase", "not this one")
            try failed.waitFor("taskvault: error: wrong passphrase\r\n")
        }
        try failed.answer("Passphrase", "nor this")
        #expect(try failed.finish() == 4)
        let session = try TerminalSession(home, command)
        try session.answer("Passphrase", "not this one")
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        // A file is read once.
        let plain = words.replacing(" --no-agent", with: "")
        #expect(try home.run(plain, lines: ["not this one"]).exitCode == 4)
    }

    @Test func aFileIsReadOnce() throws {
        let home = try home()
        try Files.write("not this one\n\(TestHome.passphrase)\n", to: home.folder + "/wrong")
        let wrong = try TerminalSession(home, get + ["--passphrase-file", "wrong"])
        #expect(try wrong.finish() == 4)
        let right = try TerminalSession(home, get + ["--passphrase-file", home.passphraseFile])
        #expect(try right.finish() == 0)
        #expect(!(wrong.screen + right.screen).contains("Passphrase"))
        #expect(try home.state == "verified")
    }

    @Test func nothingIsAskedInJSONOrWithoutATerminal() throws {
        let home = try home()
        expect(
            try home.ask("secret get mail.example ada"), ends: 3, "error: the vault is locked",
            "hint: taskvault unlock")
        for (words, code) in [
            ("secret get mail.example ada", 3), ("verify", 3), ("unlock", 2), ("doctor", 2),
            ("destroy", 2), ("secret list --no-agent", 2), ("passphrase change", 2),
        ] as [(String, Int32)] {
            let session = try TerminalSession(
                home, words.split(separator: " ").map(String.init) + ["--json"])
            #expect(try session.finish() == code, "\(words)")
            #expect(session.screen.hasPrefix("{\"code\":"), "\(session.screen)")
        }
        #expect(home.agentProcess == nil)
        // With a file of passphrases nothing needs to be asked.
        let named = try TerminalSession(
            home, ["unlock", "--json", "--passphrase-file", home.passphraseFile])
        #expect(try named.finish() == 0)
        try home.closeWindow()
        try home.tell("protected", "diary", options: "--json")
        let value = try TerminalSession(home, ["secret", "set", "new", "ada", "--json"])
        #expect(try value.finish() == 2, "a value is not typed onto the screen")
    }

    @Test(arguments: [("\u{3}", 130), ("\u{4}", 2)] as [(String, Int32)])
    func givingUpStartsNoAgent(key: String, code: Int32) throws {
        let home = try home()
        let session = try TerminalSession(home, get)
        try session.waitFor("Passphrase: ")
        try session.type(key)
        #expect(try session.finish() == code)
        #expect(session.echoes)
        #expect(home.agentProcess == nil)
        #expect(Files.names(in: home.home) == ["vault.db"])
    }

    @Test func aVaultThatIsRemovedMeanwhileIsMissed() throws {
        let home = try home()
        let session = try TerminalSession(home, get)
        try session.waitFor("Passphrase: ")
        unsafe unlink(home.vault)
        try session.type(TestHome.passphrase + "\n")
        #expect(try session.finish() == 5)
        #expect(session.screen.contains("there is no vault at \(home.vault)"))
    }

    @Test func keysThatWereReplacedAreSaid() throws {
        let home = try home()
        // The first unlock gives the vault the key of this machine's log.
        try home.unlock()
        expect(try home.ask("lock"), ends: 0)
        // Another machine, with a state folder of its own and a copy of the file.
        let machine = try TestHome(withVault: false)
        #expect(unsafe mkdir(machine.home, 0o700) == 0)
        try Files.copy(home.vault, to: machine.vault)
        try home.unlock()
        let other = "another passphrase entirely"
        expect(
            try machine.run("passphrase change", lines: [TestHome.passphrase, other]), ends: 0)
        try Files.copy(machine.vault, to: home.folder + "/newer.db")
        #expect(unsafe rename(home.folder + "/newer.db", home.vault) == 0)
        for suffix in ["-wal", "-shm"] { unsafe unlink(home.vault + suffix) }
        let session = try TerminalSession(home, get)
        try session.waitFor("taskvault: keys replaced; unlock again\r\n")
        try session.answer("Passphrase", other)
        #expect(try session.finish() == 0)
        #expect(session.screen.hasSuffix("hunter2\r\n"))
    }

    #if os(Linux)
        @Test(.enabled(if: Tracer.isUsable, Tracer.reason))
        func withoutAnAgentTheCommandWorksByItself() throws {
            let home = try home()
            home.launcher = [
                Tracer.path, "-f", "-qq", "-e", "trace=bind", "-e",
                "inject=bind:error=EACCES", "-o", "/dev/null",
            ]
            let session = try TerminalSession(home, get)
            try session.answer("Passphrase", TestHome.passphrase)
            #expect(try session.finish() == 0)
            #expect(session.screen.contains("the vault is unlocked for this command only"))
            #expect(session.screen.hasSuffix("hunter2\r\n"))
            home.launcher = []
            #expect(try home.state == "locked")
        }
    #endif

    @Test func initLeavesThePersonUnlocked() throws {
        let home = try TestHome(withVault: false)
        let session = try TerminalSession(home, ["init"] + TestHome.cheap)
        try session.answer("Create a passphrase", TestHome.passphrase)
        try session.answer("Repeat the passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0)
        #expect(session.screen.hasSuffix(Self.unlocked + "\r\n"))
        _ = try TestHome.recoveryCode(in: session.screen)
        try home.tell("value")
        try home.expectValue("value")
    }

    @Test(arguments: ["--no-agent", "--passphrase-file"])
    func initLeavesTheVaultLockedIfThatIsMeant(option: String) throws {
        let home = try TestHome(withVault: false)
        let file = option == "--no-agent" ? [] : [home.passphraseFile]
        let session = try TerminalSession(home, ["init", option] + file + TestHome.cheap)
        if file.isEmpty {
            try session.answer("Create a passphrase", TestHome.passphrase)
            try session.answer("Repeat the passphrase", TestHome.passphrase)
        }
        #expect(try session.finish() == 0)
        #expect(home.agentProcess == nil)
        #expect(Files.names(in: home.home) == ["vault.db"])
    }
}

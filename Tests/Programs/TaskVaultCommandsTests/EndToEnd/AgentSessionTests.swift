import Foundation
import Platform
import Testing
import TestSupport

/// A session as a person sees it: one question, and none afterwards until something ends it.
@Suite(.waitsForProcesses) struct AgentSessionTests {
    @Test func asksOnceAndNeverAgain() throws {
        let home = try TestHome()
        let session = try TerminalSession(home, ["unlock"])
        try session.waitFor("Passphrase: ")
        #expect(!session.echoes)
        try session.type(TestHome.passphrase + "\n")
        #expect(try session.finish() == 0)
        try #require(session.screen.contains("\r\nunlocked: protected secrets for "))
        #expect(!session.screen.contains(TestHome.passphrase))

        try home.tell("first")
        try home.expectValue("first")
        expect(try home.ask("secret update mail.example ada", input: "second"), ends: 0)
        try home.expectValue("second")
        try home.tell("third", options: "--replace")
        expect(try home.ask("secret edit mail.example ada --label Mail"), ends: 0)
        let generated = try home.ask("secret generate wifi home --length 30")
        #expect(generated.outputText.wholeMatch(of: /[^\s]{30}/) != nil)
        try home.tell("hidden", "diary", options: "--class after-verification")
        try home.expectValue("hidden", "diary")
        let listed = try home.ask("secret list --json").json as? [[String: Any]]
        #expect(listed?.map { $0["service"] as? String } == ["diary", "mail.example", "wifi"])
        #expect(listed?.map { $0["label"] as? String } == ["", "Mail", ""])
        expect(try home.ask("secret remove --yes wifi home"), ends: 0)
        expect(
            try home.ask("secret get wifi home"), ends: 5,
            "error: there is no secret wifi home", "hint: taskvault secret list")
        // The vault holds what the agent said.
        #expect(try home.value() == "third")
        #expect(try home.value("diary") == "hidden")
    }

    @Test func anAgentThatEndsDuringTheQuestionGetsASuccessor() throws {
        let home = try TestHome()
        let agent = try home.unlock()
        expect(try home.ask("lock"), ends: 0)
        let session = try TerminalSession(home, ["unlock"])
        try session.waitFor("Passphrase: ")
        kill(agent, SIGTERM)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        try session.type(TestHome.passphrase + "\n")
        #expect(try session.finish() == 0)
        #expect(try home.state == "verified")
    }

    @Test func aTerminalIsNotAskedEither() throws {
        let home = try TestHome()
        try home.unlock()
        let saving = try TerminalSession(home, ["secret", "set", "mail.example", "ada"])
        try saving.answer("Value", "hunter2")
        #expect(try saving.finish() == 0)
        let reading = try TerminalSession(home, ["secret", "get", "mail.example", "ada"])
        #expect(try reading.finish() == 0)
        #expect(reading.screen == "hunter2\r\n")
        #expect(!saving.screen.contains("Passphrase"))
    }

    @Test func protectedTextAsksAtATerminalOnly() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("hidden", "diary", options: "--class after-verification")
        try home.tell("plain")
        expect(try home.ask("settings set verification-window 1s"), ends: 0)
        try home.waitFor("unlocked")
        let refusal = [
            "error: verification required", "hint: taskvault verify",
        ]
        for words in [
            "secret get diary ada", "secret update diary ada", "secret edit diary ada --label x",
            "secret set diary ada --replace", "secret set new ada --class after-verification",
        ] {
            expect(try home.ask(words, input: "value"), ends: 8, refusal[0], refusal[1])
        }
        // What is not protected goes on, and so does removing.
        try home.expectValue("plain")
        #expect(try home.ask("secret list").outputLines.count == 3)

        try home.closeWindow()
        let shown = try TerminalSession(home, ["secret", "get", "diary", "ada"])
        try shown.answer("Passphrase", TestHome.passphrase)
        #expect(try shown.finish() == 0)
        #expect(shown.screen.hasSuffix("\r\nhidden\r\n"))
        try home.closeWindow()
        let wrong = try TerminalSession(home, ["secret", "get", "diary", "ada"])
        for _ in 0..<3 { try wrong.answer("Passphrase", "something else") }
        #expect(try wrong.finish() == 4)
        #expect(!wrong.screen.contains("hidden"))
        expect(try home.ask("secret remove --yes diary ada"), ends: 0)
    }

    /// Commands that change something protected. Each asks for the passphrase once, then for its own answer, if any.
    @Test(
        arguments: [
            ("secret set new ada --class after-verification", ["Value: value"]),
            ("secret set diary ada --replace", ["Value: value"]),
            ("secret update diary ada", ["Value: value"]),
            ("secret edit diary ada --label x", []),
            ("secret edit plain ada --class after-verification", []),
            ("secret generate diary ada --replace", []),
            ("secret restore diary ada", []),
            ("settings set idle-limit 16m", []),
            ("file add --protected passphrase", []),
            ("file protect note", []),
        ] as [(String, [String])])
    func aChangeAsksAtATerminal(command: String, answers: [String]) throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("first", "diary", options: "--class after-verification")
        #expect(try home.ask("secret update diary ada", input: "second").exitCode == 0)
        try home.tell("value", "plain")
        try home.doFile("add", "-", "--name", "note", input: [1])
        try home.closeWindow()
        let words = command.split(separator: " ").map(String.init)
        // Without a person nothing changes.
        #expect(try home.ask(command, input: "value").exitCode == 8)
        let session = try TerminalSession(home, words)
        try session.answer("Passphrase", TestHome.passphrase)
        for answer in answers {
            let parts = answer.split(separator: ": ").map(String.init)
            try session.answer(parts[0], parts[1])
        }
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(session.screen.components(separatedBy: "Passphrase").count == 2)
        #expect(try home.state == "verified")
    }

    /// The window may end while the person types; the answer is not lost.
    @Test func aValueTypedForTooLongIsSaved() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("first", "diary", options: "--class after-verification")
        let session = try TerminalSession(home, ["secret", "update", "diary", "ada"])
        try session.waitFor("Value: ")
        try home.closeWindow()
        try session.type("typed for long\n")
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        try home.expectValue("typed for long", "diary")
    }

    @Test func aWrongAnswerChangesNothing() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("first", "diary", options: "--class after-verification")
        try home.closeWindow()
        let session = try TerminalSession(home, ["secret", "update", "diary", "ada"])
        for _ in 0..<3 { try session.answer("Passphrase", "something else") }
        #expect(try session.finish() == 4)
        #expect(!session.screen.contains("Value"))
        #expect(try home.value("diary") == "first")
    }

    /// The types of the requests that a command sends to the agent.
    private static func requests(of command: String, in home: TestHome) throws -> Set<UInt8> {
        let trace = home.folder + "/trace"
        let result = try home.runBare(
            command.split(separator: " ").map(String.init), input: Array("value".utf8),
            beneath: [
                Tracer.path, "-f", "-qq", "-xx", "-e", "trace=sendto,sendmsg", "-o", trace,
            ])
        #expect(result.exitCode == 0, "\(result.errorText)")
        // The length of a frame, below 64 KiB, and the type. A frame with a secret is sent from two places at once.
        let frame = /(?:sendto\(\d+, |msg_iov=\[\{iov_base=)"\\x..\\x..\\x00\\x00\\x([0-9a-f]{2})/
        let text = String(decoding: try Files.read(trace), as: UTF8.self)
        return Set(text.matches(of: frame).compactMap { UInt8($0.output.1, radix: 16) })
    }

    @Test(.enabled(if: Tracer.isUsable, Tracer.reason))
    func savingReadsNoValue() throws {
        let home = try TestHome()
        try home.unlock()
        // The last one asks for what the owner must be told.
        #expect(
            try Self.requests(of: "secret set mail.example ada", in: home)
                == [0, 0x2C, 0x21, 0x16])
        for (command, describing) in [
            ("secret update", [0x26, 0x2C]), ("secret set --replace", [0x2C]),
            ("secret generate --replace", [0x2C]),
        ] as [(String, Set<UInt8>)] {
            let requests = try Self.requests(of: "\(command) mail.example ada", in: home)
            #expect(requests == describing.union([0, 0x22, 0x16]), "\(command)")
        }
        // The control.
        #expect(
            try Self.requests(of: "secret get mail.example ada", in: home)
                == [0, 0x20, 0x16])
    }

    @Test func aNameThatIsTakenNeedsNoVerification() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("hidden", "diary", options: "--class after-verification")
        expect(try home.ask("settings set verification-window 1s"), ends: 0)
        try home.waitFor("unlocked")
        expect(
            try home.ask("secret set diary ada", input: "x"), ends: 6,
            "error: secret diary ada already exists",
            "hint: taskvault secret set --replace diary ada")
    }

    @Test func aProtectedValueIsNotAskedForBeforeTheVerification() throws {
        let home = try TestHome()
        try home.unlock()
        expect(try home.ask("settings set verification-window 1s"), ends: 0)
        try home.waitFor("unlocked")
        // An empty value is refused only after it was read.
        expect(
            try home.ask("secret set diary ada --class after-verification", input: ""), ends: 8,
            "error: verification required", "hint: taskvault verify")
    }

    @Test func verifyingOpensTheWindowAgain() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("hidden", "diary", options: "--class after-verification")
        expect(try home.ask("settings set verification-window 1s"), ends: 0)
        try home.waitFor("unlocked")
        expect(
            try home.ask("verify"), ends: 2,
            "error: cannot ask for the passphrase: standard input is not a terminal",
            "hint: run it in a terminal, or give --passphrase-file FILE")
        let wrong = try home.ask("verify --passphrase-file -", input: "something else\n")
        #expect(wrong.exitCode == 4)
        #expect(try home.state == "unlocked")
        let session = try TerminalSession(home, ["verify"])
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("\r\nverified: protected secrets for 1s, "))
        try home.closeWindow()
        let read = try home.ask(
            "secret get diary ada --passphrase-file -", input: TestHome.passphrase + "\n")
        #expect(read.outputText == "hidden")
    }

    @Test func aWrongPassphraseLeavesTheSessionAsItIs() throws {
        let home = try TestHome()
        expect(
            try home.ask("unlock --passphrase-file -", input: "something else\n"), ends: 4,
            "error: wrong passphrase",
            "hint: if you forgot it: taskvault passphrase change --recovery")
        #expect(try home.state == "locked")
        let agent = try home.unlock()
        for command in ["unlock", "verify"] {
            for attempt in ["something else\n", "\n"] {
                let refused = try home.ask("\(command) --passphrase-file -", input: attempt)
                #expect(refused.exitCode == 4, "\(command): \(refused.errorText)")
            }
        }
        #expect(try home.state == "verified")
        // The right one is as good as ever, and it is the same agent.
        #expect(try home.unlock() == agent)
    }

    @Test func lockingEndsIt() throws {
        let home = try TestHome()
        expect(try home.ask("lock"), ends: 0)
        #expect(try home.ask("lock").outputText == "locked\n")
        #expect(try home.ask("lock --json").outputText.hasPrefix("{\"state\":\"locked\","))
        #expect(Files.names(in: home.home) == ["vault.db"], "locking starts nothing")
        let agent = try home.unlock()
        try home.tell("value")
        expect(try home.ask("lock"), ends: 0)
        #expect(Processes.isRunning(agent))
        let words = [
            "secret get mail.example ada", "secret set new ada", "secret update mail.example ada",
            "secret edit mail.example ada --label x", "secret remove --yes mail.example ada",
            "secret list", "secret generate new ada", "settings get idle-limit",
            "settings set idle-limit 1m", "verify",
        ]
        for words in words {
            expect(
                try home.ask(words, input: "v"), ends: 3, "error: the vault is locked",
                "hint: taskvault unlock")
        }
        let inJSON = try home.ask("secret list --json")
        #expect(inJSON.exitCode == 3)
        #expect(
            inJSON.failure as? [String: String] == [
                "code": "locked", "message": "the vault is locked", "hint": "taskvault unlock",
            ])
        #expect(try home.unlock() == agent)
        try home.expectValue("value")
        // Without an agent it is the same.
        kill(agent, SIGTERM)
        #expect(Processes.wait { !Processes.isRunning(agent) })
        for words in words {
            expect(
                try home.ask(words, input: "v"), ends: 3, "error: the vault is locked",
                "hint: taskvault unlock")
        }
    }

    @Test func theRecoveryCodeUnlocks() throws {
        let home = try TestHome(withVault: false)
        let made = try home.run(["init"] + TestHome.cheap)
        let code = try TestHome.recoveryCode(in: made.outputText)
        let session = try TerminalSession(home, ["recovery", "unlock"])
        try session.answer("Recovery code", code)
        #expect(try session.finish() == 0)
        #expect(try home.state == "verified")
        try home.tell("hidden", options: "--class after-verification")
        try home.expectValue("hidden")
        // Each kind opens with its own command.
        expect(try home.ask("lock"), ends: 0)
        #expect(try home.ask("unlock --passphrase-file -", input: code + "\n").exitCode == 4)
        let other = code.replacing(/^..../, with: "AAAA")
        #expect(
            [2, 4].contains(
                try home.ask("recovery unlock --passphrase-file -", input: other + "\n").exitCode))
        #expect(try home.state == "locked")
        expect(
            try home.ask(
                "recovery unlock --passphrase-file -",
                input: code.lowercased().replacing("-", with: " ") + "\n"), ends: 0)
    }
}

import Testing
import TestSupport

/// A person in a hurry: the wrong key, a paste, the wrong secret, the wrong home. What it costs can be brought back.
@Suite(.waitsForProcesses) struct HurryTests {
    /// A command and what it asks, with the right answers.
    struct Dialogue: Sendable, CustomTestStringConvertible {
        let command: String
        let questions: [(question: String, answer: String)]

        var testDescription: String { command }

        init(_ command: String, _ questions: (String, String)...) {
            self.command = command
            self.questions = questions
        }
    }

    private static let passphrase = ("Passphrase", TestHome.passphrase)
    private static let another = "another passphrase entirely"
    private static let dialogues = [
        Dialogue(
            "--no-agent secret set --replace mail.example ada", passphrase, ("Value", "newer")),
        Dialogue(
            "--no-agent secret remove mail.example ada", passphrase,
            ("Remove mail.example ada? [y/N]", "y")),
        Dialogue(
            "--no-agent secret remove --permanently mail.example ada", passphrase,
            ("with all its earlier values? [y/N]", "y")),
        Dialogue(
            "passphrase change", passphrase, ("Create a passphrase", another),
            ("Repeat the passphrase", another)),
        Dialogue("rekey", passphrase),
        Dialogue(
            "restore backup.db", ("A copy is kept beside it [y/N]", "y"),
            ("Passphrase of the backup", TestHome.passphrase)),
        Dialogue("destroy", ("Type home to remove it", "home")),
    ]
    /// Ctrl-C in the middle of a word, Enter twice, another word, and a clipboard with the answers to every question.
    private static let keys = [
        "half a wo\u{3}", "\n\n", "wrong\n",
        "\(TestHome.passphrase)\ny\nhome\n\(another)\n\(another)\ny\ny\n",
    ]

    @Test(arguments: dialogues) func theWrongKeyLosesNothing(dialogue: Dialogue) throws {
        let home = try TestHome()
        try home.save("value")
        expect(try home.run("backup backup.db"), ends: 0)
        for place in dialogue.questions.indices {
            for keys in Self.keys {
                let session = try TerminalSession(
                    home, dialogue.command.split(separator: " ").map(String.init))
                for (question, answer) in dialogue.questions[..<place] {
                    try session.answer(question, answer)
                }
                try session.waitFor(dialogue.questions[place].question + ": ")
                try session.type(keys)
                try giveUp(session)
                #expect(session.echoes)
                // A value that was replaced by mistake, the only thing that the wrong key can do, is still there.
                if try home.value() != "value" {
                    #expect(dialogue.questions[place].question == "Value", "\(keys)")
                    expect(try home.run("secret restore mail.example ada --json"), ends: 0)
                }
                #expect(try home.value() == "value", "\(place) \(keys)")
                // The right passphrase in a paste restores the same.
                let files = Set(Files.names(in: home.home)).subtracting(["vault.db.replaced-1"])
                #expect(files == ["vault.db"], "\(place) \(keys)")
            }
        }
        #expect(try home.run("doctor").exitCode == 0)
        // The right answers, each to its question, do what is asked.
        let session = try TerminalSession(
            home, dialogue.command.split(separator: " ").map(String.init))
        for (question, answer) in dialogue.questions { try session.answer(question, answer) }
        #expect(try session.finish() == 0, "\(session.screen)")
    }

    /// Answers whatever is still asked with Ctrl-C.
    private func giveUp(_ session: TerminalSession) throws {
        do {
            while true {
                try session.waitFor(": ")
                try session.type("\u{3}")
            }
        } catch is TerminalSession.WaitFailure {
            _ = try session.finish()
        }
    }

    /// Enter twice, or a paste, before the program has asked.
    @Test(arguments: ["destroy", "restore backup.db", "passphrase change"])
    func whatWasTypedBeforeAQuestionIsNoAnswer(command: String) throws {
        let home = try TestHome()
        try home.save("value")
        expect(try home.run("backup backup.db"), ends: 0)
        home.launcher = [
            "/bin/sh", "-c", "until [ -e go ]; do sleep 0.01; done; exec \"$0\" \"$@\"",
        ]
        let dialogue = try #require(Self.dialogues.first { $0.command == command })
        let session = try TerminalSession(home, command.split(separator: " ").map(String.init))
        try session.type(dialogue.questions.map { $0.answer + "\n" }.joined())
        try Files.write("", to: home.folder + "/go")
        try session.waitFor(dialogue.questions[0].question + ": ")
        // Not Ctrl-C: the terminal itself would discard what was typed before.
        try session.type("no\n")
        // A wrong passphrase is asked for again.
        for _ in 0..<(command == "passphrase change" ? 2 : 0) {
            try session.waitFor("wrong passphrase")
            try session.answer(dialogue.questions[0].question, "no")
        }
        #expect(try session.finish() != 0)
        home.launcher = []
        #expect(try home.value() == "value")
        #expect(Files.names(in: home.home) == ["vault.db"])
    }

    @Test func theWrongSecretComesBack() throws {
        let home = try TestHome()
        try home.save("value")
        try home.save("other", "mail.example", "eve")
        let removal = try TerminalSession(
            home, ["--no-agent", "secret", "remove", "mail.example", "ada"])
        try removal.answer("Passphrase", TestHome.passphrase)
        try removal.answer("Remove mail.example ada? [y/N]", "y")
        #expect(try removal.finish() == 0)
        #expect(try home.run("secret get mail.example ada").exitCode == 5)
        expect(try home.run("secret restore mail.example ada"), ends: 0)
        #expect(try home.value() == "value")
        let change = try TerminalSession(
            home, ["--no-agent", "secret", "set", "--replace", "mail.example", "ada"])
        try change.answer("Passphrase", TestHome.passphrase)
        try change.answer("Value", "meant for eve")
        #expect(try change.finish() == 0)
        #expect(try home.value() == "meant for eve")
        expect(try home.run("secret restore mail.example ada"), ends: 0)
        #expect(try home.value() == "value")
        #expect(try home.value("mail.example", "eve") == "other")
    }

    @Test func aBackupOverTheWrongHomeIsTakenBack() throws {
        let home = try TestHome.forTasks()
        try home.save("value")
        try home.unlock()
        _ = try home.add("--protected", input: "see a doctor")
        _ = try home.add("buy milk")
        expect(try home.ask("lock"), ends: 0)
        let other = try TestHome(withVault: false)
        try other.make()
        try other.save("of another vault")
        expect(try other.run("backup \(home.folder)/backup.db"), ends: 0)
        let session = try TerminalSession(home, ["restore", "backup.db"])
        try session.answer("A copy is kept beside it [y/N]", "y")
        try session.answer("Passphrase of the backup", TestHome.passphrase)
        #expect(try session.finish() == 0)
        #expect(try home.value() == "of another vault")
        let back = try home.run("restore home/vault.db.replaced-1 --replace")
        #expect(back.exitCode == 0)
        #expect(try home.value() == "value")
        let shown = try home.run("task list --reveal --json").json as? [[String: Any]]
        #expect(
            Set(try #require(shown).compactMap { $0["name"] as? String }) == [
                "see a doctor", "buy milk",
            ])
    }
}

import Testing
import TestSupport

/// Finding a secret by one word, and lists with a pattern.
@Suite(.waitsForProcesses) struct FindingTests {
    /// A home with an agent and some entries.
    private func home() throws -> TestHome {
        let home = try TestHome()
        try home.unlock()
        for (names, label, value) in [
            ("github ada", "Code", "one"), ("github.example bob", "", "two"),
            ("mail eve", "Post", "three"), ("mail zoe", "", "four"),
        ] {
            let saved = try home.ask("secret set \(names) --label=\(label)", input: value)
            #expect(saved.exitCode == 0, "\(saved.errorText)")
        }
        return home
    }

    /// Runs a command at a terminal, and returns what it printed.
    private func atTerminal(_ home: TestHome, _ words: String, ends code: Int32) throws -> String {
        let session = try TerminalSession(home, words.split(separator: " ").map(String.init))
        #expect(try session.finish() == code)
        return session.screen
    }

    @Test func anExactServiceOrLabelFindsTheEntry() throws {
        let home = try home()
        #expect(try home.ask("secret get github").outputText == "one")
        #expect(try home.ask("secret get Code").outputText == "one")
        #expect(try home.ask("secret get github.example").outputText == "two")
        #expect(try home.run("secret get Post").outputText == "three", "without an agent, too")
    }

    @Test func severalEntriesAreListed() throws {
        let home = try home()
        expect(
            try home.ask("secret get mail"), ends: 2,
            "error: several secrets match mail: mail eve, mail zoe",
            "hint: taskvault secret get mail eve")
        for number in 10...40 { try home.tell("x", "many\(number)", options: "--label many") }
        let many = try home.ask("secret show many").errorLines
        #expect(many.first?.hasSuffix("many28 ada, many29 ada, and more") == true)
        #expect(many.last == "taskvault: hint: taskvault secret show many10 ada")
        let json = try home.ask("secret get mail --json")
        #expect(json.failure["code"] as? String == "ambiguous_secret")
    }

    @Test(arguments: ["hub", "GITHUB", "code", "eve", "githu"])
    func elsewhereThanOnATerminalAPartFindsNothing(word: String) throws {
        let home = try home()
        for command in ["get", "show", "history", "edit --label x", "remove"] {
            expect(
                try home.ask("secret \(command) \(word)"), ends: 5,
                "error: no secret has the service or label \(word)",
                "hint: taskvault secret list \(word)")
        }
        #expect(try home.ask("secret list").outputLines.count == 5)
    }

    @Test func onATerminalAPartIsEnough() throws {
        let home = try home()
        #expect(try atTerminal(home, "secret get eve", ends: 0).contains("three"))
        #expect(try atTerminal(home, "secret get CODE", ends: 0).contains("one"))
        let several = try atTerminal(home, "secret get hub", ends: 2)
        #expect(several.contains("several secrets match hub: github ada, github.example bob"))
        // The whole service wins over a part, in any case.
        #expect(try atTerminal(home, "secret get GitHub", ends: 0).contains("one"))
        let none = try atTerminal(home, "secret get nothing", ends: 5)
        #expect(none.contains("error: no secret matches nothing"))
        // A program reads JSON.
        let json = try atTerminal(home, "secret get eve --json", ends: 5)
        #expect(json.contains("no secret has the service or label eve"))
    }

    @Test func twoNamesStayExact() throws {
        let home = try home()
        expect(
            try home.ask("secret get githu ada"), ends: 5,
            "error: there is no secret githu ada", "hint: taskvault secret list")
        #expect(try home.ask("secret get GitHub ada").exitCode == 5)
        expect(
            try home.ask("secret get github --field pin"), ends: 5,
            "error: secret github ada has no field pin",
            "hint: taskvault secret show github ada lists its fields")
    }

    @Test func oneWordIsEnoughForOtherCommands() throws {
        let home = try home()
        #expect(try home.ask("secret show Post").outputLines.first == "mail eve")
        #expect(try home.ask("secret edit Post --tag x").outputText == "edited mail eve\n")
        try home.ask("secret update mail eve", input: "new")
        #expect(try home.ask("secret history Post").outputLines.count == 2)
        #expect(try home.ask("secret restore Post").outputText == "restored mail eve\n")
        #expect(try home.ask("secret get Post").outputText == "three")
        #expect(try home.ask("secret remove --yes Post").outputText == "removed mail eve\n")
        #expect(try home.ask("secret get Post").exitCode == 5)
        // A removed entry is found as well.
        #expect(try home.ask("secret restore Post").outputText == "restored mail eve\n")
        #expect(try home.ask("secret restore nothing").exitCode == 5)
    }

    @Test func oneWordIsEnoughForANewValue() throws {
        let home = try home()
        #expect(
            try home.ask("secret update Code", input: "new").outputText == "updated github ada\n")
        #expect(try home.ask("secret get github").outputText == "new")
        #expect(try home.ask("secret update Code --field pin", input: "1").exitCode == 5)
        expect(
            try home.ask("secret update mail", input: "x"), ends: 2,
            "error: several secrets match mail: mail eve, mail zoe",
            "hint: taskvault secret update mail eve")
        let made = try home.ask("secret generate Code --replace --digits --length 4")
        expect(made, ends: 0)
        #expect(made.output.count == 4)
        #expect(try home.ask("secret get github ada").output == made.output)
        expect(
            try home.ask("secret generate new.example"), ends: 2, "error: missing ACCOUNT",
            "hint: taskvault secret generate [options] [SERVICE] [ACCOUNT]")
        // Off a terminal a part finds nothing.
        for words in ["update hub", "generate hub --replace"] {
            expect(
                try home.ask("secret " + words, input: "x"), ends: 5,
                "error: no secret has the service or label hub",
                "hint: taskvault secret list hub")
        }
        let session = try TerminalSession(home, ["secret", "update", "eve"])
        try session.answer("Value", "typed")
        #expect(try session.finish() == 0)
        #expect(try home.ask("secret get mail eve").outputText == "typed")
    }

    @Test func aListShowsWhatMatchesInAnyCase() throws {
        let home = try home()
        try home.ask("secret edit mail zoe --tag Friends")
        func services(_ words: String) throws -> [String] {
            let list = try home.ask("secret list --json " + words).json as? [[String: Any]]
            return try #require(list).compactMap { $0["account"] as? String }
        }
        #expect(try services("GIT") == ["ada", "bob"])
        #expect(try services("friend") == ["zoe"])
        #expect(try services("POST") == ["eve"])
        #expect(try services("zoe") == ["zoe"])
        #expect(try services("nothing").isEmpty)
        #expect(try home.ask("secret list nothing").output.isEmpty)
        #expect(try home.run("secret list hub").outputLines.count == 3, "without an agent, too")
        try home.ask("secret remove --yes mail eve")
        #expect(try services("--removed post") == ["eve"])
        #expect(try services("--removed hub").isEmpty)
    }

    @Test func aLockedVaultFindsNothing() throws {
        let home = try home()
        try home.ask("lock")
        for command in ["get github", "show github", "list git", "remove github ada"] {
            expect(
                try home.ask("secret " + command), ends: 3, "error: the vault is locked",
                "hint: taskvault unlock")
        }
    }
}

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
    private func atTerminal(
        _ home: TestHome, _ words: String, asks number: String? = nil, ends code: Int32
    ) throws -> String {
        let session = try TerminalSession(home, words.split(separator: " ").map(String.init))
        if let number { try session.answer("Number", number) }
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
            try home.ask("secret get mail"), ends: 2, "error: several secrets match mail",
            "  mail eve  (Post)", "  mail zoe", "hint: taskvault secret get mail eve")
        for number in 10...40 { try home.tell("x", "many\(number)", options: "--label many") }
        let many = try home.ask("secret show many").errorLines
        #expect(many.count == 23)
        #expect(many[20...21] == ["taskvault:   many29 ada  (many)", "taskvault:   and 11 more"])
        #expect(many.last == "taskvault: hint: taskvault secret show many10 ada")
        let json = try home.ask("secret get mail --json")
        #expect(json.failure["code"] as? String == "ambiguous_secret")
        #expect(json.failure["details"] as? [String] == ["mail eve  (Post)", "mail zoe"])
    }

    /// An exact service wins over labels, also for a program.
    @Test func aServiceWinsOverALabel() throws {
        let home = try home()
        try home.tell("five", "other", options: "--label github")
        try home.tell("six", "third", options: "--tag git --label mail.example")
        #expect(try home.ask("secret get github").outputText == "one")
        // On a terminal the beginning of a service does, too.
        #expect(try atTerminal(home, "secret get mai", asks: "2", ends: 0).contains("four"))
        #expect(try atTerminal(home, "secret get thi", ends: 0).contains("six"))
        let several = try atTerminal(home, "secret get git", asks: "1", ends: 0)
        #expect(several.contains("several secrets match git:"))
        #expect(several.contains("  1  github ada  (Code)"))
        #expect(several.contains("  2  github.example bob\r\n"))
        #expect(several.contains("one"))
        #expect(!several.contains("third"))
    }

    /// A service, or else its beginning, wins over the addresses of other entries.
    @Test func aServiceWinsOverAnAddress() throws {
        let home = try home()
        try home.tell("five", "other")
        try home.tell("https://github.wiki/mail", "other", options: "--field url")
        #expect(try home.ask("secret get github").outputText == "one")
        #expect(try atTerminal(home, "secret get GitHub", ends: 0).contains("one"))
        let several = try atTerminal(home, "secret get mai", asks: "1", ends: 0)
        #expect(several.contains("  2  mail zoe\r\n"))
        #expect(!several.contains("other"))
        // The address is searched, too.
        #expect(try atTerminal(home, "secret get wiki", ends: 0).contains("five"))
    }

    @Test func aPersonChoosesByNumber() throws {
        let home = try home()
        let session = try TerminalSession(home, ["secret", "get", "mail"])
        for wrong in ["0", "3", "zoe"] {
            try session.answer("Number", wrong)
            try session.waitFor("error: type a number from 1 to 2, or nothing to cancel")
        }
        try session.answer("Number", "2")
        #expect(try session.finish() == 0)
        #expect(session.screen.hasSuffix("four\r\n"))
        #expect(try atTerminal(home, "secret get mail", asks: "", ends: 8).contains("cancelled"))
        // Also if the output is a pipe; a part is confirmed then.
        for (word, number, value) in [("mail", "1", "three"), ("eve", "1", "three")] {
            let piped = try TerminalSession(
                home, [], shell: "'\(Executable.path)' secret get \(word) >value")
            try piped.answer("Number", number)
            #expect(try piped.finish() == 0)
            #expect(try Files.read(home.folder + "/value") == Array(value.utf8))
        }
        // Nothing is asked for a clear one.
        let clear = try TerminalSession(
            home, [], shell: "'\(Executable.path)' secret get Post >value")
        #expect(try clear.finish() == 0)
        #expect(!clear.screen.contains("Number"))
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
        #expect(try atTerminal(home, "secret get hub", asks: "2", ends: 0).contains("two"))
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
            "error: several secrets match mail", "  mail eve  (Post)", "  mail zoe",
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

import Foundation
import Platform
import Testing
import TestSupport

/// Names of the vault in the completions of shells.
@Suite(.waitsForProcesses) struct CompletionNameTests {
    /// Names that a shell would split, expand or run, or that look like an option.
    static let names = [
        "two words", "it's", "say \"hi\"", "host:8080", "a=b", "$(touch pwned)", "`touch pwned`",
        "x; touch pwned", "x|y&z>pwned", "~root", "*", "[a]?{b,c}", "back\\slash", "#hash", "!1",
        "%5", "^a^b", "$HOME", "tail ", " head", "é ü", "日本", "ends'", "ends\"",
    ]

    /// A shell at a terminal with the completions. What it runs as `taskvault` prints its arguments instead.
    private struct ShellSession {
        let home: TestHome
        let session: TerminalSession

        init(_ shell: String, _ home: TestHome) throws {
            self.home = home
            let folder = home.folder
            let script = try home.runBare(["completions", shell])
            try Files.write(String(decoding: script.output, as: UTF8.self), to: folder + "/script")
            let bin = folder + "/bin"
            unsafe mkdir(bin, 0o700)
            // The arguments, each with its end; then a word that the command line does not have.
            try Files.write(
                """
                #!/bin/sh
                [ "$1" = completions ] && exec '\(Executable.path)' "$@"
                printf '%s\\n' "$@" >'\(folder)/arguments'
                echo "fin""ished $#"
                """, to: bin + "/taskvault", mode: 0o700)
            try Files.write(
                "PS1='> '\nHISTFILE=\n"
                    + (shell == "zsh" ? "autoload -Uz compinit\ncompinit -u -D\n" : "")
                    + ". '\(folder)/script'\n", to: folder + "/.zshrc")
            home.environment["PATH"] = bin + ":/usr/bin:/bin"
            home.environment["ZDOTDIR"] = folder
            home.environment["TERM"] = "xterm"
            home.environment["LC_ALL"] = "C.UTF-8"
            let command =
                switch shell {
                case "bash": "bash --noprofile --rcfile .zshrc -i"
                case "zsh": "zsh -d -i"
                default:
                    "fish --no-config -i -C 'source script; function fish_prompt; echo \"> \"; end'"
                }
            home.launcher = ["/bin/sh", "-c", "exec " + command]
            session = try TerminalSession(home, [], rows: 24, columns: 200)
            home.launcher = []
            try session.waitFor("> ")
        }

        /// Types a command line, in which a tab completes.
        ///
        /// - Returns: The arguments with which the shell then runs the program.
        func run(_ line: String) throws -> [String] {
            try session.type(line + "\r")
            try session.waitFor("finished ")
            let text = String(
                decoding: try Files.read(home.folder + "/arguments"), as: UTF8.self)
            unsafe unlink(home.folder + "/arguments")
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .map(String.init)
        }

        func end() throws {
            try session.type("exit\r")
            _ = try session.finish()
        }
    }

    /// An unlocked vault with an entry for each name, as an account and as a service.
    private func home() throws -> TestHome {
        let home = try TestHome()
        try home.unlock()
        for (index, name) in Self.names.enumerated() {
            for names in [["s\(index)", name], ["z\(index) " + name, "ada"]] {
                let saved = try home.runBare(["secret", "set", "--"] + names, input: [1])
                #expect(saved.exitCode == 0, "\(saved.errorText)")
            }
        }
        for names in [["option", "-x"], ["control", "a\u{202E}b"], ["control", "a\u{200B}b"]] {
            let saved = try home.runBare(["secret", "set", "--"] + names, input: [1])
            #expect(saved.exitCode == 0, "\(saved.errorText)")
        }
        for field in ["pin", "backup code"] {
            let saved = try home.runBare(
                ["secret", "set", "s1", Self.names[1], "--field", field], input: [1])
            #expect(saved.exitCode == 0, "\(saved.errorText)")
        }
        return home
    }

    @Test(arguments: ["bash", "zsh", "fish"].filter { Tool.isPresent($0) })
    func aShellCompletesEveryNameSafely(shell: String) throws {
        let home = try home()
        let other = try #require(
            try home.ask("task add --json paint the door").object["id"] as? String)
        let session = try ShellSession(shell, home)
        for (index, name) in Self.names.enumerated() where shell != "fish" || name != "~root" {
            #expect(
                try session.run("taskvault secret get s\(index) \t") == [
                    "secret", "get", "s\(index)", name,
                ])
            let service = "z\(index) " + name
            #expect(
                try session.run("taskvault secret get z\(index)\\ \t") == [
                    "secret", "get", service,
                ])
            #expect(
                try session.run("taskvault secret get z\(index)\\ \t\t")
                    == ["secret", "get", service, "ada"])
        }
        for quote in ["'", "\""] {
            for index in [0, 1, 2, 3, 5, 6, 12, 14, 22, 23] {
                // The shell closes the quotation marks.
                #expect(
                    try session.run("taskvault secret get \(quote)z\(index) \t")
                        == ["secret", "get", "z\(index) " + Self.names[index]])
            }
        }
        #expect(
            try session.run("taskvault secret get s3 host:8\t") == [
                "secret", "get", "s3", "host:8080",
            ])
        #expect(
            try session.run("taskvault secret get s1 it\\'s --field b\t").last == "backup code")
        #expect(
            try session.run("taskvault secret get s1 it\\'s --field=pi\t").last == "--field=pin")
        #expect(
            try home.runBare(["file", "add", "-", "--name", "it's \"here\".txt"]).exitCode == 0)
        #expect(
            try session.run("taskvault file get it\t") == ["file", "get", "it's \"here\".txt"])
        #expect(try session.run("taskvault task done \t") == ["task", "done", other])
        #expect(try session.run("taskvault task done x \t") == ["task", "done", "x", other])
        // Where it would be an option it is not offered.
        #expect(try session.run("taskvault secret get option \t") == ["secret", "get", "option"])
        #expect(
            try session.run("taskvault secret get -- option \t")
                == ["secret", "get", "--", "option", "-x"])
        #expect(try session.run("taskvault secret get control \t") == ["secret", "get", "control"])
        if shell == "fish" { #expect(try session.run("taskvault secret get s9 \t").count == 3) }
        // Of another home.
        expect(try home.ask("lock"), ends: 0)
        #expect(try session.run("taskvault secret get s3 \t") == ["secret", "get", "s3"])
        #expect(try session.run("taskvault task done \t") == ["task", "done"])
        let second = try TestHome()
        try second.unlock()
        try second.tell("value", "elsewhere")
        for option in ["--home ", "--home="] {
            #expect(
                try session.run("taskvault \(option)\(second.home) secret get else\t").last
                    == "elsewhere")
        }
        try session.end()
        #expect(!Files.exists(home.folder + "/pwned"))
        #expect(!session.session.screen.contains("error"))
    }

    @Test func namesAreThoseOfTheWordsBefore() throws {
        let home = try TestHome()
        try home.unlock()
        for names in ["mail ada", "mail eve", "web ada", "web ada --field pin"] {
            #expect(try home.ask("secret set \(names)", input: "x").exitCode == 0)
        }
        let id = try #require(
            try home.ask("task add --json paint").object["id"] as? String)
        func names(_ options: String, _ shell: String = "zsh") throws -> [String] {
            let result = try home.ask("completions \(shell) \(options)")
            expect(result, ends: 0)
            return result.outputLines
        }
        #expect(try names("--names=service") == ["mail", "web"])
        #expect(try names("--names=account --typed-service=mail") == ["ada", "eve"])
        #expect(try names("--names=account --typed-service=no") == [])
        #expect(try names("--names=field") == ["password", "pin"])
        #expect(try names("--names=field --typed-service=mail --typed-account=ada") == ["password"])
        #expect(try names("--names=field --typed-service=web") == ["password", "pin"])
        #expect(try names("--names=task", "fish") == [id + "\tpaint"])
        #expect(try names("--names=task", "bash") == [id])
        #expect(try names("--names=service --typed=m", "bash") == ["mail"])
        for name in ["IMG 10.jpg", "IMG 2.jpg"] {
            #expect(try home.runBare(["file", "add", "-", "--name", name]).exitCode == 0)
        }
        #expect(try names("--names=file") == ["IMG 2.jpg", "IMG 10.jpg"])
        #expect(try names("--names=file --typed=I", "bash") == ["IMG\\ 2.jpg", "IMG\\ 10.jpg"])
        // What is not the owner's is not offered, such as the text of tasks.
        #expect(try home.ask("task add --protected", input: "see a doctor\n").exitCode == 0)
        #expect(try names("--names=service") == ["mail", "web"])
        #expect(try names("--names=task").count == 2)
        #expect(!(try names("--names=task").joined().contains("doctor")))
    }

    @Test func nothingIsSaidAndNoAgentIsStarted() throws {
        let home = try TestHome(withVault: false)
        func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) throws {
            for kind in ["service", "account", "field", "task", "file"] {
                for shell in ["bash", "zsh", "fish"] {
                    let session = try TerminalSession(
                        home, ["completions", shell, "--names=\(kind)", "--typed-service=a"])
                    #expect(try session.finish() == 0, sourceLocation: sourceLocation)
                    #expect(session.screen.isEmpty, sourceLocation: sourceLocation)
                }
            }
        }
        try expectNothing()
        try home.make()
        try expectNothing()
        #expect(Files.names(in: home.home) == ["vault.db"])
        try home.unlock()
        try home.tell("x", "a")
        // Unlocked, with a list that cannot be read.
        try Files.write("not a database", to: home.tasksFile)
        let offered = try home.ask("completions fish --names=task")
        expect(offered, ends: 0)
        #expect(offered.output.isEmpty)
        expect(try home.ask("lock"), ends: 0)
        try expectNothing()
        try Files.write("not a database", to: home.vault)
        try expectNothing()
    }

    @Test(arguments: ["idle-limit", "verification-window"])
    func noLimitIsExtended(limit: String) throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("x", "a")
        expect(try home.ask("settings set \(limit) 2s"), ends: 0)
        let isOver = try Processes.wait {
            for kind in ["service", "account", "field", "task", "file"] {
                let asked = try home.ask("completions fish --names=\(kind) --typed-service=a")
                #expect(asked.exitCode == 0)
            }
            return try home.state == (limit == "idle-limit" ? "locked" : "unlocked")
        }
        #expect(isOver)
    }

    @Test func listsTagsAndValuesOfSettingsAreOffered() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        _ = try home.add("milk", "--list", "shopping", "--tag", "dairy")
        try home.tell("x", "a", options: "--tag work")
        func names(_ words: String) throws -> String {
            try home.ask("completions zsh --names=" + words).outputText
        }
        #expect(try names("list") == "shopping\n")
        #expect(try names("tag") == "dairy\n")
        #expect(try names("secret-tag") == "work\n")
        #expect(try names("setting-value --typed-service=services-secrets").contains("programs\n"))
        #expect(
            try names("setting-value --typed-service=require-locked-memory") == "yes\nno\n")
        #expect(try names("setting-value --typed-service=idle-limit") == "15m\n")
        #expect(try names("setting-value --typed-service=nonsense") == "")
        // While the vault is locked only those of settings, which are no names.
        try home.ask("lock")
        #expect(try names("list") + names("tag") + names("secret-tag") == "")
        #expect(try names("setting-value --typed-service=idle-limit") == "15m\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func anOptionWithALetterCompletesItsValue(shell: String) throws {
        guard Files.exists("/usr/bin/" + shell) else { return }
        let home = try TestHome.forTasks()
        try home.unlock()
        _ = try home.add("milk", "--list", "shopping")
        let session = try ShellSession(shell, home)
        #expect(try session.run("taskvault task list -l sho\t").suffix(2) == ["-l", "shopping"])
        #expect(
            try session.run("taskvault settings set require-locked-memory ye\t").last == "yes")
    }

    @Test func whatTheOwnerMustBeToldIsLeftForACommand() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("x", "a")
        expect(try home.ask("backup backup.db"), ends: 0)
        expect(try home.run("restore --replace backup.db"), ends: 0)
        let offered = try home.ask("completions zsh --names=service")
        expect(offered, ends: 0)
        #expect(offered.outputText == "a\n")
        let listed = try home.ask("secret list")
        #expect(listed.errorText.contains("was restored from a backup of"))
    }
}

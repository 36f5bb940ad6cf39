import CommandLine
@testable import TaskVaultCommands
import Testing
import TextCoding

@Suite struct CommandLineParserTests {
    private func parse(_ line: String) throws -> CommandRequest {
        try CommandParser(.taskvault).parse(line.split(separator: " ").map(String.init))
    }

    private func run(_ arguments: [String]) throws -> Invocation {
        guard case .run(let invocation) = try CommandParser(.taskvault).parse(arguments) else {
            throw Failure(.failure, "not to be run")
        }
        return invocation
    }

    private func failure(_ arguments: [String]) -> Failure? {
        do {
            _ = try CommandParser(.taskvault).parse(arguments)
            return nil
        } catch {
            return error as? Failure
        }
    }

    /// Most starts describe only the frequent commands: what these run, all commands together run, too.
    @Test func frequentCommandsAreParsedTheSame() throws {
        var parsed: Set<[String]> = []
        for example in CommandTable.taskvault.commands.flatMap(\.examples) {
            let words = example.line.split(separator: " ").map(String.init)
            let line = words.drop { $0 != "taskvault" }.dropFirst()
                .prefix { !["|", ">", "<", "&&"].contains($0) }
            for arguments in [Array(line), line + ["--json", "--home", "/none"], line + ["-h"]] {
                guard let request = try? CommandParser(.frequent).parse(arguments) else { continue }
                #expect(try CommandParser(.taskvault).parse(arguments) == request)
                if case .run(let invocation) = request { parsed.insert(invocation.path) }
            }
        }
        #expect(parsed == Set(Commands.frequent.map { $0.description.path }))
        #expect(parsed.contains(["git-credential"]))
    }

    @Test(arguments: [
        "secret set --label Mail --replace mail ada", "--label Mail --replace secret set mail ada",
        "secret --label=Mail set mail --replace ada", "secret set mail ada --replace --label=Mail",
        "secret set --replace --label Mail -- mail ada",
    ])
    func optionsStandAnywhere(line: String) throws {
        let invocation = try run(line.split(separator: " ").map(String.init))
        #expect(invocation.path == ["secret", "set"])
        #expect(invocation.text(of: .service) == "mail")
        #expect(invocation.text(of: .account) == "ada")
        #expect(invocation.text(of: .label) == "Mail")
        #expect(invocation.has(.replace))
        #expect(!invocation.has(.json))
        #expect(invocation.text(of: .home) == nil)
        #expect(invocation.text(of: .accessClass) == "while-unlocked")
        #expect(!invocation.has(.accessClass))
    }

    @Test func operandsAreTakenAsTheyAre() throws {
        let invocation = try run(["secret", "get", "--", "--json", "-x=y é\u{1B}"])
        #expect(invocation.text(of: .foundService) == "--json")
        #expect(invocation.texts(of: .foundAccount) == ["-x=y é\u{1B}"])
        #expect(!invocation.has(.json))
    }

    @Test(arguments: [
        "task add milk --due fri --tag home --tag dairy --list shop --priority high",
        "task add milk -d fri -t home -t dairy -l shop -p high",
        "task add -dfri -thome -t=dairy -lshop milk -p=high",
    ])
    func lettersAreOptions(line: String) throws {
        let invocation = try run(line.split(separator: " ").map(String.init))
        #expect(invocation.path == ["task", "add"])
        #expect(invocation.texts(of: .taskName) == ["milk"])
        #expect(invocation.text(of: .due) == "fri")
        #expect(invocation.texts(of: .tag) == ["home", "dairy"])
        #expect(invocation.text(of: .inList) == "shop")
        #expect(invocation.text(of: .priority) == "high")
    }

    @Test func lettersOfFlagsStandTogether() throws {
        #expect(try run(["secret", "get", "mail", "-c"]).has(.clip))
        #expect(try run(["secret", "remove", "mail", "-y"]).has(.yes))
        #expect(try parse("secret get -ch") == .help(["secret", "get"]))
        #expect(failure(["secret", "get", "mail", "-cz"])?.message == "unknown option '-z'")
        #expect(failure(["secret", "get", "mail", "-cc"])?.message.contains("twice") == true)
        // A letter is one option in every command, and a value may begin with a hyphen.
        let letters = CommandTable.taskvault.optionNames.compactMap(\.letter)
        #expect(Set(letters).count == letters.count)
        #expect(try run(["task", "add", "milk", "-t", "-x"]).texts(of: .tag) == ["-x"])
        // The rest of an unknown one may be a secret.
        #expect(failure(["secret", "get", "-xhunter2"])?.message == "unknown option '-x'")
    }

    @Test func valuesMayHoldAnything() throws {
        #expect(try run(["init", "--home=a=b"]).text(of: .home) == "a=b")
        #expect(try run(["init", "--passphrase-file", "-"]).text(of: .passphraseFile) == "-")
        #expect(try run(["secret", "edit", "a", "b", "--label="]).text(of: .newLabel) == "")
        #expect(
            try run(["secret", "edit", "a", "b", "--label=--json"]).text(of: .newLabel) == "--json")
        #expect(try run(["secret", "import", "-"]).text(of: .importedFile) == "-")
    }

    @Test func numbersAreRead() throws {
        let given = try run(["init", "--kdf-memory", "19"])
        #expect(given.number(of: .memory) == 19)
        #expect(given.number(of: .passes) == 3)
        #expect(try run(["passphrase", "change"]).number(of: .newMemory) == nil)
    }

    @Test(
        arguments: [
            ("--version", .version), ("secret --version", .version), ("--help", .help([])),
            ("-h", .help([])), ("help", .help([])), ("secret --help", .help(["secret"])),
            ("help secret", .help(["secret"])), ("help secret set", .help(["secret", "set"])),
            ("secret set --help", .help(["secret", "set"])), ("--help init", .help(["init"])),
            ("secret set only --help", .help(["secret", "set"])),
            ("--help --version", .help([])), ("help --man-page", .manualPage),
            ("help --markdown", .reference),
        ] as [(String, CommandRequest)])
    func informationIsAskedFor(line: String, request: CommandRequest) throws {
        #expect(try parse(line) == request)
    }

    @Test(
        arguments: [
            ("", "missing command", "taskvault --help"),
            (
                "recovery", "'taskvault recovery' is not a complete command",
                "taskvault recovery --help"
            ),
            ("sercet set a b", "unknown command 'sercet'", "did you mean 'taskvault secret'?"),
            ("secret ste a b", "unknown command 'ste'", "did you mean 'taskvault secret set'?"),
            ("get a b", "unknown command 'get'", "did you mean 'taskvault secret get'?"),
            (
                "ls", "unknown command 'ls'",
                "did you mean 'taskvault secret list' or 'taskvault task list'?"
            ),
            ("task ls", "unknown command 'ls'", "did you mean 'taskvault task list'?"),
            (
                "rm k7m", "unknown command 'rm'",
                "did you mean 'taskvault task remove' or 'taskvault secret remove'?"
            ),
            (
                "search mail", "unknown command 'search'",
                "did you mean 'taskvault secret list' or 'taskvault task list'?"
            ),
            ("secret find mail", "unknown command 'find'", "did you mean 'taskvault secret list'?"),
            ("otp mail", "unknown command 'otp'", "did you mean 'taskvault secret code'?"),
            ("passwd", "unknown command 'passwd'", "did you mean 'taskvault passphrase change'?"),
            (
                "secret passwd", "unknown command 'passwd'",
                "did you mean 'taskvault secret update'?"
            ),
            ("task add --pri high x", "unknown option '--pri'", "did you mean '--priority'?"),
            ("config", "unknown command 'config'", "did you mean 'taskvault settings'?"),
            ("insert mail", "unknown command 'insert'", "did you mean 'taskvault secret set'?"),
            (
                "help rm", "unknown command 'rm'",
                "did you mean 'taskvault task remove' or 'taskvault secret remove'?"
            ),
            ("settings get idle-limt", "there is no such SETTING", "did you mean 'idle-limit'?"),
            ("settings set idle-limt 5m", "there is no such SETTING", "did you mean 'idle-limit'?"),
            ("settings edit", "unknown command 'edit'", "did you mean 'taskvault settings set'?"),
            ("today", "unknown command 'today'", "did you mean 'taskvault task list --today'?"),
            ("task add x --start mon", "unknown option '--start'", "did you mean '--wait'?"),
            (
                "task add x --priority hihg",
                "option '--priority' takes high or medium or low or none", "did you mean 'high'?"
            ),
            (
                "secret set a b --class aftr-verification",
                "option '--class' takes while-unlocked or after-verification",
                "did you mean 'after-verification'?"
            ),
            ("task list -due fri", "unknown option '-due'", "did you mean '--due'?"),
            ("zzz", "unknown command 'zzz'", "taskvault --help"),
            ("help zzz", "unknown command 'zzz'", "taskvault --help"),
            ("zzz --help", "unknown command 'zzz'", "taskvault --help"),
            ("init --hom x", "unknown option '--hom'", "did you mean '--home'?"),
            ("init --zzzzz", "unknown option '--zzzzz'", "taskvault init --help"),
            ("task --zzzzz list", "unknown option '--zzzzz'", "taskvault task --help"),
            ("task add milk --zzzzz", "unknown option '--zzzzz'", "taskvault task add --help"),
            ("--zzzzz init", "unknown option '--zzzzz'", "taskvault --help"),
            ("init -x", "unknown option '-x'", "taskvault init --help"),
            (
                "init --label x", "option '--label' is not for 'taskvault init'",
                "taskvault init --help"
            ),
            ("init --home", "option '--home' needs a value", "--home=DIR"),
            ("init --home --json", "option '--home' needs a value", "--home=DIR"),
            ("init --home=", "option '--home' needs a DIR", "taskvault init --help"),
            ("init --json=yes", "option '--json' takes no value", "write --json alone"),
            ("init --json --json", "option '--json' is given twice", "give it once"),
            ("init --home a --home=a", "option '--home' is given twice", "give it once"),
            (
                "init --kdf-memory 18", "option '--kdf-memory' takes a number from 19 to 4096",
                "taskvault init --help"
            ),
            (
                "init --kdf-memory +20", "option '--kdf-memory' takes a number from 19 to 4096",
                "taskvault init --help"
            ),
            (
                "init --kdf-passes 99999999999999999999",
                "option '--kdf-passes' takes a number from 2 to 64", "taskvault init --help"
            ),
            (
                "secret set a b --class x",
                "option '--class' takes while-unlocked or after-verification",
                "taskvault secret set --help"
            ),
            (
                "secret set", "missing SERVICE and ACCOUNT",
                "taskvault secret set [options] SERVICE ACCOUNT"
            ),
            (
                "secret set a", "missing ACCOUNT",
                "taskvault secret set [options] SERVICE ACCOUNT"
            ),
            ("secret get", "missing SERVICE", "taskvault secret get [options] SERVICE [ACCOUNT]"),
            ("init a", "this command takes no operands", "taskvault init [options]"),
            (
                "completions tcsh", "SHELL is bash or zsh or fish",
                "taskvault completions [options] SHELL"
            ),
            (
                "unlock --no-agent", "'taskvault unlock' is about the agent", "leave --no-agent out"
            ),
            (
                "secret generate a b --length 8 --words 4",
                "options '--length' and '--words' exclude each other", "leave one of them out"
            ),
        ] as [(String, String?, String)])
    func mistakesAreNamedWithAHint(line: String, message: String?, hint: String) {
        let failure = failure(line.split(separator: " ").map(String.init))
        #expect(failure?.exitCode == .usage)
        if let message { #expect(failure?.message == message) }
        #expect(failure?.hint == hint)
    }

    @Test(arguments: [
        ["secret", "set", "mail", "ada", "hunter2"], ["secret", "update", "m", "a", "hunter2"],
        ["init", "--passphrase=hunter2"], ["init", "--json=hunter2"],
        ["init", "--kdf-memory=hunter2"], ["completions", "hunter2"],
        ["secret", "set", "m", "a", "--class", "hunter2"],
    ])
    func aPossibleSecretIsNotRepeated(arguments: [String]) throws {
        let failure = try #require(self.failure(arguments))
        #expect(!failure.message.contains("hunter2"))
        #expect(!(failure.hint ?? "").contains("hunter2"))
    }

    @Test func aSecretOnTheCommandLineIsExplained() {
        let failure = failure(["secret", "set", "mail", "ada", "hunter2"])
        #expect(failure?.hint?.contains("shell's history") == true)
    }

    @Test func aCommandIsComparedByItsBytes() {
        #expect(failure(["completions", "bash\u{301}"]) != nil)
        #expect(failure(["secre\u{301}t"]) != nil)
    }

    @Test(arguments: [
        (["init", "--json"], true), (["init", "--", "--json"], false), (["init"], false),
        (["--json", "--wrong"], true),
    ])
    func theWishForJSONIsKnownBeforeParsing(arguments: [String], expected: Bool) {
        #expect(CommandParser.wantsJSON(arguments) == expected)
    }

    @Test func anOperandBehindSeveralIsTheLastOne() throws {
        for (line, ids) in [
            (["off"], []), (["k7m", "off"], ["k7m"]), (["k7m", "3fx", "off"], ["k7m", "3fx"]),
            (["k7m", "--", "3fx", "off"], ["k7m", "3fx"]),
        ] as [([String], [String])] {
            let invocation = try run(["task", "remind"] + line)
            #expect(invocation.texts(of: .someTasks) == ids)
            #expect(invocation.text(of: .reminderTime) == "off")
        }
        #expect(throws: Failure.self) { try run(["task", "remind"]) }
        let added = try run(["task", "add", "a", "+b", "--", "+c", "d"])
        #expect(added.parsedTexts(of: .taskName).texts == ["a", "+b"])
        #expect(added.parsedTexts(of: .taskName).literal == ["+c", "d"])
    }
}

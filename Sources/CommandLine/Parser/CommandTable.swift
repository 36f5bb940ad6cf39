/// All commands and the options that every one of them takes.
package struct CommandTable: Sendable {
    /// The program whose commands they are.
    package let about: ProgramDescription
    /// The commands, in the order of the documents.
    package let groups: [CommandGroup]
    /// The options that every command takes; ``OptionDescription/json``, ``OptionDescription/help`` and ``OptionDescription/version`` are among them.
    package let globalOptions: [OptionDescription]
    /// All exit codes, in ascending order.
    package let exitCodes: [ExitCodeDescription]

    /// Makes a table.
    package init(
        _ about: ProgramDescription, groups: [CommandGroup], globalOptions: [OptionDescription],
        exitCodes: [ExitCodeDescription]
    ) {
        self.about = about
        self.groups = groups
        self.globalOptions = globalOptions
        self.exitCodes = exitCodes
    }

    /// The name of the program.
    package var program: String { about.name }

    /// What `--version` prints: the program, and below it what it stands on.
    package var versions: String {
        ([program + " " + ProductVersion.number] + about.libraries).map { $0 + "\n" }.joined()
    }

    /// All commands.
    package var commands: [CommandDescription] { groups.flatMap(\.commands) }

    /// The command of this name, word by word.
    package func command(_ path: [String]) -> CommandDescription? {
        commands.first { $0.path == path }
    }

    /// The line that shows how a command is used, such as `taskvault secret set [options] SERVICE ACCOUNT`.
    package func usage(of command: CommandDescription) -> String {
        ([program] + command.path + ["[options]"] + command.operands.map(\.usage))
            .joined(separator: " ")
    }

    /// The exit code of a number.
    package func exitCode(_ number: Int32) -> ExitCode? {
        exitCodes.first { $0.code.rawValue == number }?.code
    }

    /// What an exit code means.
    package func meaning(of code: ExitCode) -> String {
        guard let description = exitCodes.first(where: { $0.code == code }) else {
            preconditionFailure("exit code \(code.rawValue) is not in the table")
        }
        return description.meaning
    }

    /// The commands whose names begin with these words, other than the command of exactly this name.
    package func commands(below path: [String]) -> [CommandDescription] {
        commands.filter { $0.path.count > path.count && $0.path.starts(with: path) }
    }

    /// The words that can follow these, each once and in order.
    package func words(after path: [String]) -> [String] {
        var words: [String] = []
        for command in commands(below: path) where !words.contains(command.path[path.count]) {
            words.append(command.path[path.count])
        }
        return words
    }

    /// The beginnings of names that are no commands by themselves, such as `secret`; first of all the empty one.
    package var prefixes: [[String]] {
        var prefixes: [[String]] = [[]]
        for command in commands {
            for length in 1..<max(command.path.count, 1) {
                let prefix = Array(command.path.prefix(length))
                if !prefixes.contains(prefix) { prefixes.append(prefix) }
            }
        }
        return prefixes
    }

    /// All options, those of one name once.
    package var optionNames: [OptionDescription] {
        var options: [OptionDescription] = []
        for option in globalOptions + commands.flatMap(\.options)
        where !options.contains(where: { $0.name == option.name }) {
            options.append(option)
        }
        return options
    }
}

/// Commands that belong together.
package struct CommandGroup: Sendable {
    /// The heading.
    package let title: String
    /// The commands, in the order of the documents.
    package let commands: [CommandDescription]

    /// Makes a group.
    package init(title: String, commands: [CommandDescription]) {
        self.title = title
        self.commands = commands
    }
}

/// What the documents say of a program as a whole.
package struct ProgramDescription: Sendable {
    /// The name, as it is typed.
    package let name: String
    /// What it is in a few words, for the manual page.
    package let summary: String
    /// The heading of the reference.
    package let referenceTitle: String
    /// Paragraphs that explain the whole on the manual page.
    package let paragraphs: [String]
    /// The environment variables that count, on the manual page.
    package let environment: [Definition]
    /// Names and versions of the system's libraries that the program stands on, for `--version`.
    package let libraries: [String]
    /// What else the documents explain.
    package let chapters: [Chapter]

    /// A word and what it means.
    package struct Definition: Sendable, Hashable {
        /// The word.
        package let name: String
        /// What it means, beginning in lower case and without full stop.
        package let meaning: String

        /// Makes a definition.
        package init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    /// A part of manual page and reference that is about no command.
    package struct Chapter: Sendable, Hashable {
        /// The heading.
        package let title: String
        /// Whole sentences that come first.
        package let paragraphs: [String]
        /// What one of the definitions is, such as `setting`.
        package let subject: String
        /// Definitions.
        package let definitions: [Definition]

        /// Makes a chapter.
        package init(
            title: String, paragraphs: [String], subject: String, definitions: [Definition]
        ) {
            self.title = title
            self.paragraphs = paragraphs
            self.subject = subject
            self.definitions = definitions
        }
    }

    /// Describes a program.
    package init(
        name: String, summary: String, referenceTitle: String, paragraphs: [String],
        environment: [Definition], libraries: [String], chapters: [Chapter] = []
    ) {
        self.name = name
        self.summary = summary
        self.referenceTitle = referenceTitle
        self.paragraphs = paragraphs
        self.environment = environment
        self.libraries = libraries
        self.chapters = chapters
    }
}

/// The version of TaskVault.
package enum ProductVersion {
    /// The version by semantic versioning.
    package static let number = "0.1.0"
}

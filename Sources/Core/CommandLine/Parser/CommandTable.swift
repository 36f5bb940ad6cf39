internal import Platform
internal import TextCoding

/// All commands and the global options of a program.
package struct CommandTable: Sendable {
    /// The program of the commands.
    package let about: ProgramDescription
    /// The commands, in the order of the documents.
    package let groups: [CommandGroup]
    /// All commands.
    package let commands: [CommandDescription]
    /// The global options; ``OptionDescription/json``, ``OptionDescription/help`` and ``OptionDescription/version`` are among them.
    package let globalOptions: [OptionDescription]
    /// All exit codes, in ascending order.
    package let exitCodes: [ExitCodeDescription]

    /// Creates a table.
    package init(
        _ about: ProgramDescription, groups: [CommandGroup], globalOptions: [OptionDescription],
        exitCodes: [ExitCodeDescription]
    ) {
        self.about = about
        self.groups = groups
        commands = groups.flatMap(\.commands)
        self.globalOptions = globalOptions
        self.exitCodes = exitCodes
    }

    /// The name of the program.
    package var program: String { about.name }

    /// The output of `--version`: the program, and its libraries below.
    package var versions: String {
        ([program + " " + ProductVersion.number] + about.libraries()).map { $0 + "\n" }.joined()
    }

    /// The command with this name, word by word.
    package func command(_ path: [String]) -> CommandDescription? {
        commands.first { $0.path == path }
    }

    /// The usage line of a command, such as `taskvault secret set [options] SERVICE ACCOUNT`.
    package func usage(of command: CommandDescription) -> String {
        ([program] + command.path + ["[options]"] + command.operands.map(\.usage))
            .joined(separator: " ")
    }

    /// The meaning of an exit code.
    package func meaning(of code: ExitCode) -> String {
        guard let description = exitCodes.first(where: { $0.code == code }) else {
            preconditionFailure("exit code \(code.rawValue) is not in the table")
        }
        return description.meaning
    }

    /// The commands whose names begin with these words, except the command with exactly this name.
    package func commands(below path: [String]) -> [CommandDescription] {
        commands.filter { $0.path.count > path.count && $0.path.starts(with: path) }
    }

    /// The words that can follow these, each once and in order.
    package func words(after path: [String]) -> [String] {
        var words: [String] = []
        for command in commands where command.path.count > path.count {
            let word = command.path[path.count]
            if command.path.starts(with: path), !words.contains(word) { words.append(word) }
        }
        return words
    }

    /// The prefixes of names that are not commands themselves, such as `secret`. The first one is empty.
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

    /// An option of this name: of all options with one name, the first one.
    func option(named name: String) -> OptionDescription? {
        if let option = globalOptions.first(where: { $0.name == name }) { return option }
        for command in commands {
            if let option = command.options.first(where: { $0.name == name }) { return option }
        }
        return nil
    }

    /// All options, one for each name.
    package var optionNames: [OptionDescription] {
        var names: Set<String> = []
        return (globalOptions + commands.flatMap(\.options)).filter {
            names.insert($0.name).inserted
        }
    }
}

/// A group of related commands.
package struct CommandGroup: Sendable {
    /// The heading.
    package let title: String
    /// The commands, in the order of the documents.
    package let commands: [CommandDescription]

    /// Creates a group.
    package init(title: String, commands: [CommandDescription]) {
        self.title = title
        self.commands = commands
    }
}

/// The general part of a program's documents.
package struct ProgramDescription: Sendable {
    /// The name on the command line.
    package let name: String
    /// A short description, for the manual page.
    package let summary: String
    /// The heading of the reference.
    package let referenceTitle: String
    /// Paragraphs for the manual page.
    package let paragraphs: [String]
    /// The environment variables, for the manual page.
    package let environment: [Definition]
    /// Names and versions of the system libraries, for `--version`.
    package let libraries: @Sendable () -> [String]
    /// Further chapters of the documents.
    package let chapters: [Chapter]
    /// The names of the commands for new users, which the short help shows. If empty, the short help is the whole help.
    package let firstCommands: [String]

    /// A word and its meaning.
    package struct Definition: Sendable, Hashable {
        /// The word.
        package let name: String
        /// The meaning, in lower case and without a full stop.
        package let meaning: String

        /// Creates a definition.
        package init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }

    /// A chapter of the manual page and the reference that does not describe a command.
    package struct Chapter: Sendable, Hashable {
        /// The heading.
        package let title: String
        /// The introduction, in whole sentences.
        package let paragraphs: [String]
        /// The kind of its definitions, such as `setting`.
        package let subject: String
        /// Definitions.
        package let definitions: [Definition]

        /// Creates a chapter.
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
        environment: [Definition], libraries: @escaping @Sendable () -> [String],
        chapters: [Chapter] = [],
        firstCommands: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.referenceTitle = referenceTitle
        self.paragraphs = paragraphs
        self.environment = environment
        self.libraries = libraries
        self.chapters = chapters
        self.firstCommands = firstCommands
    }
}

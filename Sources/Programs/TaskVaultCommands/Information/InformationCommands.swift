internal import Application
internal import CommandLine
internal import Platform
internal import TextCoding

/// `completions`: prints the completion script for a shell.
enum CompletionsCommand: Command {
    static let description = CommandDescription(
        path: ["completions"],
        summary: "print completions for a shell",
        operands: [.shell],
        options: [
            .names, .typedHome, .typedService, .typedAccount, .typedBefore, .typed, .afterDashes,
        ],
        notes: [
            """
            They complete commands, options, files and values of settings. While the vault is unlocked they also complete services, accounts, \
            fields, tags, task ids, lists and names of files; that extends no limit, asks for nothing and starts no agent. Names with invisible characters are left out.
            """
        ],
        examples: [
            .init(
                "taskvault completions bash > ~/.local/share/bash-completion/completions/taskvault",
                "for bash"),
            .init(
                "taskvault completions zsh > ~/.zfunc/_taskvault",
                "for zsh, with ~/.zfunc in fpath"),
            .init(
                "taskvault completions fish > ~/.config/fish/completions/taskvault.fish",
                "for fish"),
        ])

    static func run(_ context: CommandContext) throws {
        guard let shell = Shell(rawValue: context.invocation.text(of: .shell)) else {
            preconditionFailure("the parser accepts known shells only")
        }
        guard context.invocation.has(.names) else {
            return try context.console.print { output in
                try output.write(shell.completions(for: .taskvault))
            }
        }
        // A person is typing, so no name is better than an error.
        let lines = (try? CompletionNames(shell, context)?.lines()) ?? []
        try context.console.print { output in for line in lines { try output.writeLine(line) } }
    }
}

/// `version`: prints the version, and the origin of the libraries.
enum VersionCommand: Command {
    static let description = CommandDescription(
        path: ["version"],
        summary: "print the version",
        options: [.libraries],
        examples: [.init("taskvault version --libraries", "where its libraries are from")])

    static func run(_ context: CommandContext) throws {
        let console = context.console
        // SQLite is loaded by the question for its version.
        let versions = CommandTable.taskvault.versions
        let libraries = context.invocation.has(.libraries) ? LoadedLibraries.paths : nil
        guard !console.isJSON else {
            return try console.printJSON { json in
                try json.beginObject()
                try json.member("version", ProductVersion.number)
                try json.key("libraries")
                if let libraries {
                    try json.beginArray()
                    for path in libraries { try json.string(path) }
                    try json.endArray()
                } else {
                    try json.null()
                }
                try json.endObject()
            }
        }
        try console.print { output in
            try output.write(versions)
            for path in libraries ?? [] { try output.writeLine(VisibleText.escape(path)) }
        }
    }
}

extension OptionDescription {
    fileprivate static let libraries = OptionDescription(
        "libraries", "print the paths of the loaded libraries")
}

/// `help`: explains a command.
enum HelpCommand: Command {
    static let description = CommandDescription(
        path: ["help"],
        summary: "explain a command",
        operands: [.explainedCommand],
        options: [.manualPage, .markdown],
        examples: [
            .init("taskvault help", "list the commands"),
            .init("taskvault help secret set", "explain one"),
            .init("taskvault help --man-page | man -l -", "read the manual page"),
        ])

    /// The parser answers `help COMMAND` itself.
    static func run(_ context: CommandContext) throws {
        try context.console.print { output in
            try output.write(HelpText(.taskvault).text(about: []))
        }
    }
}

internal import CommandLine

/// `completions`: prints completions for a shell.
enum CompletionsCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["completions"],
        summary: "print completions for a shell",
        operands: [.shell],
        notes: ["They complete commands, options and files, and do not read the database."],
        examples: [
            .init(
                "taskvault-authd completions bash > /etc/bash_completion.d/taskvault-authd",
                "for bash"),
            .init(
                "taskvault-authd completions zsh > ~/.zfunc/_taskvault-authd",
                "for zsh, with ~/.zfunc in fpath"),
            .init(
                "taskvault-authd completions fish > ~/.config/fish/completions/taskvault-authd.fish",
                "for fish"),
        ])

    static let readsSettings = false

    static func run(_ context: ServerContext) throws {
        guard let shell = Shell(rawValue: context.invocation.text(of: .shell)) else {
            preconditionFailure("the parser accepts known shells only")
        }
        try context.print { output in
            try output.write(shell.completions(for: .server))
        }
    }
}

/// `help`: explains a command.
enum HelpCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["help"],
        summary: "explain a command",
        operands: [.explainedCommand],
        options: [.manualPage, .markdown],
        examples: [
            .init("taskvault-authd help", "list the commands"),
            .init("taskvault-authd help serve", "explain one, with all settings"),
            .init("taskvault-authd help --man-page | man -l -", "read the manual page"),
        ])

    static func run(_ context: ServerContext) throws {
        preconditionFailure("the parser answers it")
    }
}

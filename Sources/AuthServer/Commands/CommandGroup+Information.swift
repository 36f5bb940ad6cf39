internal import CommandLine

extension CommandGroup {
    /// Confidential clients.
    static let clients = CommandGroup(title: "Clients", commands: [addClient])

    private static let addClient = CommandDescription(
        path: ["client", "add"],
        summary: "make the secret of a confidential client",
        operands: [.clientName],
        notes: [
            """
            Prints the secret once, for the client, and the line with its hash for the configuration file, which it does not change. The server knows \
            the client from its next start on.
            """
        ],
        examples: [.init("taskvault-authd client add billing", "for the service billing")],
        exitCodes: [.notFound, .alreadyExists, .refused])

    /// What explains the program.
    static let information = CommandGroup(
        title: "Information", commands: [completions, explain])

    private static let completions = CommandDescription(
        path: ["completions"],
        summary: "print completions for a shell",
        operands: [.shell],
        notes: ["They complete commands, options and files, and never look into the database."],
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

    private static let explain = CommandDescription(
        path: ["help"],
        summary: "explain a command",
        operands: [.explainedCommand],
        options: [.manualPage, .markdown],
        examples: [
            .init("taskvault-authd help", "list the commands"),
            .init("taskvault-authd help serve", "explain one, with all settings"),
            .init("taskvault-authd help --man-page | man -l -", "read the manual page"),
        ])
}

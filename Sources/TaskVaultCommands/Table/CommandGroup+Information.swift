internal import CommandLine

extension CommandGroup {
    /// What explains the program.
    static let information = CommandGroup(
        title: "Information", commands: [completions, explain])

    private static let completions = CommandDescription(
        path: ["completions"],
        summary: "print completions for a shell",
        operands: [.shell],
        notes: ["They complete commands, options and files, and never look into the vault."],
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

    private static let explain = CommandDescription(
        path: ["help"],
        summary: "explain a command",
        operands: [.explainedCommand],
        options: [.manualPage, .markdown],
        examples: [
            .init("taskvault help", "list the commands"),
            .init("taskvault help secret set", "explain one"),
            .init("taskvault help --man-page | man -l -", "read the manual page"),
        ])
}

extension OptionDescription {
    /// Results for programs.
    package static let json = OptionDescription(
        "json", "print results and errors as JSON")
    /// Explain.
    package static let help = OptionDescription("help", "explain the command and show examples")
    /// The version.
    package static let version = OptionDescription(
        "version", "print the version, and those of the libraries underneath")
    /// The manual page.
    package static let manualPage = OptionDescription(
        "man-page", "print the manual page, for man -l -")
    /// The reference in Markdown.
    package static let markdown = OptionDescription(
        "markdown", "print the reference, in Markdown", isHidden: true)
}

extension OperandDescription {
    /// A shell.
    package static let shell = OperandDescription(
        "SHELL", .choice(Shell.allCases.map(\.rawValue)), "the shell")
    /// A command to explain.
    package static let explainedCommand = OperandDescription(
        "COMMAND", .command, "a command, or its first word")
}

internal import CommandLine

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

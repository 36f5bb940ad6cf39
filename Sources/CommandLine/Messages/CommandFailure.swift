/// Why a command failed: what the person reads, and what a script gets. It never carries a secret.
package struct CommandFailure: Error, Sendable, Hashable {
    /// How the process ends.
    package let exitCode: ExitCode
    /// A stable name in snake_case, the `code` of JSON errors.
    package let code: String
    /// What is wrong, beginning in lower case and without full stop.
    package let message: String
    /// What to do about it, at best the command that would have worked.
    package let hint: String?
    /// Whether nothing is printed.
    package let isQuiet: Bool

    /// Makes a failure.
    ///
    /// - Parameters:
    ///   - exitCode: How the process ends.
    ///   - code: A name more exact than that of the exit code.
    ///   - message: What is wrong, beginning in lower case and without full stop.
    ///   - hint: What to do about it.
    package init(
        _ exitCode: ExitCode, code: String? = nil, _ message: String, hint: String? = nil
    ) {
        self.init(exitCode, code: code, message, hint: hint, isQuiet: false)
    }

    private init(
        _ exitCode: ExitCode, code: String?, _ message: String, hint: String?, isQuiet: Bool
    ) {
        self.exitCode = exitCode
        self.code = code ?? exitCode.name
        self.message = message
        self.hint = hint
        self.isQuiet = isQuiet
    }

    /// A mistake on the command line.
    package static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.usage, message, hint: hint)
    }

    /// One that another process of this program has explained on standard error already.
    package static func explained(_ exitCode: ExitCode) -> CommandFailure {
        CommandFailure(exitCode, code: nil, "explained already", hint: nil, isQuiet: true)
    }

    /// Whoever read standard output went away. Said quietly: they know.
    package static let brokenPipe = CommandFailure(
        .failure, code: "broken_pipe", "nobody reads the output", hint: nil, isQuiet: true)
}

package import Platform
internal import SecretMemory
internal import TextCoding

/// The environment of a command: environment variables, input and output, and the terminal.
///
/// A value, so that a test can provide its own.
package struct Surroundings: Sendable {
    /// The environment variables.
    package var environment: EnvironmentVariables
    /// The source of piped values, and of passphrases for the file `-`.
    package var standardInput: SecretInput
    /// The descriptor of results.
    package var output: Int32
    /// The descriptor of errors and warnings, and of a server's log.
    package var errors: Int32
    /// Opens the terminal for questions, or fails with `noTerminal`.
    package var openTerminal: @Sendable () throws -> TerminalPrompt

    /// The source of the current time.
    package var now: @Sendable () -> PointInTime

    /// Creates surroundings.
    package init(
        environment: EnvironmentVariables, standardInput: SecretInput, output: Int32, errors: Int32,
        openTerminal: @escaping @Sendable () throws -> TerminalPrompt,
        now: @escaping @Sendable () -> PointInTime = { .now }
    ) {
        self.environment = environment
        self.standardInput = standardInput
        self.output = output
        self.errors = errors
        self.openTerminal = openTerminal
        self.now = now
    }

    /// The surroundings of this process.
    package static func ofProcess() -> Surroundings {
        Surroundings(
            environment: .ofProcess(), standardInput: .standard, output: Descriptor.standardOutput,
            errors: Descriptor.standardError,
            openTerminal: { try TerminalPrompt() })
    }
}

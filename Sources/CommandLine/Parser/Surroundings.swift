/// What a command gets from outside of the program: environment variables, input and output, and the terminal.
///
/// A value, so that a test can hand in its own.
package struct Surroundings: Sendable {
    /// The environment variables.
    package var environment: EnvironmentVariables
    /// Where values come from that nobody types, and passphrases where a file of `-` was named.
    package var standardInput: SecretInput
    /// The descriptor to which results go.
    package var output: Int32
    /// The descriptor to which errors and warnings go, and a server's log.
    package var errors: Int32
    /// Opens the terminal for questions, or fails with `noTerminal`.
    package var openTerminal: @Sendable () throws(InputError) -> TerminalPrompt

    /// The time.
    package var now: @Sendable () -> PointInTime

    /// Makes surroundings.
    package init(
        environment: EnvironmentVariables, standardInput: SecretInput, output: Int32, errors: Int32,
        openTerminal: @escaping @Sendable () throws(InputError) -> TerminalPrompt,
        now: @escaping @Sendable () -> PointInTime = { .now }
    ) {
        self.environment = environment
        self.standardInput = standardInput
        self.output = output
        self.errors = errors
        self.openTerminal = openTerminal
        self.now = now
    }

    /// Those of this process.
    package static func ofProcess() -> Surroundings {
        Surroundings(
            environment: .ofProcess(), standardInput: .standard, output: Descriptor.standardOutput,
            errors: Descriptor.standardError,
            openTerminal: { () throws(InputError) in try TerminalPrompt() })
    }
}

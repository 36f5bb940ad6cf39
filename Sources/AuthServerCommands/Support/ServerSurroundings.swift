package import CommandSyntax
package import Terminal
package import TextCoding

/// What a command gets from outside of the program. A value, so that a test can hand in its own.
package struct ServerSurroundings: Sendable {
    /// The environment variables.
    package var environment: EnvironmentVariables
    /// Where passwords come from that nobody types.
    package var standardInput: SecretInput
    /// The descriptor to which results go.
    package var output: Int32
    /// The descriptor to which errors, warnings and the log go.
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
    package static func ofProcess() -> ServerSurroundings {
        ServerSurroundings(
            environment: .ofProcess(), standardInput: .standard, output: Descriptor.standardOutput,
            errors: Descriptor.standardError,
            openTerminal: { () throws(InputError) in try TerminalPrompt() })
    }
}

package import Platform

/// Runs operations by their command names, for a program without a command line. Thread-safe.
///
/// The page runs operations through this protocol, so they are the same as those of the command
/// line.
package protocol OperationRunner: Sendable {
    /// The environment variables of the operations.
    var environment: EnvironmentVariables { get }
    /// The home folder; nil for the one of the environment.
    var home: String? { get }

    /// Runs an operation in this thread.
    ///
    /// - Parameters:
    ///   - words: The name and options of the operation.
    ///   - operands: The operands; they may begin with a hyphen.
    ///   - isJSON: Whether the result is JSON, and not a plain value.
    ///   - input: Writes standard input in its own thread; nil for empty input. Its errors end the
    ///     input.
    /// - Returns: The outcome of the operation.
    /// - Throws: `SystemFailure` if pipes or threads are exhausted.
    func run(
        _ words: [String], operands: [String], asJSON isJSON: Bool,
        input: (@Sendable (Int32) throws -> Void)?
    ) throws -> OperationOutcome
}

/// The outcome of an operation of ``OperationRunner``.
package struct OperationOutcome: Sendable {
    /// 0 for success.
    package let exitCode: Int32
    /// The bytes of standard output.
    package let output: [UInt8]
    /// The bytes of standard error: the failure, or each warning, as one JSON object per line.
    package let errors: [UInt8]

    /// Creates an outcome.
    package init(exitCode: Int32, output: [UInt8], errors: [UInt8]) {
        self.exitCode = exitCode
        self.output = output
        self.errors = errors
    }
}

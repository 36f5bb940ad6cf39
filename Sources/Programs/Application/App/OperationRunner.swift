package import Platform

/// Runs operations by the words of commands, for a program that is no command line. Thread-safe.
///
/// The page asks for operations in this way, so that they are the same as those of the command line.
package protocol OperationRunner: Sendable {
    /// The environment variables of the operations.
    var environment: EnvironmentVariables { get }
    /// The home folder; nil for that of the environment.
    var home: String? { get }

    /// Runs an operation in this thread.
    ///
    /// - Parameters:
    ///   - words: Its name and options.
    ///   - operands: Its operands, of any form.
    ///   - isJSON: Whether the result is JSON, and not a plain value.
    ///   - input: Writes standard input, in a thread of its own; it is empty if left out. Errors end it.
    /// - Returns: How it ended.
    /// - Throws: `SystemFailure` if pipes or threads are exhausted.
    func run(
        _ words: [String], operands: [String], asJSON isJSON: Bool,
        input: (@Sendable (Int32) throws -> Void)?
    ) throws -> OperationOutcome
}

/// How an operation of ``OperationRunner`` ended.
package struct OperationOutcome: Sendable {
    /// 0 for success.
    package let exitCode: Int32
    /// The bytes of standard output.
    package let output: [UInt8]
    /// The bytes of standard error: the failure, or each warning, as one JSON object a line.
    package let errors: [UInt8]

    /// Notes an outcome.
    package init(exitCode: Int32, output: [UInt8], errors: [UInt8]) {
        self.exitCode = exitCode
        self.output = output
        self.errors = errors
    }
}

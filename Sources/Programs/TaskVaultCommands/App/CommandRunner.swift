package import CommandLine
internal import Platform

/// Runs commands of `taskvault` inside this process, with `--json` and without a terminal, for the local app. Thread-safe.
///
/// What the app does is so the same operation that the command does, with the same refusals and codes.
package struct CommandRunner: Sendable {
    /// How a command ended.
    package struct Outcome: Sendable {
        /// 0 if it did what was asked.
        package let exitCode: Int32
        /// What it wrote to standard output.
        package let output: [UInt8]
        /// What it wrote to standard error: the failure, or each warning, as one JSON object a line.
        package let errors: [UInt8]
    }

    /// The environment variables of the commands.
    package let environment: EnvironmentVariables
    /// The value of `--home`; nil if left out.
    package let home: String?

    /// Makes a runner for the vault of a home folder.
    package init(_ environment: EnvironmentVariables, home: String?) {
        self.environment = environment
        self.home = home
    }

    /// Runs a command in this thread.
    ///
    /// - Parameters:
    ///   - words: Its name and options.
    ///   - operands: Its operands, of any form.
    ///   - isJSON: Whether the result is JSON, and not a plain value.
    ///   - input: Writes standard input, in a thread of its own; it is empty if left out. Errors end it.
    /// - Returns: How it ended.
    /// - Throws: `SystemFailure` if pipes or threads are exhausted.
    package func run(
        _ words: [String], operands: [String] = [], asJSON isJSON: Bool = true,
        input: (@Sendable (Int32) throws -> Void)? = nil
    ) throws -> Outcome {
        let output = try CollectedOutput()
        defer { output.close() }
        let errors = try CollectedOutput()
        defer { errors.close() }
        let given = try SystemPipe()
        defer { given.closeReader() }
        if let input {
            let isStarted = DetachedThread.start {
                try? input(given.writer)
                given.closeWriter()
            }
            guard isStarted else { throw SystemFailure("pthread_create", code: EAGAIN) }
        } else {
            given.closeWriter()
        }
        let surroundings = Surroundings(
            environment: environment, standardInput: SecretInput(descriptor: given.reader),
            output: output.descriptor, errors: errors.descriptor,
            openTerminal: { throw InputError.noTerminal })
        let arguments =
            words + (home.map { ["--home=" + $0] } ?? []) + (isJSON ? ["--json"] : [])
            + (operands.isEmpty ? [] : ["--"] + operands)
        let exitCode = Program(surroundings, isApp: true).run(arguments)
        return Outcome(exitCode: exitCode, output: output.finish(), errors: errors.finish())
    }
}

/// A pipe whose content a thread collects. Thread-safe.
private final class CollectedOutput: Sendable {
    private let pipe: SystemPipe
    private let content = Monitor<[UInt8]?>(nil)

    init() throws {
        pipe = try SystemPipe()
        let isStarted = DetachedThread.start { [pipe, content] in
            let all = pipe.readAll()
            content.update { $0 = all }
        }
        guard isStarted else { throw SystemFailure("pthread_create", code: EAGAIN) }
    }

    var descriptor: Int32 { pipe.writer }

    /// Ends the thread.
    func close() { pipe.closeWriter() }

    /// All that was written.
    func finish() -> [UInt8] {
        close()
        return content.wait { $0 } ?? []
    }
}

package import Application
internal import CommandLine
package import Platform
internal import SecretMemory
internal import TextCoding

/// Runs commands of `taskvault` inside this process, with `--json` and without a terminal, for the local app. Thread-safe.
///
/// An action of the app is therefore the same operation as the command, with the same refusals and codes.
package struct CommandRunner: OperationRunner {
    /// The environment variables of the commands.
    package let environment: EnvironmentVariables
    /// The value of `--home`; nil if left out.
    package let home: String?

    /// Makes a runner for the vault of a home folder.
    package init(_ environment: EnvironmentVariables, home: String?) {
        self.environment = environment
        self.home = home
    }

    package func run(
        _ words: [String], operands: [String], asJSON isJSON: Bool,
        input: (@Sendable (Int32) throws -> Void)?
    ) throws -> OperationOutcome {
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
        return OperationOutcome(
            exitCode: exitCode, output: output.finish(), errors: errors.finish())
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

    /// Closes the writer, which ends the thread.
    func close() { pipe.closeWriter() }

    /// Ends the thread, and returns all bytes that were written.
    func finish() -> [UInt8] {
        close()
        return content.wait { $0 } ?? []
    }
}

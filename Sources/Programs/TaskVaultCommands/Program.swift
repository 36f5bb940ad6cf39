internal import Application
package import CommandLine
package import SecurityKeys

/// The program `taskvault`, with all its commands.
package struct Program: Sendable {
    private let surroundings: Surroundings
    private let keys: SecurityKeys
    private let isApp: Bool

    /// Makes the program. Only a test has other security keys than those that are plugged in.
    package init(_ surroundings: Surroundings, keys: SecurityKeys = SecurityKeys()) {
        self.init(surroundings, keys, isApp: false)
    }

    /// Makes the program for ``CommandRunner``, which also has the commands of ``AppCommands``.
    init(_ surroundings: Surroundings, _ keys: SecurityKeys = SecurityKeys(), isApp: Bool) {
        self.surroundings = surroundings
        self.keys = keys
        self.isApp = isApp
    }

    /// Runs it with the arguments of the process, after the words that its name means.
    ///
    /// - Parameter name: The name of the process.
    /// - Returns: The exit code.
    package func run(as name: String) -> Int32 {
        program.run(after: HelperName.words(of: name), command: run(_:))
    }

    /// Runs it with arguments.
    ///
    /// - Parameter arguments: Those after the program's name.
    /// - Returns: The exit code.
    package func run(_ arguments: [String]) -> Int32 {
        program.run(arguments, command: run(_:))
    }

    private var program: CommandProgram {
        CommandProgram(
            isApp ? .app : .taskvault, output: surroundings.output, errors: surroundings.errors)
    }

    private func run(_ invocation: Invocation) throws {
        let context = try CommandContext(invocation, surroundings, keys)
        let commands = isApp ? Commands.all + AppCommands.all : Commands.all
        let command = commands.first { $0.description == invocation.command }
        do {
            try command?.run(context)
        } catch {
            let failure = context.errors.failure(error)
            // With --json, standard error has the failure only.
            if !context.console.isJSON { context.vault.reportRollbackRecord() }
            throw failure
        }
        context.finish()
    }
}

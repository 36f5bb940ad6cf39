internal import Application
package import CommandLine
package import SecurityKeys

/// The program `taskvault`, with all its commands.
package struct Program: Sendable {
    private let surroundings: Surroundings
    private let keys: SecurityKeys
    private let isApp: Bool

    /// Makes the program. Only tests replace the security keys that are plugged in.
    package init(_ surroundings: Surroundings, keys: SecurityKeys = SecurityKeys()) {
        self.init(surroundings, keys, isApp: false)
    }

    /// Makes the program for ``CommandRunner``, which also has the commands of ``AppCommands``.
    init(_ surroundings: Surroundings, _ keys: SecurityKeys = SecurityKeys(), isApp: Bool) {
        self.surroundings = surroundings
        self.keys = keys
        self.isApp = isApp
    }

    /// Runs the program with the arguments of the process. Its name may stand for further ones.
    ///
    /// - Parameter name: The name of the process.
    /// - Returns: The exit code.
    package func run(as name: String) -> Int32 {
        program.run({ HelperName.arguments($0, of: name) }, command: run(_:))
    }

    /// Runs the program with arguments.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The exit code.
    package func run(_ arguments: [String]) -> Int32 {
        program.run(arguments, command: run(_:))
    }

    private var program: CommandProgram {
        CommandProgram(
            isApp ? .app : .taskvault, frequent: .frequent, output: surroundings.output,
            errors: surroundings.errors)
    }

    private func run(_ invocation: Invocation) throws {
        let context = try CommandContext(invocation, surroundings, keys)
        defer { context.console.restoreEcho() }
        func find(_ commands: [any Command.Type]) -> (any Command.Type)? {
            commands.first { $0.description == invocation.command }
        }
        let command =
            find(Commands.frequent) ?? find(Commands.all) ?? (isApp ? find(AppCommands.all) : nil)
        do {
            try command?.run(context)
        } catch {
            let failure = context.errors.failure(error)
            // With --json, standard error has only the failure.
            if !context.console.isJSON { context.vault.reportRollbackRecord() }
            throw failure
        }
        context.finish()
        // A person waits for no round, and a script runs `sync now`.
        if context.console.seesResults { context.application.sync.startRound() }
    }
}

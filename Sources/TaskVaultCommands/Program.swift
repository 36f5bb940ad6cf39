package import CommandLine

/// The program `taskvault`, with all its commands.
package struct Program: Sendable {
    private let surroundings: Surroundings

    /// Makes the program.
    package init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    /// Runs it with the arguments of the process.
    ///
    /// - Returns: The exit code.
    package func run() -> Int32 {
        program.run(command: run(_:))
    }

    /// Runs it with arguments.
    ///
    /// - Parameter arguments: Those after the program's name.
    /// - Returns: The exit code.
    package func run(_ arguments: [String]) -> Int32 {
        program.run(arguments, command: run(_:))
    }

    private var program: CommandProgram {
        CommandProgram(.taskvault, output: surroundings.output, errors: surroundings.errors)
    }

    private func run(_ invocation: Invocation) throws(CommandFailure) {
        try CommandContext(invocation, surroundings).run()
    }
}

extension CommandContext {
    /// Runs the command, and gives the warnings at the end that belong there.
    fileprivate func run() throws(CommandFailure) {
        guard let command = CommandRegistry.commands[invocation.command.name] else {
            preconditionFailure("\(invocation.command.name) is in the table and does nothing")
        }
        do throws(CommandFailure) {
            try command.run(self)
        } catch {
            if !isJSON { reportMarks() }
            throw error
        }
        reportMarks()
        notices.finish()
    }
}

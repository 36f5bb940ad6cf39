package import CommandLine

/// The program `taskvault-authd`, with all its commands.
package struct ServerProgram: Sendable {
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
        CommandProgram(
            .server, output: surroundings.output, errors: surroundings.errors,
            explainsItself: true)
    }

    private func run(_ invocation: Invocation) throws {
        if invocation.command.name == "completions" { return try printCompletions(invocation) }
        guard let command = ServerCommands.commands[invocation.command.name] else {
            preconditionFailure("\(invocation.command.name) is in the table and does nothing")
        }
        let context = try ServerContext(invocation, surroundings)
        try command.run(context)
        context.notices.finish()
    }

    private func printCompletions(_ invocation: Invocation) throws {
        guard let shell = Shell(rawValue: invocation.text(of: .shell)) else {
            preconditionFailure("the parser accepts known shells only")
        }
        try program.print { output in
            try output.write(shell.completions(for: .server))
        }
    }
}

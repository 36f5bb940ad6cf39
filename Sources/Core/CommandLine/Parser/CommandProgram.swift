internal import Platform
internal import TextCoding

/// A program with commands: parses arguments, prints help, runs a command, and reports errors.
package struct CommandProgram: Sendable, CommandPrinting {
    /// The descriptor of results.
    package let output: Int32
    private let frequent: CommandTable?
    private let table: @Sendable () -> CommandTable
    private let errors: Int32

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - table: Its commands. They are described only if `frequent` lacks the command that is asked for.
    ///   - frequent: Some of its commands, which other programs start often.
    ///   - output: The descriptor of results.
    ///   - errors: The descriptor of errors.
    package init(
        _ table: @autoclosure @escaping @Sendable () -> CommandTable,
        frequent: CommandTable? = nil, output: Int32, errors: Int32
    ) {
        self.table = table
        self.frequent = frequent
        self.output = output
        self.errors = errors
    }

    /// Runs the program with the arguments of the process.
    ///
    /// - Parameters:
    ///   - completed: The arguments to run for those of the process.
    ///   - command: Runs a command.
    /// - Returns: The exit code.
    package func run(
        _ completed: ([String]) -> [String] = { $0 }, command: (Invocation) throws -> Void
    ) -> Int32 {
        do {
            return run(completed(try Arguments.fromProcess()), command: command)
        } catch {
            return fail(error, asJSON: Arguments.wantJSON)
        }
    }

    /// Runs the program with arguments.
    ///
    /// - Parameters:
    ///   - arguments: The arguments after the program's name.
    ///   - command: Runs a command.
    /// - Returns: The exit code.
    package func run(
        _ arguments: [String], command: (Invocation) throws -> Void
    ) -> Int32 {
        do {
            if arguments.isEmpty {
                try print { $0.beginning }
                return ExitCode.done.rawValue
            }
            switch try request(arguments) {
            case .run(let invocation): try command(invocation)
            case .help(let path): try print { $0.text(about: path) }
            case .manualPage: try print(ManualPage(table()).text)
            case .reference: try print(CommandReference(table()).text)
            case .version: try print(table().versions)
            }
            return ExitCode.done.rawValue
        } catch {
            return fail(error, asJSON: CommandParser.wantsJSON(arguments))
        }
    }

    /// Parses the arguments. A mistake and a request for help need all commands.
    private func request(_ arguments: [String]) throws -> CommandRequest {
        if let frequent, let request = try? CommandParser(frequent).parse(arguments),
            case .run = request
        {
            return request
        }
        return try CommandParser(table()).parse(arguments)
    }

    /// Prints help, in a pager if it exceeds the terminal.
    private func print(_ text: (HelpText) -> String) throws {
        try page(isSeen: Descriptor.isTerminal(Descriptor.standardInput)) { capabilities in
            let help = HelpText(
                table(), columns: capabilities.columns ?? 80, style: Style(capabilities))
            return text(help).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .map { String($0) }
        }
    }

    private func print(_ text: String) throws {
        try print { output in try output.write(text) }
    }

    private func fail(_ error: any Error, asJSON: Bool) -> Int32 {
        let failure = Failure(unexplained: error)
        failure.report(of: table().program, asJSON: asJSON, to: errors)
        return failure.exitCode.rawValue
    }
}

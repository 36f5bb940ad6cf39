/// A program of commands: reads arguments, answers questions about itself, has a command run, and says what went wrong.
package struct CommandProgram: Sendable, CommandPrinting {
    /// The descriptor to which results go.
    package let output: Int32
    private let table: CommandTable
    private let errors: Int32
    private let explainsItself: Bool

    /// Makes a program.
    ///
    /// - Parameters:
    ///   - table: Its commands.
    ///   - output: The descriptor to which results go.
    ///   - errors: The descriptor to which errors go.
    ///   - explainsItself: Whether it prints its help where there are no arguments, which is a mistake otherwise.
    package init(
        _ table: CommandTable, output: Int32, errors: Int32, explainsItself: Bool = false
    ) {
        self.explainsItself = explainsItself
        self.table = table
        self.output = output
        self.errors = errors
    }

    /// Runs it with the arguments of the process.
    ///
    /// - Parameter command: Runs a command.
    /// - Returns: The exit code.
    package func run(command: (Invocation) throws(CommandFailure) -> Void) -> Int32 {
        do throws(CommandFailure) {
            return run(try Arguments.fromProcess(), command: command)
        } catch {
            return fail(error, asJSON: Arguments.wantJSON)
        }
    }

    /// Runs it with arguments.
    ///
    /// - Parameters:
    ///   - arguments: Those after the program's name.
    ///   - command: Runs a command.
    /// - Returns: The exit code.
    package func run(
        _ arguments: [String], command: (Invocation) throws(CommandFailure) -> Void
    ) -> Int32 {
        do throws(CommandFailure) {
            if explainsItself, arguments.isEmpty {
                try print(information(.help([])))
                return ExitCode.done.rawValue
            }
            switch try CommandParser(table).parse(arguments) {
            case .run(let invocation): try command(invocation)
            case let request: try print(information(request))
            }
            return ExitCode.done.rawValue
        } catch {
            return fail(error, asJSON: CommandParser.wantsJSON(arguments))
        }
    }

    private func information(_ request: CommandRequest) -> String {
        switch request {
        case .run: preconditionFailure("a command is run, not told")
        case .help(let path):
            let capabilities = TerminalCapabilities(of: output)
            let help = HelpText(
                table, columns: capabilities.columns ?? 80, style: Style(capabilities))
            return help.text(about: path)
        case .manualPage: return ManualPage(table).text
        case .reference: return CommandReference(table).text
        case .version: return table.versions
        }
    }

    private func print(_ text: String) throws(CommandFailure) {
        try print { (output) throws(OutputError) in try output.write(text) }
    }

    private func fail(_ failure: CommandFailure, asJSON: Bool) -> Int32 {
        let style = Style(TerminalCapabilities(of: errors))
        do throws(OutputError) {
            try failure.print(
                of: table.program, asJSON: asJSON, style: style, to: Output(descriptor: errors)
            ).finish()
        } catch {
            // Nowhere is left to say so; the exit code does.
        }
        return failure.exitCode.rawValue
    }
}

internal import Terminal

/// The program `taskvault`: reads arguments, finds the command, runs it, and says what went wrong.
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
        do throws(CommandFailure) {
            return run(try Arguments.fromProcess())
        } catch {
            return fail(error, asJSON: false)
        }
    }

    /// Runs it with arguments.
    ///
    /// - Parameter arguments: Those after the program's name.
    /// - Returns: The exit code.
    package func run(_ arguments: [String]) -> Int32 {
        do throws(CommandFailure) {
            try fulfil(try CommandParser().parse(arguments))
            return ExitCode.done.rawValue
        } catch {
            return fail(error, asJSON: CommandParser.wantsJSON(arguments))
        }
    }

    private func fulfil(_ request: CommandRequest) throws(CommandFailure) {
        switch request {
        case .run(let invocation):
            let context = try CommandContext(invocation, surroundings)
            try context.run()
        case .help(let path):
            let capabilities = TerminalCapabilities(of: surroundings.output)
            let help = HelpText(
                columns: capabilities.columns ?? 80, style: Style(capabilities))
            try print(help.text(about: path))
        case .manualPage:
            try print(ManualPage().text)
        case .reference:
            try print(CommandReference().text)
        case .version:
            try print(ProductVersion.line + "\n")
        }
    }

    private func print(_ text: String) throws(CommandFailure) {
        do throws(OutputError) {
            var output = Output(descriptor: surroundings.output)
            try output.write(text)
            try output.finish()
        } catch {
            throw CommandFailure(error)
        }
    }

    private func fail(_ failure: CommandFailure, asJSON: Bool) -> Int32 {
        let style = Style(TerminalCapabilities(of: surroundings.errors))
        do throws(OutputError) {
            try failure.print(
                asJSON: asJSON, style: style, to: Output(descriptor: surroundings.errors)
            ).finish()
        } catch {
            // Nowhere is left to say so; the exit code does.
        }
        return failure.exitCode.rawValue
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

internal import CommandLine
internal import SecretMemory

extension CommandContext: CommandPrinting {
    var output: Int32 { surroundings.output }

    /// Prints a value as it is into a pipe or file; on a terminal made visible, and with a line end.
    func printValue(_ value: borrowing SecretBytes) throws(CommandFailure) {
        do throws(OutputError) {
            var output = Output(descriptor: surroundings.output)
            if output.isTerminal {
                try VisibleText.write(secret: value, keepingLines: true, to: &output)
                try output.writeLine()
            } else {
                try output.write(secret: value)
            }
            try output.finish()
        } catch {
            throw CommandFailure(error)
        }
    }
}

internal import SecretMemory
internal import Terminal

extension CommandContext {
    /// Prints a result on standard output.
    ///
    /// - Parameter body: Writes it.
    /// - Throws: Why it cannot be written.
    func print(
        _ body: (inout Output) throws(OutputError) -> Void
    ) throws(CommandFailure) {
        do throws(OutputError) {
            var output = Output(descriptor: surroundings.output)
            try body(&output)
            try output.finish()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Prints a line on standard output; control characters in it are made visible.
    func printLine(_ line: String) throws(CommandFailure) {
        try print { (output) throws(OutputError) in
            try output.writeLine(VisibleText.escape(line))
        }
    }

    /// Prints one JSON value on standard output.
    ///
    /// - Parameter body: Writes it.
    /// - Throws: Why it cannot be written.
    func printJSON(
        _ body: (inout JSONWriter<Output>) throws(OutputError) -> Void
    ) throws(CommandFailure) {
        do throws(OutputError) {
            var writer = JSONWriter(Output(descriptor: surroundings.output))
            try body(&writer)
            try writer.finish().finish()
        } catch {
            throw CommandFailure(error)
        }
    }

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

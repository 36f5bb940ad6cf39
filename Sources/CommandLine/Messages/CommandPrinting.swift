/// Something that prints results.
package protocol CommandPrinting {
    /// The descriptor to which results go.
    var output: Int32 { get }
}

extension CommandPrinting {
    /// Prints a result.
    ///
    /// - Parameter body: Writes it.
    /// - Throws: Why it cannot be written.
    package func print(
        _ body: (inout Output) throws(OutputError) -> Void
    ) throws(CommandFailure) {
        do throws(OutputError) {
            var output = Output(descriptor: output)
            try body(&output)
            try output.finish()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Prints a line; control characters in it are made visible.
    package func printLine(_ line: String) throws(CommandFailure) {
        try print { (output) throws(OutputError) in
            try output.writeLine(VisibleText.escape(line))
        }
    }

    /// Prints one JSON value.
    ///
    /// - Parameter body: Writes it.
    /// - Throws: Why it cannot be written.
    package func printJSON(
        _ body: (inout JSONWriter<Output>) throws(OutputError) -> Void
    ) throws(CommandFailure) {
        do throws(OutputError) {
            var writer = JSONWriter(Output(descriptor: output))
            try body(&writer)
            try writer.finish().finish()
        } catch {
            throw CommandFailure(error)
        }
    }
}

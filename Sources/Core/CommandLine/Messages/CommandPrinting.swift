/// A type that prints results.
package protocol CommandPrinting {
    /// The descriptor of results.
    var output: Int32 { get }
}

extension CommandPrinting {
    /// Prints a result.
    ///
    /// - Parameter body: Writes the result.
    /// - Throws: The error of the output.
    package func print(
        _ body: (inout Output) throws -> Void
    ) throws {
        var output = Output(descriptor: output)
        try body(&output)
        try output.finish()
    }

    /// Prints a line, with control characters escaped.
    package func printLine(_ line: String) throws {
        try print { output in
            try output.writeLine(VisibleText.escape(line))
        }
    }

    /// Prints one JSON value.
    ///
    /// - Parameter body: Writes the value.
    /// - Throws: The error of the output.
    package func printJSON(
        _ body: (inout JSONWriter<Output>) throws -> Void
    ) throws {
        var writer = JSONWriter(Output(descriptor: output))
        try body(&writer)
        try writer.finish().finish()
    }
}

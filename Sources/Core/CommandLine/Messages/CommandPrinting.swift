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

    /// Prints lines, or opens them in a pager if they exceed the rows of the terminal. The pager leaves the last ones on the screen.
    ///
    /// - Parameters:
    ///   - isSeen: Whether a person can close a pager: standard input is a terminal.
    ///   - lines: Lays out the lines for the capabilities of the output.
    /// - Throws: `interrupted` by a signal; the error of the output.
    package func page(isSeen: Bool, _ lines: (TerminalCapabilities) -> [String]) throws {
        let capabilities = TerminalCapabilities(of: output)
        let all = lines(capabilities)
        if let rows = capabilities.rows, all.count >= rows, isSeen {
            do {
                let ending = try TransientPager().show(while: { .shown }, leavingText: true) {
                    lines(capabilities.resized(to: $0))
                }
                guard case .signal = ending else { return }
                throw Failure(.interrupted, "interrupted")
            } catch InputError.noTerminal, InputError.cannotClear {
                // Printed as usual.
            }
        }
        try print { output in for line in all { try output.writeLine(line) } }
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

/// Standard output for text that a program will read, such as a file: as it is into a pipe, made visible on a terminal.
package struct VisibleOutput: ByteSink, ~Copyable {
    private var output: Output

    /// Makes a sink in front of an output.
    package init(_ output: consuming Output) {
        self.output = output
    }

    /// Writes text. On a terminal a scalar must not be cut in two.
    package mutating func write(_ bytes: RawSpan) throws(OutputError) {
        guard output.isTerminal else { return try output.write(bytes) }
        try output.write(VisibleText.escape(bytes: bytes, keepingLines: true))
    }

    /// Writes a secret.
    package mutating func write(secret bytes: RawSpan) throws(OutputError) {
        guard output.isTerminal else { return try output.write(secret: bytes) }
        try VisibleText.write(secret: bytes, keepingLines: true, to: &output)
    }

    /// Writes what waits.
    package consuming func finish() throws(OutputError) {
        try output.finish()
    }
}

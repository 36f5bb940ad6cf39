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
        _ body: (inout Output) throws -> Void
    ) throws {
        var output = Output(descriptor: output)
        try body(&output)
        try output.finish()
    }

    /// Prints a line; control characters in it are made visible.
    package func printLine(_ line: String) throws {
        try print { output in
            try output.writeLine(VisibleText.escape(line))
        }
    }

    /// Prints one JSON value.
    ///
    /// - Parameter body: Writes it.
    /// - Throws: Why it cannot be written.
    package func printJSON(
        _ body: (inout JSONWriter<Output>) throws -> Void
    ) throws {
        var writer = JSONWriter(Output(descriptor: output))
        try body(&writer)
        try writer.finish().finish()
    }
}

/// Warnings of a command: on standard error, beside the result.
///
/// With `--json` they wait until the command is done, and a command that failed prints its error only: then standard error holds one JSON
/// object, and otherwise one on each line.
package final class Notices {
    private struct Warning {
        let code: String
        let message: String
    }

    private let program: String
    private let descriptor: Int32
    private let isJSON: Bool
    private var waiting: [Warning] = []
    private var said: Set<String> = []

    /// Makes notices of a program for a descriptor.
    package init(program: String, descriptor: Int32, asJSON isJSON: Bool) {
        self.program = program
        self.descriptor = descriptor
        self.isJSON = isJSON
    }

    /// Warns, once for each code.
    ///
    /// - Parameters:
    ///   - code: A stable name in snake_case.
    ///   - message: Beginning in lower case and without full stop; never a secret.
    package func warn(_ code: String, _ message: String) {
        guard said.insert(code).inserted else { return }
        if isJSON {
            waiting.append(Warning(code: code, message: message))
            return
        }
        let style = Style(TerminalCapabilities(of: descriptor))
        print(style.apply(.yellow, to: "warning:") + " " + VisibleText.escape(message))
    }

    /// Remarks something that is no warning; not for programs.
    package func remark(_ message: String) {
        if !isJSON { print(VisibleText.escape(message)) }
    }

    private func print(_ line: String) {
        // A warning that cannot be written is no reason to stop the work.
        var output = Output(descriptor: descriptor)
        try? output.writeLine("\(program): \(line)")
        try? output.finish()
    }

    /// Prints what waits.
    package func finish() {
        for warning in waiting { printJSON(warning) }
        waiting = []
    }

    private func printJSON(_ warning: Warning) {
        do {
            var writer = JSONWriter(Output(descriptor: descriptor))
            try writer.beginObject()
            try writer.member("warning", warning.code)
            try writer.member("message", warning.message)
            try writer.endObject()
            try writer.finish().finish()
        } catch {
            // As in `print`.
        }
    }
}

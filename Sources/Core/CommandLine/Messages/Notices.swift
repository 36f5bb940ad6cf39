/// The warnings of a command, on standard error.
///
/// With `--json`, warnings are buffered until the command ends, and a failed command prints only
/// its error.
/// Standard error then holds one JSON object for a failure, or one for each warning.
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

    /// Creates the notices of a program for a descriptor.
    package init(program: String, descriptor: Int32, asJSON isJSON: Bool) {
        self.program = program
        self.descriptor = descriptor
        self.isJSON = isJSON
    }

    /// Warns, once for each code.
    ///
    /// - Parameters:
    ///   - code: A stable name in snake_case.
    ///   - message: The text, in lower case and without a full stop; never a secret.
    package func warn(_ code: String, _ message: String) {
        guard said.insert(code).inserted else { return }
        if isJSON {
            waiting.append(Warning(code: code, message: message))
            return
        }
        let style = Style(TerminalCapabilities(of: descriptor))
        print(style.apply(.yellow, to: "warning:") + " " + VisibleText.escape(message))
    }

    /// Prints a remark for people that is not a warning.
    package func remark(_ message: String) {
        if !isJSON { print(VisibleText.escape(message)) }
    }

    private func print(_ line: String) {
        // A failure to print a warning must not stop the work.
        var output = Output(descriptor: descriptor)
        try? output.writeLine("\(program): \(line)")
        try? output.finish()
    }

    /// Prints the buffered warnings.
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
            // A failure to print a remark must not stop the work.
        }
    }
}

internal import SecretMemory
package import TextCoding

extension Failure {
    /// Prints the failure, unless it is quiet.
    ///
    /// As text, for example `taskvault: error: …` and, with a hint, `taskvault: hint: …`. Each is
    /// one line with control characters escaped, and so is each of the details. As JSON, one object
    /// with `code`, `message`, `details` if there are any, and `hint`, which may be null.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - json: Whether `--json` was given.
    ///   - style: The colours of text.
    ///   - sink: The destination, usually standard error.
    /// - Returns: The sink, unfinished.
    /// - Throws: The error of the sink.
    package func print<Sink: ByteSink & ~Copyable>(
        of program: String, asJSON json: Bool, style: Style = .plain, to sink: consuming Sink
    ) throws -> Sink {
        if isQuiet { return sink }
        if json {
            var writer = JSONWriter(sink)
            try writer.beginObject()
            try writer.member("code", code)
            try writer.member("message", message)
            if !details.isEmpty {
                try writer.key("details")
                try writer.beginArray()
                for line in details { try writer.string(line) }
                try writer.endArray()
            }
            try writer.member("hint", hint)
            try writer.endObject()
            return try writer.finish()
        }
        if self == .cancelled {
            try sink.writeLine("\(program): \(message)")
            return sink
        }
        let error = style.apply(.red, to: "error:")
        try sink.writeLine("\(program): \(error) \(VisibleText.escape(message))")
        for line in details { try sink.writeLine("\(program):   \(VisibleText.escape(line))") }
        if let hint {
            try sink.writeLine("\(program): hint: \(VisibleText.escape(hint))")
        }
        return sink
    }

    /// Prints the failure of an operation that continues. A failure to print it does not stop the
    /// operation.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - json: Whether `--json` was given.
    ///   - errors: The descriptor of errors.
    package func report(of program: String, asJSON json: Bool, to errors: Int32) {
        try? print(
            of: program, asJSON: json, style: Style(TerminalCapabilities(of: errors)),
            to: Output(descriptor: errors)
        ).finish()
    }
}

extension Failure {
    /// Explains a failure to read, with the option that could have given the input.
    package init(
        _ error: InputError, reading subject: String, insteadOf option: OptionDescription
    ) {
        self.init(error, reading: subject, insteadOf: option.usage)
    }
}

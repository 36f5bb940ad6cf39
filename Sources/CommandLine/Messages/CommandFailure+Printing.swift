extension CommandFailure {
    /// Prints the failure, unless it is quiet.
    ///
    /// As text, `taskvault: error: …`, say, and, with a hint, `taskvault: hint: …`, each in one line with control characters made visible. As
    /// JSON, one object with `code`, `message` and `hint`, which is null where there is none.
    ///
    /// - Parameters:
    ///   - program: The program's name.
    ///   - json: Whether `--json` was given.
    ///   - style: Colours, for text.
    ///   - sink: Where to, usually standard error.
    /// - Returns: The sink, unfinished.
    /// - Throws: What the sink throws.
    package func print<Sink: ByteSink & ~Copyable>(
        of program: String, asJSON json: Bool, style: Style = .plain, to sink: consuming Sink
    ) throws(OutputError) -> Sink {
        if isQuiet { return sink }
        if json {
            var writer = JSONWriter(sink)
            try writer.beginObject()
            try writer.member("code", code)
            try writer.member("message", message)
            try writer.member("hint", hint)
            try writer.endObject()
            return try writer.finish()
        }
        let error = style.apply(.red, to: "error:")
        try sink.writeLine("\(program): \(error) \(VisibleText.escape(message))")
        if let hint {
            try sink.writeLine("\(program): hint: \(VisibleText.escape(hint))")
        }
        return sink
    }
}

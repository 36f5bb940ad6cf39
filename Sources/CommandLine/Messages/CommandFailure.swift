/// Why a command failed: what the person reads, and what a script gets. It never carries a secret.
package struct CommandFailure: Error, Sendable, Hashable {
    /// How the process ends.
    package let exitCode: ExitCode
    /// A stable name in snake_case, the `code` of JSON errors.
    package let code: String
    /// What is wrong, beginning in lower case and without full stop.
    package let message: String
    /// What to do about it, at best the command that would have worked.
    package let hint: String?
    /// Whether nothing is printed.
    package let isQuiet: Bool

    /// Makes a failure.
    ///
    /// - Parameters:
    ///   - exitCode: How the process ends.
    ///   - code: A name more exact than that of the exit code.
    ///   - message: What is wrong, beginning in lower case and without full stop.
    ///   - hint: What to do about it.
    package init(
        _ exitCode: ExitCode, code: String? = nil, _ message: String, hint: String? = nil
    ) {
        self.init(exitCode, code: code, message, hint: hint, isQuiet: false)
    }

    private init(
        _ exitCode: ExitCode, code: String?, _ message: String, hint: String?, isQuiet: Bool
    ) {
        self.exitCode = exitCode
        self.code = code ?? exitCode.name
        self.message = message
        self.hint = hint
        self.isQuiet = isQuiet
    }

    /// Explains an error that the program itself has no words for: of input, of output, or an unexpected one.
    package init(unexplained error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as InputError: self.init(error, reading: "the input", insteadOf: nil)
        case let error as OutputError: self.init(error)
        default:
            // The type only: a description may hold values.
            self.init(.failure, code: "unexpected", "unexpected error of type \(type(of: error))")
        }
    }

    /// A mistake on the command line.
    package static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.usage, message, hint: hint)
    }

    /// One that another process of this program has explained on standard error already.
    package static func explained(_ exitCode: ExitCode) -> CommandFailure {
        CommandFailure(exitCode, code: nil, "explained already", hint: nil, isQuiet: true)
    }

    /// Whoever read standard output went away. Said quietly: they know.
    package static let brokenPipe = CommandFailure(
        .failure, code: "broken_pipe", "nobody reads the output", hint: nil, isQuiet: true)
}

extension CommandFailure {
    /// Explains why something could not be read.
    ///
    /// - Parameters:
    ///   - error: What happened.
    ///   - subject: What was to be read, such as `the passphrase file`.
    ///   - option: The option that reads it from a file; nil where there is none.
    package init(
        _ error: InputError, reading subject: String, insteadOf option: OptionDescription?
    ) {
        switch error {
        case .noTerminal:
            self.init(
                .usage, code: "no_terminal",
                "cannot ask for \(subject): standard input is not a terminal",
                hint: "run it in a terminal" + (option.map { ", or give \($0.usage)" } ?? ""))
        case .interrupted:
            self.init(.interrupted, "interrupted")
        case .endOfInput:
            self.init(
                .usage, code: "end_of_input", "the input ended before \(subject) was there")
        case .tooLong(let maximum):
            self.init(
                .refused, code: "too_large", "\(subject) is larger than \(maximum) bytes")
        case .notText:
            self.init(.usage, code: "not_text", "\(subject) is not valid UTF-8")
        case .isFolder:
            self.init(.usage, code: "is_folder", "\(subject) is a folder, not a file")
        case .wouldShow:
            self.init(
                .usage, code: "would_show",
                "\(subject) is a terminal, which would show what is typed",
                hint: "leave the option out to be asked without showing it")
        case .cannotClear:
            self.init(.failure, code: "terminal", "the terminal cannot be cleared")
        case .outOfMemory:
            self.init(.failure, code: "out_of_memory", "no guarded memory left")
        case .failed(let failure):
            // A file that cannot be opened was named wrongly; anything else is nobody's mistake.
            let exitCode: ExitCode = failure.call == "open" ? .usage : .failure
            self.init(
                exitCode, code: "cannot_read", "cannot read \(subject): \(failure.explanation)")
        }
    }

    /// Explains why something could not be written.
    ///
    /// - Parameters:
    ///   - error: What happened.
    ///   - subject: What was written, such as `the output`.
    package init(_ error: OutputError, writing subject: String = "the output") {
        switch error {
        case .brokenPipe:
            self = .brokenPipe
        case .outOfMemory:
            self.init(.failure, code: "out_of_memory", "no guarded memory left")
        case .failed(let failure):
            self.init(
                .failure, code: "cannot_write", "cannot write \(subject): \(failure.explanation)")
        }
    }
}

extension CommandFailure {
    /// What a database fails with whatever it holds.
    package enum DatabaseTrouble: Sendable {
        /// Nobody answers, or lets us in.
        case unreachable(reason: String)
        /// The connection was lost while a change was being committed.
        case outcomeUnknown
        /// It cannot be written.
        case readOnly
        /// No space left.
        case full
        /// Others are using it, for too long.
        case busy
        /// It was closed.
        case closed
        /// Anything else.
        case failed(detail: String)
    }

    /// Explains what is the matter with a database.
    ///
    /// - Parameters:
    ///   - trouble: What it is.
    ///   - title: How messages name the database.
    ///   - hint: What shows more of it.
    package init(_ trouble: DatabaseTrouble, of title: String, hint: String? = nil) {
        switch trouble {
        case .unreachable(let reason):
            self.init(
                .serverUnreachable, code: "database_unreachable",
                "cannot use the database \(title): \(reason)", hint: hint)
        case .outcomeUnknown:
            self.init(
                .failure, code: "outcome_unknown",
                "the connection to \(title) was lost in the last moment: it is not known whether the change was made",
                hint: hint)
        case .readOnly:
            self.init(.failure, code: "read_only", "\(title) cannot be written", hint: hint)
        case .full:
            self.init(
                .failure, code: "disk_full", "no space left for \(title); nothing was changed",
                hint: hint ?? "make space and run it again")
        case .busy:
            self.init(
                .refused, code: "busy", "another program is using \(title) for too long",
                hint: hint ?? "run it again when it is done")
        case .closed:
            self.init(
                .failure, code: "database_closed", "\(title) was closed meanwhile", hint: hint)
        case .failed(let detail):
            self.init(.failure, code: "input_output", "\(detail), on \(title)", hint: hint)
        }
    }
}

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
    ) throws -> Sink {
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

/// What makes a place safe for a file that was found not to be.
package enum LocationAdvice {
    /// The command, where one does.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - reason: What is wrong with it, as the storage says.
    /// - Returns: The hint; nil where there is none.
    package static func hint(_ path: String, _ reason: String) -> String? {
        switch reason {
        case "accessible to other users", "writable by other users":
            "chmod go= \(ShellText.quote(path)), if nobody else is meant to have it"
        default: nil
        }
    }
}

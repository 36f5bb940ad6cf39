/// Why a command failed, for people and for scripts. It never contains a secret.
package struct CommandFailure: Error, Sendable, Hashable {
    /// How the process ends.
    package let exitCode: ExitCode
    /// A stable name in snake_case, the `code` of JSON errors.
    package let code: String
    /// The error, beginning in lower case and without full stop.
    package let message: String
    /// A remedy, preferably the command that would have worked.
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

    /// Explains an error that the program does not explain: of input, of output, or an unexpected one.
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

    /// The person declined at a question.
    package static let cancelled = CommandFailure(.refused, code: "declined", "cancelled")

    /// A mistake on the command line.
    package static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.usage, message, hint: hint)
    }

    /// One that another process of this program has explained on standard error already.
    package static func explained(_ exitCode: ExitCode) -> CommandFailure {
        CommandFailure(exitCode, code: nil, "explained already", hint: nil, isQuiet: true)
    }

    /// The reader of standard output is gone. Nothing is printed.
    package static let brokenPipe = CommandFailure(
        .failure, code: "broken_pipe", "the reader of the output is gone", hint: nil, isQuiet: true)
}

extension CommandFailure {
    /// Explains why something could not be read.
    ///
    /// - Parameters:
    ///   - error: What happened.
    ///   - subject: What was to be read, such as `the passphrase file`.
    ///   - option: The option that reads it from a file; nil if there is none.
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
                .usage, code: "end_of_input", "unexpected end of input: \(subject) is missing")
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
                "\(subject) is a terminal, which would show the input",
                hint: "omit the option to be asked without echo")
        case .cannotClear:
            self.init(.failure, code: "terminal", "the terminal cannot be cleared")
        case .outOfMemory:
            self.init(.failure, code: "out_of_memory", "no guarded memory left")
        case .failed(let failure):
            // A file that cannot be opened is a wrong argument; anything else is a failure of the system.
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
    /// The failures that all databases have in common.
    package enum DatabaseTrouble: Sendable {
        /// The server does not answer, or refuses the connection.
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

    /// Explains the failure of a database.
    ///
    /// - Parameters:
    ///   - trouble: The failure.
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
                "the connection to \(title) was lost while saving; the change may have been made",
                hint: hint)
        case .readOnly:
            self.init(.failure, code: "read_only", "\(title) cannot be written", hint: hint)
        case .full:
            self.init(
                .failure, code: "disk_full", "no space left for \(title); nothing was changed",
                hint: hint ?? "free some space and run it again")
        case .busy:
            self.init(
                .refused, code: "busy", "\(title) is in use by another program",
                hint: hint ?? "run it again when the other process is done")
        case .closed:
            self.init(
                .failure, code: "database_closed", "\(title) was closed", hint: hint)
        case .failed(let detail):
            self.init(.failure, code: "input_output", "\(detail), on \(title)", hint: hint)
        }
    }
}

extension CommandFailure {
    /// Prints the failure, unless it is quiet.
    ///
    /// As text, `taskvault: error: …`, say, and, with a hint, `taskvault: hint: …`, each in one line with control characters made visible. As
    /// JSON, one object with `code`, `message` and `hint`, which is null if there is none.
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
        if self == .cancelled {
            try sink.writeLine("\(program): \(message)")
            return sink
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
    /// - Returns: The hint; nil if there is none.
    package static func hint(_ path: String, _ reason: String) -> String? {
        switch reason {
        case "accessible to other users", "writable by other users":
            "chmod go= \(ShellText.quote(path)), unless other users need it"
        default: nil
        }
    }
}

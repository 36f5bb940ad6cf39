package import Platform
internal import SecretMemory

/// The failure of a command, for people and for scripts. It never contains a secret.
package struct CommandFailure: Error, Sendable, Hashable {
    /// The exit code of the process.
    package let exitCode: ExitCode
    /// A stable name in snake_case, the `code` of JSON errors.
    package let code: String
    /// The error, beginning in lower case and without full stop.
    package let message: String
    /// A remedy, preferably a command that works.
    package let hint: String?
    /// Whether nothing is printed.
    package let isQuiet: Bool

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - exitCode: The exit code of the process.
    ///   - code: A more specific name than that of the exit code.
    ///   - message: The error, beginning in lower case and without full stop.
    ///   - hint: A remedy.
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

    /// Explains a general error: of input, of output, or an unexpected one.
    package init(unexplained error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as InputError: self.init(error, reading: "the input", insteadOf: nil)
        case let error as SystemFailure where error.call == "write":
            self.init(error, writing: "the output")
        case is SecretMemoryError:
            self.init(.failure, code: "out_of_memory", "no guarded memory left")
        default:
            // Only the type: a description may contain values.
            self.init(.failure, code: "unexpected", "unexpected error of type \(type(of: error))")
        }
    }

    /// The user answered no.
    package static let cancelled = CommandFailure(.refused, code: "declined", "cancelled")

    /// A mistake on the command line.
    package static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.usage, message, hint: hint)
    }

    /// A failure that another process of this program has already reported on standard error.
    package static func explained(_ exitCode: ExitCode) -> CommandFailure {
        CommandFailure(exitCode, code: nil, "explained already", hint: nil, isQuiet: true)
    }

    /// The reader of standard output is gone. Nothing is printed.
    package static let brokenPipe = CommandFailure(
        .failure, code: "broken_pipe", "the reader of the output is gone", hint: nil, isQuiet: true)
}

extension CommandFailure {
    /// Explains a failure to read.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - subject: The input, such as `the passphrase file`.
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
        case .failed(let failure):
            // A file that cannot be opened is a usage error; other errors are failures of the system.
            let exitCode: ExitCode = failure.call == "open" ? .usage : .failure
            self.init(
                exitCode, code: "cannot_read", "cannot read \(subject): \(failure.explanation)")
        }
    }

    /// Explains a failure to write.
    ///
    /// - Parameters:
    ///   - failure: The error; nothing is printed if the reader of a pipe is gone.
    ///   - subject: The output, such as `the output`.
    package init(_ failure: SystemFailure, writing subject: String) {
        guard failure.code != EPIPE else {
            self = .brokenPipe
            return
        }
        self.init(
            .failure, code: "cannot_write", "cannot write \(subject): \(failure.explanation)")
    }
}

extension CommandFailure {
    /// The failures common to all databases.
    package enum DatabaseTrouble: Sendable {
        /// The server does not answer, or refuses the connection.
        case unreachable(reason: String)
        /// The connection was lost while a change was being committed.
        case outcomeUnknown
        /// The database is read-only.
        case readOnly
        /// No space left.
        case full
        /// Other processes locked the database for too long.
        case busy
        /// The database was closed.
        case closed
        /// Any other failure.
        case failed(detail: String)
    }

    /// Explains the failure of a database.
    ///
    /// - Parameters:
    ///   - trouble: The failure.
    ///   - title: The name of the database in messages.
    ///   - hint: A command that shows details.
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
    /// As text, for example `taskvault: error: …` and, with a hint, `taskvault: hint: …`, each on one line with control characters
    /// escaped.
    /// As JSON, one object with `code`, `message` and `hint`, which may be null.
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

/// The hint about an unsafe location of a file.
package enum LocationAdvice {
    /// How to make room beside the data of an earlier build.
    ///
    /// - Parameter schema: The schema with its tables on a server; nil for a file.
    /// - Returns: The hint.
    package static func hint(earlierSchema schema: String?) -> String {
        schema.map { "ALTER SCHEMA \($0) RENAME TO another_name keeps the tables" }
            ?? "rename the file, and a file of the same name with -wal if there is one; a new one is then created"
    }

    /// The command that makes the location safe, if one exists.
    ///
    /// - Parameters:
    ///   - path: The location.
    ///   - reason: The problem, as the storage reports it.
    /// - Returns: The hint; nil if there is none.
    package static func hint(_ path: String, _ reason: String) -> String? {
        switch reason {
        case "accessible to other users", "writable by other users":
            "chmod go= \(ShellText.quote(path)), unless other users need it"
        default: nil
        }
    }
}

extension CommandFailure {
    /// Explains that this process has no permission to read a file; nil for any other file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - title: The name of the file in messages.
    package init?(unreadable path: String, named title: String) {
        guard let refusal = FileSystem.refusedReading(path) else { return nil }
        self.init(
            .failure, code: "cannot_read", "cannot read \(title): \(refusal.explanation)",
            hint: "check the permissions of the file and its folder")
    }
}

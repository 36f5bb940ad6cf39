package import Platform
internal import SecretMemory

/// The failure of a command, for people and for scripts. It never contains a secret.
package struct Failure: Error, Sendable, Hashable {
    /// The exit code of the process.
    package let exitCode: ExitCode
    /// A stable name in snake_case, the `code` of JSON errors.
    package let code: String
    /// The error, in lower case and without a full stop.
    package let message: String
    /// Further lines of the message, such as one for each candidate.
    package let details: [String]
    /// A remedy, preferably a working command.
    package let hint: String?
    /// Whether nothing is printed.
    package let isQuiet: Bool

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - exitCode: The exit code of the process.
    ///   - code: A more specific name than that of the exit code.
    ///   - message: The error, in lower case and without a full stop.
    ///   - details: Further lines of the message.
    ///   - hint: A remedy.
    package init(
        _ exitCode: ExitCode, code: String? = nil, _ message: String, details: [String] = [],
        hint: String? = nil
    ) {
        self.init(exitCode, code: code, message, details: details, hint: hint, isQuiet: false)
    }

    private init(
        _ exitCode: ExitCode, code: String?, _ message: String, details: [String] = [],
        hint: String?, isQuiet: Bool
    ) {
        self.exitCode = exitCode
        self.code = code ?? exitCode.name
        self.message = message
        self.details = details
        self.hint = hint
        self.isQuiet = isQuiet
    }

    /// Explains a general error: of input, of output, or an unexpected one.
    package init(unexplained error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as InputError: self.init(error, reading: "the input")
        case let error as SystemFailure where error.call == "write":
            self.init(error, writing: "the output")
        case is SecretMemoryError: self = .outOfMemory
        default:
            // The message contains only the type, because a description may contain values.
            self.init(.failure, code: "unexpected", "unexpected error of type \(type(of: error))")
        }
    }

    /// No memory is left, or the key derivation needs more than is available.
    package static let outOfMemory = Failure(
        .failure, code: "out_of_memory", "not enough memory",
        hint: "close other programs, or raise the limit of this one (ulimit -v)")

    /// The user declined.
    package static let cancelled = Failure(.refused, code: "declined", "cancelled")

    /// A mistake on the command line.
    package static func usage(_ message: String, hint: String? = nil) -> Failure {
        Failure(.usage, message, hint: hint)
    }

    /// A failure that is not printed: another process of this program has reported it, or only the exit code is wanted.
    package static func explained(_ exitCode: ExitCode) -> Failure {
        Failure(exitCode, code: nil, "explained already", hint: nil, isQuiet: true)
    }

    /// The reader of standard output is gone. Nothing is printed.
    package static let brokenPipe = Failure(
        .failure, code: "broken_pipe", "the reader of the output is gone", hint: nil, isQuiet: true)
}

extension Failure {
    /// Explains a failure to read.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - subject: The input, such as `the passphrase file`.
    ///   - option: The option that reads it from a file, such as `--passphrase-file FILE`; nil if there is none.
    package init(
        _ error: InputError, reading subject: String, insteadOf option: String? = nil
    ) {
        switch error {
        case .noTerminal:
            self.init(
                .usage, code: "no_terminal",
                "cannot ask for \(subject): standard input is not a terminal",
                hint: "run it in a terminal" + (option.map { ", or give \($0)" } ?? ""))
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

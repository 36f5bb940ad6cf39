extension CommandFailure {
    /// Explains why something could not be read.
    ///
    /// - Parameters:
    ///   - error: What happened.
    ///   - subject: What was to be read, such as `the passphrase file`.
    ///   - option: The option that reads it from a file.
    package init(
        _ error: InputError, reading subject: String, insteadOf option: OptionDescription
    ) {
        switch error {
        case .noTerminal:
            self.init(
                .usage, code: "no_terminal",
                "cannot ask for \(subject): standard input is not a terminal",
                hint: "run it in a terminal, or give \(option.usage)")
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

internal import Application
internal import CommandLine
internal import Inbox
internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// The console of a command: it prints results and warnings, asks questions and reads input.
struct Console: CommandPrinting, Owner {
    /// The command with its operands and options.
    let invocation: Invocation
    /// Input, output and environment variables.
    let surroundings: Surroundings
    /// The output of warnings.
    let notices: Notices
    private let state = ConsoleState()

    /// Makes the console of a command.
    init(_ invocation: Invocation, _ surroundings: Surroundings) {
        self.invocation = invocation
        self.surroundings = surroundings
        notices = Notices(
            program: Application.program, descriptor: surroundings.errors,
            asJSON: invocation.has(.json))
    }

    /// The descriptor for results.
    var output: Int32 { surroundings.output }

    /// Whether results are for programs.
    var isJSON: Bool { invocation.has(.json) }

    /// Whether a person is at standard input.
    var canAsk: Bool { surroundings.standardInput.isTerminal }

    /// Whether the command asks what to do: only if standard input is a terminal, and never with `--json`.
    var asks: Bool { canAsk && !isJSON }

    /// Opens the terminal for a question.
    ///
    /// - Throws: `InputError.noTerminal` without a terminal, with `--json` without one, and for a command that answers another program; a
    ///   failure with `--json` at a terminal, because it never asks.
    func openTerminal() throws -> TerminalPrompt {
        if isJSON && !canAsk || invocation.command.traits.contains(.answersProgram) {
            throw InputError.noTerminal
        }
        guard !isJSON else {
            throw Failure(
                .usage, code: "no_terminal", "nothing can be asked with --json",
                hint: "omit --json, or answer by an option such as --passphrase-file or --yes")
        }
        return try surroundings.openTerminal()
    }

    /// Opens the terminal for secrets. Until the end of the command, what is typed ahead is not shown.
    private func openTerminalForSecrets() throws -> TerminalPrompt {
        let terminal = try openTerminal()
        if terminal.keepEchoOff() { state.isEchoOff = true }
        return terminal
    }

    /// Restores the terminal at the end of the command.
    func restoreEcho() {
        if state.isEchoOff { TerminalPrompt.restoreEcho() }
        state.isEchoOff = false
    }

    /// Whether results are shown on a terminal.
    var isTerminal: Bool { Descriptor.isTerminal(output) }

    /// Prints a value: unchanged into a pipe or file; on a terminal with control characters escaped and a line end.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - descriptor: The descriptor; nil for the descriptor of results.
    /// - Throws: The error of the output.
    func printValue(_ value: borrowing SecretBytes, to descriptor: Int32? = nil) throws {
        var output = Output(descriptor: descriptor ?? self.output)
        if output.isTerminal {
            try VisibleText.write(secret: value, keepingLines: true, to: &output)
            try output.writeLine()
        } else {
            try output.write(secret: value)
        }
        try output.finish()
    }

    /// Prints a page for the width of the terminal.
    func print(_ page: some Page) throws {
        let lines = page.lines(TerminalCapabilities(of: output))
        try print { output in
            for line in lines { try output.writeLine(line) }
        }
    }

    /// Prints lines, or opens them in a pager if they exceed the rows of the terminal.
    ///
    /// - Throws: `interrupted` by a signal; the error of the output.
    func page(_ lines: (TerminalCapabilities) -> [String]) throws {
        try page(isSeen: canAsk, lines)
    }

    /// Prints a table, cut to the width of the terminal.
    func print(_ table: TextTable) throws {
        let columns = TerminalCapabilities(of: output).columns
        try print { output in
            try table.forEachLine(limit: columns) { line in
                try output.write(unsafe line.span.bytes)
                try output.writeLine()
            }
        }
    }

    /// Prints a QR code on a terminal; nothing elsewhere and with `--json`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - descriptor: The descriptor.
    /// - Throws: The error of the output.
    func printQRCode(of text: borrowing SecretBytes, to descriptor: Int32) throws {
        let capabilities = TerminalCapabilities(of: descriptor)
        guard capabilities.isTerminal, !isJSON else { return }
        guard let lines = QRCode.lines(of: text) else {
            return notices.remark("no QR code: apt install \(QRCode.libraryPackage)")
        }
        guard let width = lines.first?.unicodeScalars.count, width <= capabilities.columns ?? .max
        else { return notices.remark("no QR code: the terminal is too narrow") }
        var output = Output(descriptor: descriptor)
        for line in lines { try output.writeLine(line) }
        try output.finish()
    }

    /// Warns before protected text is shown on a screen that cannot be cleared.
    func warnThatTextStays() {
        notices.warn(
            "cannot_clear",
            "this text stays on the screen: clear it yourself, including the scrollback")
    }
}

/// Text with a layout for the width of a terminal, or for a pipe.
protocol Page {
    /// The command that shows the page, without the program's name.
    var command: String { get }

    /// The lines, safe to print.
    func lines(_ capabilities: TerminalCapabilities) -> [String]
}

/// The changing state of a console. Not thread-safe.
private final class ConsoleState {
    /// Whether the line of `--passphrase-file -` was read from standard input. The command reads the rest.
    var isPassphraseLineTaken = false
    /// Whether the echo of the terminal is off.
    var isEchoOff = false
}

extension Console {
    /// Whether the owner answers questions: at the terminal of the process, also if standard input is another file.
    var canAnswer: Bool {
        do {
            _ = try openTerminal()
            return true
        } catch {
            return false
        }
    }

    var seesResults: Bool { asks && isTerminal }

    var hasPassphraseFile: Bool { invocation.has(.passphraseFile) }

    func warn(_ code: String, _ message: String) { notices.warn(code, message) }

    func remark(_ message: String) { notices.remark(message) }

    func report(_ failure: Failure) {
        failure.report(
            of: Application.program, asJSON: isJSON, to: surroundings.errors)
    }

    func passOn(_ errors: [UInt8]) {
        unsafe try? Descriptor.write(errors.span.bytes, to: surroundings.errors)
    }

    func askText(_ question: String, _ subject: String) throws -> String {
        do {
            return try openTerminal().askText(question)
        } catch let error as InputError {
            throw Failure(error, reading: subject)
        }
    }

    func choose(_ title: String, _ lines: [String]) throws -> Int? {
        guard asks else { return nil }
        do {
            let terminal = try openTerminal()
            try terminal.say("\(title):")
            let width = "\(lines.count)".count
            for (index, line) in lines.enumerated() {
                let number = "\(index + 1)"
                let blanks = String(repeating: " ", count: width - number.count)
                try terminal.say("  \(blanks)\(number)  \(line)")
            }
            while true {
                let answer = try terminal.askText("Number")
                if answer.isEmpty { throw Failure.cancelled }
                if let number = Int(answer), lines.indices.contains(number - 1) {
                    return number - 1
                }
                try terminal.say(
                    "\(Application.program): error: type a number from 1 to \(lines.count), or nothing to cancel"
                )
            }
        } catch let error as InputError {
            throw Failure(error, reading: "the number")
        }
    }

    func requireConsent(to action: String, _ question: String) throws {
        try requireConsent(to: action) { prompt in try prompt.confirm(question) }
    }

    /// Requires `--yes` or the person's confirmation.
    ///
    /// - Parameters:
    ///   - action: The action, such as `repair the vault`.
    ///   - ask: Asks, and returns whether the person confirms.
    /// - Throws: A failure if no question is possible or the person declines.
    func requireConsent(
        to action: String, _ ask: (borrowing TerminalPrompt) throws -> Bool
    ) throws {
        try Consent.require(
            to: action, unless: .yes, in: invocation, from: surroundings.standardInput
        ) { try ask(try openTerminal()) }
    }

    /// Reads a value: standard input byte for byte, or an answer that is not shown.
    ///
    /// An empty value is usually a mistake that would replace a good one. A person is asked again; a script needs `--allow-empty`.
    func readValue() throws -> SecretBytes {
        let mayBeEmpty = invocation.has(.allowEmpty)
        do {
            if canAsk { return try askValue(mayBeEmpty: mayBeEmpty) }
            try skipPassphrase()
            let value = try surroundings.standardInput.readAll(
                limit: SecretLimits.maximumValueSize)
            if value.count > 0 || mayBeEmpty { return value }
        } catch let error as InputError {
            throw Failure(error, reading: "the value")
        }
        throw Failure(
            .usage, code: "value_empty", "standard input is empty: there is no value to save",
            hint:
                "check the command that should have written it; --allow-empty saves an empty value")
    }

    private func askValue(mayBeEmpty: Bool) throws -> SecretBytes {
        let terminal = try openTerminalForSecrets()
        while true {
            let value =
                invocation.has(.visible)
                ? try terminal.askVisibleSecret("Value") : try terminal.askSecret("Value")
            let problem: String
            if value.count == 0, !mayBeEmpty {
                problem = "the value is empty; --allow-empty saves it"
            } else if invocation.has(.twice),
                try !terminal.askSecret("Repeat the value").isEqual(to: value)
            {
                problem = "the two values differ"
            } else {
                return value
            }
            try terminal.say("\(Application.program): error: \(problem)")
        }
    }

    /// Asks for a line of text, or reads it from standard input.
    ///
    /// The terminal shows the typed text. Protected text is cleared from the screen afterwards.
    func readLine(_ question: String, isProtected: Bool) throws -> String {
        do {
            if canAsk {
                let prompt = try openTerminal()
                return isProtected
                    ? try prompt.askClearedText(question) : try prompt.askText(question)
            }
            try skipPassphrase()
            guard let line = try surroundings.standardInput.readLine(limit: 65_536) else {
                throw InputError.endOfInput
            }
            return try Self.text(line)
        } catch let error as InputError {
            throw Failure(error, reading: "the " + question.lowercased())
        }
    }

    /// The notes from the option or from standard input, without the final line end.
    ///
    /// Protected notes cannot be typed on a terminal, because they would stay on the screen.
    func readNotes(isProtected: Bool) throws -> String {
        if let text = invocation.text(of: .notes), text != "-" {
            guard !isProtected else {
                throw Failure.usage(
                    "protected notes cannot be given on the command line",
                    hint: "--notes - reads them from standard input")
            }
            return text
        }
        do {
            if isProtected, canAsk { throw InputError.wouldShow }
            try skipPassphrase()
            let bytes = try surroundings.standardInput.readAll(
                limit: TaskTextRule.maximumNotesSize + 1)
            var text = try Self.text(bytes)
            if text.unicodeScalars.last == "\n" { text.unicodeScalars.removeLast() }
            if text.unicodeScalars.last == "\r" { text.unicodeScalars.removeLast() }
            return text
        } catch let error as InputError {
            throw Failure(error, reading: "the notes")
        }
    }

    /// Fails early if protected notes would be typed on a terminal, where they would stay on the screen.
    func requireNotesOffScreen() throws {
        guard invocation.text(of: .notes) == "-", canAsk else { return }
        throw Failure.usage(
            "protected notes cannot be typed on a terminal, where they would stay",
            hint: "read them from standard input: < notes.txt")
    }

    /// Reads a file to import, or standard input for `-`, into guarded memory.
    ///
    /// The corresponding C function is `open`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The largest size, in bytes.
    /// - Returns: Its bytes.
    /// - Throws: A failure that names the file.
    func readFile(_ path: String, limit: Int) throws -> SecretBytes {
        do {
            if path == "-" {
                guard !canAsk else {
                    throw Failure(
                        .usage, code: "would_show",
                        "standard input is a terminal, which would show the input",
                        hint: "name the file, or pipe it in")
                }
                try skipPassphrase()
                return try surroundings.standardInput.readAll(limit: limit)
            }
            let descriptor = unsafe platform_open(path, O_RDONLY | O_NOCTTY, 0)
            guard descriptor >= 0 else {
                throw InputError.failed(SystemFailure("open", code: errno))
            }
            defer { close(descriptor) }
            return try SecretInput(descriptor: descriptor).readAll(limit: limit)
        } catch InputError.failed(let failure) where failure.code == EISDIR {
            // `open` accepts a folder, but `read` fails.
            throw Failure(.isFolder, reading: path)
        } catch let error as InputError {
            throw Failure(error, reading: path == "-" ? "standard input" : path)
        }
    }

    /// Reads a secret of one line from standard input, or an answer that is not shown.
    func readSecretLine(_ question: String) throws -> SecretBytes {
        do {
            if canAsk { return try openTerminalForSecrets().askSecret(question) }
            try skipPassphrase()
            guard let line = try surroundings.standardInput.readLine(limit: 65_536) else {
                throw InputError.endOfInput
            }
            return line
        } catch let error as InputError {
            throw Failure(error, reading: "the " + question.lowercased())
        }
    }

    /// The passphrases of this invocation: `--passphrase-file`, or questions.
    ///
    /// - Throws: A failure of wrong usage if there is neither a file nor a terminal.
    func passphrases() throws -> any SecretSource {
        let path = invocation.text(of: .passphraseFile)
        do {
            guard let path else {
                return TypedSecrets(try openTerminalForSecrets(), insteadOf: .passphraseFile)
            }
            let file = try PassphraseFile(
                path: path, standardInput: surroundings.standardInput, of: "passphrase",
                warning: notices)
            if path == "-" { state.isPassphraseLineTaken = true }
            return FileSecrets(file)
        } catch let error as InputError {
            throw Failure(
                error, reading: path == nil ? "the passphrase" : "the passphrase file")
        }
    }

    /// The passwords of an account: `--password-file`, or questions.
    func accountPasswords() throws -> AccountPasswords {
        let option = OptionDescription.passwordFile
        do {
            guard let path = invocation.text(of: option) else {
                guard canAnswer else { return AccountPasswords(option: option.usage) }
                return AccountPasswords(
                    TypedSecrets(try openTerminalForSecrets(), insteadOf: option),
                    option: option.usage)
            }
            if path == "-" { try skipPassphrase() }
            let file = try PassphraseFile(
                path: path, standardInput: surroundings.standardInput, of: "password",
                warning: notices)
            return AccountPasswords(FileSecrets(file), option: option.usage)
        } catch let error as InputError {
            throw Failure(error, reading: "the password file", insteadOf: option)
        }
    }

    /// Skips the passphrase line that a script gives on standard input, even if it is unused. The command reads the rest.
    func skipPassphrase() throws {
        guard invocation.text(of: .passphraseFile) == "-", !state.isPassphraseLineTaken
        else { return }
        state.isPassphraseLineTaken = true
        _ = try surroundings.standardInput.readLine()
    }

    private static func text(_ bytes: borrowing SecretBytes) throws -> String {
        guard let text = bytes.withBytes({ $0.text() }) else { throw InputError.notText }
        return text
    }
}

extension Failure {
    /// Makes the failure of an input that `--passphrase-file` could have provided.
    init(_ error: InputError, reading subject: String) {
        self.init(error, reading: subject, insteadOf: .passphraseFile)
    }
}

internal import Platform
package import SecretMemory
internal import Synchronization

/// Questions to the person at the terminal.
///
/// Secrets are typed without being shown, straight into guarded memory. However a question ends (answer, Ctrl-C, Ctrl-Z, a signal,
/// end of input), the terminal is as it was before: a signal ends it with ``InputError/interrupted(signal:)``, and after Ctrl-Z and `fg`
/// the question is asked again. Owns its descriptor. Thread-safe: a second question in the process waits for the first.
package struct TerminalPrompt: ~Copyable {
    /// The longest secret that can be typed, in bytes.
    package static let secretLimit = 16_384
    /// The longest visible answer, in bytes. Below what a terminal's own line takes, which cuts without a word.
    package static let textLimit = 1_000

    private let input: Int32
    private let output: Int32
    private let owned: Bool

    /// Whether a person can be asked: standard input is a terminal. Without that, a command never asks.
    package static var isPossible: Bool { Descriptor.isTerminal(Descriptor.standardInput) }

    /// Opens the terminal of the process, `/dev/tty`, or else takes standard input and standard error.
    ///
    /// - Throws: `noTerminal` if standard input is not a terminal.
    package init() throws {
        guard Self.isPossible else { throw InputError.noTerminal }
        let terminal = unsafe platform_open("/dev/tty", O_RDWR | O_NOCTTY, 0)
        if terminal >= 0 {
            self.init(input: terminal, output: terminal, owned: true)
        } else {
            self.init(
                input: Descriptor.standardInput, output: Descriptor.standardError, owned: false)
        }
    }

    /// Takes a terminal that the caller has open for reading and writing, and keeps open.
    ///
    /// - Throws: `noTerminal` if it is none.
    package init(descriptor: Int32) throws {
        guard Descriptor.isTerminal(descriptor) else { throw InputError.noTerminal }
        self.init(input: descriptor, output: descriptor, owned: false)
    }

    private init(input: Int32, output: Int32, owned: Bool) {
        self.input = input
        self.output = output
        self.owned = owned
    }

    deinit {
        if owned { close(input) }
    }

    /// Asks for a secret, which is not shown.
    ///
    /// - Parameters:
    ///   - question: What to ask, without colon; control characters in it are made visible.
    ///   - limit: The longest answer, in bytes.
    /// - Returns: What was typed before the return key, perhaps nothing.
    /// - Throws: `interrupted`, `endOfInput`, `tooLong`, `outOfMemory` or `failed`.
    package borrowing func askSecret(
        _ question: String, limit: Int = TerminalPrompt.secretLimit
    ) throws -> SecretBytes {
        try ask(question, .hidden, limit: limit)
    }

    /// Asks for text that is shown as it is typed, such as a name.
    ///
    /// - Throws: `interrupted`, `endOfInput`, `tooLong`, `notText`, `outOfMemory` or `failed`.
    package borrowing func askText(_ question: String) throws -> String {
        try Self.text(try ask(question, .shown, limit: Self.textLimit))
    }

    /// Asks for text that is shown as it is typed, and taken away afterwards: nothing of it stays on the screen or in the scrollback.
    ///
    /// On a terminal that cannot do that it is not shown at all.
    ///
    /// - Throws: As ``askText(_:)``.
    package borrowing func askPassingText(_ question: String) throws -> String {
        let canClear = TerminalCapabilities(of: output).canRedraw
        return try Self.text(
            try ask(question, canClear ? .passing : .hidden, limit: Self.textLimit))
    }

    private static func text(_ answer: borrowing SecretBytes) throws -> String {
        guard let text = answer.withBytes({ $0.text() }) else { throw InputError.notText }
        return text
    }

    /// Asks a question of yes or no; anything but `y` or `yes` is no.
    ///
    /// - Throws: As ``askText(_:)``.
    package borrowing func confirm(_ question: String) throws -> Bool {
        ["y", "yes"].contains(try askText(question + " [y/N]").lowercased())
    }

    /// Asks to type a name, for what cannot be undone.
    ///
    /// - Returns: Whether exactly the bytes of the name were typed.
    /// - Throws: As ``askText(_:)``.
    package borrowing func confirm(_ question: String, byTyping name: String) throws
        -> Bool
    {
        try askText(question).utf8.elementsEqual(name.utf8)
    }

    /// Prints a line on the terminal, not on standard output; control characters in it are made visible.
    ///
    /// - Throws: `failed`.
    package borrowing func say(_ line: String) throws {
        try show(VisibleText.escape(line) + "\n")
    }

    /// What of an answer can be seen.
    private enum Echo {
        /// Nothing.
        case hidden
        /// All of it.
        case shown
        /// All of it as long as it is typed, on a screen of its own.
        case passing
    }

    /// Asks until there is an answer; again after each stop by Ctrl-Z.
    private borrowing func ask(
        _ question: String, _ echo: Echo, limit: Int
    ) throws -> SecretBytes {
        let question = VisibleText.escape(question) + ": "
        return try TerminalUse.oneAtATime.withLock { _ in
            while true {
                var attempt = try askOnce(question, echo, limit: limit)
                if attempt.signal == SIGTSTP {
                    // With the old handlers back, this stops the process; it goes on here when it is continued.
                    platform_raise(SIGTSTP)
                } else if attempt.signal != 0 {
                    throw InputError.interrupted(signal: attempt.signal)
                }
                if let answer = attempt.answer.take() { return answer }
            }
        }
    }

    /// How one time of asking ended.
    private struct Attempt: ~Copyable {
        /// The line, if it was ended.
        var answer: SecretBytes?
        /// The signal that came, or 0.
        var signal: Int32
    }

    private borrowing func askOnce(
        _ question: String, _ echo: Echo, limit: Int
    ) throws -> Attempt {
        let hidden = echo == .hidden
        let settings = try TerminalSettings(of: input)
        guard platform_prompt_signals_begin() == 0 else {
            throw InputError.failed(.last("sigaction"))
        }
        var attempt: Attempt
        do {
            if hidden { try settings.hideTyping() } else { try settings.showTyping() }
            // Only now, so that an answer to the visible question is read.
            try show((echo == .passing ? AlternateScreen.beginQuestion : "") + question)
            attempt = try readLine(keys: hidden ? settings.editingKeys : nil, limit: limit)
        } catch {
            if echo == .passing { try? show(AlternateScreen.endQuestion) }
            settings.restore()
            _ = platform_prompt_signals_end()
            try? show("\n")
            throw error
        }
        if echo == .passing { try? show(AlternateScreen.endQuestion) }
        settings.restore()
        let late = platform_prompt_signals_end()
        if attempt.signal == 0 { attempt.signal = late }
        // A line end that was typed visibly has moved the cursor already.
        if hidden || attempt.answer == nil { try show("\n") }
        return attempt
    }

    /// Reads up to a line end or a signal; what was read beyond the line end is given up, like the rest of the input.
    ///
    /// With `keys`, this process edits the line; without, the terminal does.
    private borrowing func readLine(
        keys: EditingKeys?, limit: Int
    ) throws -> Attempt {
        var line = try HiddenLine(keys: keys, limit: limit)
        while true {
            switch platform_prompt_signals_wait(input) {
            case 0: break
            case -1: throw InputError.failed(.last("select"))
            case let signal: return Attempt(answer: nil, signal: signal)
            }
            var piece = try GrowingSecret(capacity: 256)
            // A terminal that is gone gives 0 or EIO.
            let count: Int
            do {
                count = try piece.read(from: input)
            } catch InputError.failed(let failure) where failure.code == EIO {
                throw InputError.endOfInput
            }
            if count == 0 {
                // A signal key discards the typed input; otherwise the terminal is gone.
                if keys != nil, (try? TerminalSettings(of: input)) != nil { continue }
                throw InputError.endOfInput
            }
            for offset in 0..<count {
                switch try line.take(piece.byte(at: offset)) {
                case .open: break
                case .complete: return Attempt(answer: line.finish(), signal: 0)
                case .ended: throw InputError.endOfInput
                }
            }
        }
    }

    private borrowing func show(_ text: String) throws {
        do {
            unsafe try Descriptor.write(text.utf8Span.span.bytes, to: output)
        } catch OutputError.failed(let failure) {
            throw InputError.failed(failure)
        } catch {
            throw InputError.endOfInput
        }
    }
}

/// What a process can do only once at a time: asking at the terminal, or taking its screen.
enum TerminalUse {
    /// Handlers of signals and the settings of the terminal belong to the whole process.
    static let oneAtATime = Mutex<Void>(())
}

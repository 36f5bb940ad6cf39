internal import Platform
package import SecretMemory
internal import Synchronization
internal import TextCoding

/// Prompts at the terminal.
///
/// Secrets are typed without echo, directly into guarded memory. Every end of a prompt (answer,
/// Ctrl-C, Ctrl-Z, a signal, end of input) restores the terminal.
/// A signal ends the prompt with ``InputError/interrupted(signal:)``; after Ctrl-Z and `fg` the
/// prompt repeats.
/// Owns its descriptor. Thread-safe: a second prompt in the process waits for the first.
package struct TerminalPrompt: ~Copyable {
    /// The longest typed secret, in bytes.
    package static let secretLimit = 16_384
    /// The longest visible answer, in bytes. Below the limit of a terminal's line editor, which truncates silently.
    package static let textLimit = 1_000

    private let input: Int32
    private let output: Int32
    private let owned: Bool

    /// Opens the terminal of the process, `/dev/tty`, or else uses standard input and standard error.
    ///
    /// With another standard input, a process in the background has no terminal: a prompt would stop it.
    ///
    /// - Throws: `noTerminal`.
    package init() throws {
        let isInput = Descriptor.isTerminal(Descriptor.standardInput)
        let terminal = unsafe platform_open("/dev/tty", O_RDWR | O_NOCTTY, 0)
        if terminal >= 0, isInput || tcgetpgrp(terminal) == getpgrp() {
            self.init(input: terminal, output: terminal, owned: true)
            return
        }
        if terminal >= 0 { close(terminal) }
        guard isInput else { throw InputError.noTerminal }
        self.init(input: Descriptor.standardInput, output: Descriptor.standardError, owned: false)
    }

    /// Prompts at a terminal that the caller has opened for reading and writing. The prompt does not close it.
    ///
    /// - Throws: `noTerminal` if it is not a terminal.
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

    /// Prompts for a secret, without echo.
    ///
    /// - Parameters:
    ///   - question: The question, without colon; control characters in it are escaped.
    ///   - limit: The longest answer, in bytes.
    /// - Returns: The typed text before the return key, possibly empty.
    /// - Throws: `interrupted`, `endOfInput`, `tooLong`, `failed`, `SecretMemoryError`.
    package borrowing func askSecret(
        _ question: String, limit: Int = TerminalPrompt.secretLimit
    ) throws -> SecretBytes {
        try ask(question, .hidden, limit: limit)
    }

    /// Prompts for visible text, such as a name.
    ///
    /// - Throws: `interrupted`, `endOfInput`, `tooLong`, `notText`, `failed`, `SecretMemoryError`.
    package borrowing func askText(_ question: String) throws -> String {
        try Self.text(try ask(question, .shown, limit: Self.textLimit))
    }

    /// Prompts for visible text and erases it: none of it stays on the screen or in the scrollback.
    ///
    /// On a terminal that cannot erase, the text is not shown.
    ///
    /// - Throws: As ``askText(_:)``.
    package borrowing func askClearedText(_ question: String) throws -> String {
        let canClear = TerminalCapabilities(of: output).canRedraw
        return try Self.text(
            try ask(question, canClear ? .cleared : .hidden, limit: Self.textLimit))
    }

    /// Prompts for a secret that is visible while it is typed, and erases it.
    ///
    /// On a terminal that cannot erase, it is not shown.
    ///
    /// - Throws: As ``askSecret(_:limit:)``; `tooLong` already after ``textLimit``.
    package borrowing func askVisibleSecret(_ question: String) throws -> SecretBytes {
        let canClear = TerminalCapabilities(of: output).canRedraw
        return try ask(question, canClear ? .cleared : .hidden, limit: Self.textLimit)
    }

    /// The settings of the terminal whose echo is off between prompts.
    private static let hidden = Mutex<TerminalEchoSettings?>(nil)

    /// Turns echo off between prompts until ``restoreEcho()``, so that a secret that is typed ahead is not shown.
    ///
    /// A signal that ends or stops the process restores it.
    ///
    /// - Returns: Whether the caller must restore the echo; false if it was off already.
    package borrowing func keepEchoOff() -> Bool {
        let input = input
        return Self.hidden.withLock { hidden in
            guard hidden == nil else { return false }
            let own = fcntl(input, F_DUPFD_CLOEXEC, 0)
            guard own >= 0 else { return false }
            do {
                let settings = try TerminalEchoSettings(of: own)
                try settings.keepHidden()
                hidden = settings
                return true
            } catch {
                close(own)
                return false
            }
        }
    }

    /// Restores the echo after ``keepEchoOff()``. What was typed ahead is discarded.
    package static func restoreEcho() {
        hidden.withLock { hidden in
            hidden?.giveBack()
            hidden = nil
        }
    }

    private static func text(_ answer: borrowing SecretBytes) throws -> String {
        guard let text = answer.withBytes({ $0.text() }) else { throw InputError.notText }
        return text
    }

    /// Asks a yes-or-no question; any answer except `y` or `yes` means no.
    ///
    /// - Throws: As ``askText(_:)``.
    package borrowing func confirm(_ question: String) throws -> Bool {
        ["y", "yes"].contains(try askText(question + " [y/N]").lowercased())
    }

    /// Asks the user to type a name, to confirm an irreversible action.
    ///
    /// - Returns: Whether exactly the bytes of the name were typed.
    /// - Throws: As ``askText(_:)``.
    package borrowing func confirm(_ question: String, byTyping name: String) throws
        -> Bool
    {
        try askText(question).utf8.elementsEqual(name.utf8)
    }

    /// Prints a line on the terminal instead of standard output; control characters in it are escaped.
    ///
    /// - Throws: `failed`.
    package borrowing func say(_ line: String) throws {
        try show(VisibleText.escape(line) + "\n")
    }

    /// Waits for the return key, or for another event that replaces it. Typed text is neither shown nor read.
    ///
    /// - Parameters:
    ///   - line: The line to print first; control characters in it are escaped.
    ///   - isOver: Waits briefly for the event, and returns whether it has occurred.
    /// - Returns: Whether the return key was pressed.
    /// - Throws: `interrupted`, `failed`.
    package borrowing func waitForReturn(_ line: String, unless isOver: () -> Bool) throws -> Bool {
        try TerminalUse.oneAtATime.withLock { _ in
            while true {
                let settings = try TerminalEchoSettings(of: input)
                guard platform_prompt_signals_begin() == 0 else {
                    throw InputError.failed(.last("sigaction"))
                }
                var result: Int32 = -2
                do {
                    defer { settings.restore() }
                    try settings.hideLine()
                    // Print only now, so that the key counts when the line is visible.
                    try say(line)
                    while result == -2, !isOver() {
                        result = platform_screen_signals_wait(input, 0, 0)
                    }
                } catch {
                    _ = platform_prompt_signals_end()
                    throw error
                }
                let failure = InputError.failed(.last("poll"))
                let late = platform_prompt_signals_end()
                switch result > 0 ? result : late {
                case SIGTSTP: platform_raise(SIGTSTP)
                case 0 where result == -1: throw failure
                case 0: return result == 0
                case let signal: throw InputError.interrupted(signal: signal)
                }
            }
        }
    }

    /// The visibility of an answer.
    private enum Echo {
        /// The answer is hidden.
        case hidden
        /// The answer is visible.
        case shown
        /// The answer is visible while it is typed, on the alternate screen.
        case cleared
    }

    /// Prompts until there is an answer, and again after each stop by Ctrl-Z.
    private borrowing func ask(
        _ question: String, _ echo: Echo, limit: Int
    ) throws -> SecretBytes {
        let question = VisibleText.escape(question) + ": "
        return try TerminalUse.oneAtATime.withLock { _ in
            while true {
                var attempt = try askOnce(question, echo, limit: limit)
                if attempt.signal == SIGTSTP {
                    // With the old handlers restored, this stops the process, which continues here.
                    platform_raise(SIGTSTP)
                } else if attempt.signal != 0 {
                    throw InputError.interrupted(signal: attempt.signal)
                }
                if let answer = attempt.answer.take() { return answer }
            }
        }
    }

    /// The result of one prompt.
    private struct Attempt: ~Copyable {
        /// The line, if it is complete.
        var answer: SecretBytes?
        /// The received signal, or 0.
        var signal: Int32
    }

    private borrowing func askOnce(
        _ question: String, _ echo: Echo, limit: Int
    ) throws -> Attempt {
        let hidden = echo == .hidden
        let settings = try TerminalEchoSettings(of: input)
        guard platform_prompt_signals_begin() == 0 else {
            throw InputError.failed(.last("sigaction"))
        }
        var attempt: Attempt
        do {
            if hidden { try settings.hideTyping() } else { try settings.showTyping() }
            // Print only now, so that an answer to the visible question is read.
            try show((echo == .cleared ? AlternateScreen.beginQuestion : "") + question)
            attempt = try readLine(keys: hidden ? settings.editingKeys : nil, limit: limit)
        } catch {
            if echo == .cleared { try? show(AlternateScreen.endQuestion) }
            settings.restore()
            _ = platform_prompt_signals_end()
            try? show("\n")
            throw error
        }
        if echo == .cleared { try? show(AlternateScreen.endQuestion) }
        settings.restore()
        let late = platform_prompt_signals_end()
        if attempt.signal == 0 { attempt.signal = late }
        // An echoed line end has moved the cursor already.
        if hidden || attempt.answer == nil { try show("\n") }
        return attempt
    }

    /// Reads up to a line end or a signal; discards the rest of the input.
    ///
    /// With `keys`, this process edits the line; otherwise the terminal does.
    private borrowing func readLine(
        keys: EditingKeys?, limit: Int
    ) throws -> Attempt {
        var line = try SecretLineEditor(keys: keys, limit: limit)
        while true {
            switch platform_prompt_signals_wait(input) {
            case 0: break
            case -1: throw InputError.failed(.last("poll"))
            case let signal: return Attempt(answer: nil, signal: signal)
            }
            var piece = try GrowingSecret(capacity: 256)
            // A disconnected terminal returns 0 or EIO.
            let count: Int
            do {
                count = try piece.read(from: input)
            } catch InputError.failed(let failure) where failure.code == EIO {
                throw InputError.endOfInput
            }
            if count == 0 {
                // Either a signal key discarded the typed input, or the terminal is disconnected.
                if keys != nil, (try? TerminalEchoSettings(of: input)) != nil { continue }
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
        } catch let failure as SystemFailure {
            throw failure.code == EPIPE ? InputError.endOfInput : InputError.failed(failure)
        }
    }
}

/// The lock for operations that a process can do only one at a time: prompts and the alternate screen.
enum TerminalUse {
    /// Signal handlers and the terminal's settings belong to the whole process.
    static let oneAtATime = Mutex<Void>(())
}

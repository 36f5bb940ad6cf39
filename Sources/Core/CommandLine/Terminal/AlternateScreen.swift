internal import Platform
internal import SecretMemory
internal import TextCoding

/// The reason for the end of a wait.
enum ScreenEvent: Equatable {
    /// The descriptor is readable or writable.
    case ready
    /// The timeout has passed.
    case timeout
    /// A caught signal.
    case signal(Int32)
    /// The terminal is disconnected.
    case gone
}

/// The alternate screen of a terminal, which has no scrollback.
///
/// Each row is positioned absolutely and nothing scrolls, so even a terminal without an alternate
/// screen keeps no text. On leaving, the rows are first erased one by one. Many terminals move text
/// erased by `ESC [2J` into the scrollback. `ESC [3J` is not sent, because it erases the user's
/// scrollback. `ESC [2J` comes last, for text moved by a resize.
struct AlternateScreen {
    /// The time limit for an unresponsive terminal after a signal, in milliseconds.
    private static let timeLimit: Int32 = 1_000
    /// Enters the alternate screen, with the cursor hidden and line wrap off.
    static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[0m"
    private static let end = "\u{1B}[0m\u{1B}[2J\u{1B}[H\u{1B}[?7h\u{1B}[?1049l\u{1B}[?25h"

    /// Enters the alternate screen for a question, with the cursor at its top.
    static let beginQuestion = "\u{1B}[?1049h\u{1B}[2J\u{1B}[H"
    /// Erases a question and its answer, row by row, and leaves the screen.
    static let endQuestion =
        (1...64).map { "\u{1B}[\($0);1H\u{1B}[2K" }.joined() + "\u{1B}[H\u{1B}[?1049l"

    private let input: Int32
    private let output: Int32
    private let settings: TerminalEchoSettings
    /// The largest number of rows so far.
    private var tallest = 0
    private(set) var rows = 0
    private(set) var columns = 0

    /// Changes the settings and catches signals, without drawing. ``leave(after:)`` must follow.
    init(input: Int32, output: Int32) throws {
        self.input = input
        self.output = output
        settings = try TerminalEchoSettings(of: input)
        guard platform_screen_signals_begin() == 0 else {
            throw InputError.failed(.last("sigaction"))
        }
        do {
            try settings.takeScreen()
        } catch {
            settings.giveScreenBack()
            _ = platform_prompt_signals_end()
            throw error
        }
        measure()
    }

    /// Reads the size of the terminal, which may have changed.
    mutating func measure() {
        rows = Int(platform_terminal_rows(output))
        columns = Int(platform_terminal_columns(output))
        if rows == 0 { rows = 24 }
        if columns == 0 { columns = 80 }
        tallest = max(tallest, rows)
    }

    /// The output that draws a line in a row, from 1.
    ///
    /// Erases the row before drawing. After a line that ends in the last column, the cursor is
    /// still on that column.
    static func place(_ line: String, inRow row: Int) -> String {
        "\u{1B}[\(row);1H\u{1B}[2K\(line)\u{1B}[0m"
    }

    /// Draws.
    ///
    /// - Returns: The reason for an incomplete drawing, or nil; `timeout` if the terminal accepted
    ///   no output for `timeLimit` milliseconds.
    func write(_ text: String, timeLimit: Int32) throws -> ScreenEvent? {
        let utf8 = Array(text.utf8)
        // `bytes` is marked unsafe because elements may have padding; bytes have none.
        let bytes = unsafe utf8.span.bytes
        var written = 0
        while written < bytes.byteCount {
            let rest = bytes.extracting(written..<bytes.byteCount)
            let count = Descriptor.writeOnce(rest, to: output)
            if count >= 0 {
                written += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                let event = try wait(on: output, writing: true, milliseconds: timeLimit)
                if event != .ready { return event }
            case EIO, EPIPE, ENXIO: return .gone
            default: throw InputError.failed(.last("write"))
            }
        }
        return nil
    }

    /// Waits for a key, a signal or a timeout.
    func wait(milliseconds: Int32) throws -> ScreenEvent {
        try wait(on: input, writing: false, milliseconds: milliseconds)
    }

    private func wait(
        on descriptor: Int32, writing: Bool, milliseconds: Int32
    ) throws -> ScreenEvent {
        switch platform_screen_signals_wait(descriptor, writing ? 1 : 0, milliseconds) {
        case 0: .ready
        case -2: .timeout
        case -1: throw InputError.failed(.last("poll"))
        case let signal: .signal(signal)
        }
    }

    /// Reads the typed bytes; nil if the terminal is disconnected.
    func read() throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        do {
            var span = bytes.mutableSpan
            var raw = unsafe span.mutableBytes
            let count = try Descriptor.read(from: input, into: &raw, at: 0)
            // Empty if a signal key discarded the earlier input.
            if count == 0, (try? TerminalEchoSettings(of: input)) == nil { return nil }
            return Array(bytes.prefix(count))
        } catch let failure as SystemFailure where [EIO, ENXIO].contains(failure.code) {
            return nil
        }
    }

    /// Applies the settings again, after an uncatchable signal stopped this process.
    func takeSettingsAgain() {
        try? settings.takeScreen()
    }

    /// Clears and leaves the screen, and restores settings and signals.
    ///
    /// Waits for an unresponsive terminal, because it would show the text later; after a signal, only briefly.
    ///
    /// - Returns: A signal received after `ending`, if any.
    func leave(after ending: TransientPager.Ending?) -> Int32? {
        var clearing = ""
        for row in 1...tallest { clearing += Self.place("", inRow: row) }
        clearing += Self.end
        var late: Int32?
        var isUrgent = if case .signal = ending { true } else { false }
        // Start from the beginning each time, because clearing is idempotent.
        while let obstacle = try? write(clearing, timeLimit: Self.timeLimit) {
            if case .signal(let number) = obstacle {
                guard number != SIGWINCH && number != SIGCONT else { continue }
                late = late ?? number
                isUrgent = true
            } else if obstacle == .gone || isUrgent {
                break
            }
        }
        settings.giveScreenBack()
        let last = platform_prompt_signals_end()
        return late ?? (last == 0 ? nil : last)
    }
}

internal import Platform

/// What ended a wait.
enum ScreenEvent: Equatable {
    /// There is something to read, or to write into.
    case ready
    /// The time is over.
    case timeout
    /// A signal that was caught.
    case signal(Int32)
    /// The terminal is gone.
    case gone
}

/// The second screen of a terminal, which has no scrollback, while a process draws on it.
///
/// Every row is placed by itself and nothing ever scrolls, so that also a terminal without a second screen keeps nothing. When it is
/// left, the rows are erased one by one first: many terminals move what `ESC [2J` erases into the scrollback. `ESC [3J` is not sent: it
/// takes the person's own scrollback away, also from here, and nothing of this text is there. `ESC [2J` comes last, for what a new size moved.
struct AlternateScreen {
    /// How long a terminal that takes nothing is waited for after a signal, in milliseconds.
    private static let patience: Int32 = 1_000
    /// Goes to the second screen, without a cursor and without lines that run on into the next row.
    static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[0m"
    private static let end = "\u{1B}[0m\u{1B}[2J\u{1B}[H\u{1B}[?7h\u{1B}[?1049l\u{1B}[?25h"

    /// Goes to the second screen for a question, with the cursor at its top.
    static let beginQuestion = "\u{1B}[?1049h\u{1B}[2J\u{1B}[H"
    /// Erases a question and its answer, row by row, and goes back.
    static let endQuestion =
        (1...64).map { "\u{1B}[\($0);1H\u{1B}[2K" }.joined() + "\u{1B}[H\u{1B}[?1049l"

    private let input: Int32
    private let output: Int32
    private let settings: TerminalSettings
    /// The most rows that there were.
    private var tallest = 0
    private(set) var rows = 0
    private(set) var columns = 0

    /// Makes the settings right and catches signals; draws nothing yet. ``leave(after:)`` must follow.
    init(input: Int32, output: Int32) throws {
        self.input = input
        self.output = output
        settings = try TerminalSettings(of: input)
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

    /// Looks how large the terminal is, which may have changed.
    mutating func measure() {
        rows = Int(platform_terminal_rows(output))
        columns = Int(platform_terminal_columns(output))
        if rows == 0 { rows = 24 }
        if columns == 0 { columns = 80 }
        tallest = max(tallest, rows)
    }

    /// The text that puts a line into a row, from 1.
    ///
    /// Erased before and not after: a line that ends in the last column leaves the cursor on it.
    static func place(_ line: String, inRow row: Int) -> String {
        "\u{1B}[\(row);1H\u{1B}[2K\(line)\u{1B}[0m"
    }

    /// Draws.
    ///
    /// - Returns: What kept it from being drawn completely, if anything; `timeout` where the terminal took nothing for `patience`
    ///   milliseconds.
    func write(_ text: String, patience: Int32) throws -> ScreenEvent? {
        let utf8 = Array(text.utf8)
        // `bytes` is marked unsafe because some elements have padding; bytes have none.
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
                let event = try wait(on: output, writing: true, milliseconds: patience)
                if event != .ready { return event }
            case EIO, EPIPE, ENXIO: return .gone
            default: throw InputError.failed(.last("write"))
            }
        }
        return nil
    }

    /// Waits for a key, a signal or the end of some time.
    func wait(milliseconds: Int32) throws -> ScreenEvent {
        try wait(on: input, writing: false, milliseconds: milliseconds)
    }

    private func wait(
        on descriptor: Int32, writing: Bool, milliseconds: Int32
    ) throws -> ScreenEvent {
        switch platform_screen_signals_wait(descriptor, writing ? 1 : 0, milliseconds) {
        case 0: .ready
        case -2: .timeout
        case -1: throw InputError.failed(.last("select"))
        case let signal: .signal(signal)
        }
    }

    /// The bytes that were typed; nil if the terminal is gone.
    func read() throws -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        do {
            var span = bytes.mutableSpan
            var raw = unsafe span.mutableBytes
            let count = try Descriptor.read(from: input, into: &raw, at: 0)
            // Nothing, where a signal key gave up what was typed before it.
            if count == 0, (try? TerminalSettings(of: input)) == nil { return nil }
            return Array(bytes.prefix(count))
        } catch InputError.failed(let failure) where [EIO, ENXIO].contains(failure.code) {
            return nil
        }
    }

    /// Makes the settings right again, after this process was stopped by what it could not catch.
    func takeSettingsAgain() {
        try? settings.takeScreen()
    }

    /// Clears and leaves the screen, and restores settings and signals.
    ///
    /// Waits for a terminal that takes nothing, which would show the text when it goes on; after a signal, not for long.
    ///
    /// - Returns: The signal that came after `ending`, if one did.
    func leave(after ending: TransientPager.Ending?) -> Int32? {
        var clearing = ""
        for row in 1...tallest { clearing += Self.place("", inRow: row) }
        clearing += Self.end
        var late: Int32?
        var isUrgent = if case .signal = ending { true } else { false }
        // From the beginning each time: clearing twice does no harm.
        while let obstacle = try? write(clearing, patience: Self.patience) {
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

internal import Platform
internal import SecretMemory
internal import Synchronization
internal import TextCoding

/// Shows text on the alternate screen and clears it, so that nothing remains on the screen or in the scrollback.
///
/// The arrow keys, `j`, `k`, space, `b`, page up and down scroll, home and `g`, end and `G` jump. `/`
/// searches, and `n` and `N` repeat the search. `q`, Escape or, at the end, the return key closes
/// the pager.
/// At every end, and while the process is stopped by Ctrl-Z, the screen is cleared and the terminal
/// restored.
/// The uncatchable signals are exceptions: SIGKILL leaves the screen unchanged, and so does SIGSTOP
/// until the process continues.
/// Owns its descriptor. Thread-safe: one pager or prompt at a time in a process.
package struct TransientPager: ~Copyable {
    /// The reason for the end.
    package enum Ending: Sendable, Hashable {
        /// The user closed it.
        case closed
        /// The permission to show the text has ended.
        case hidden
        /// A signal was received; SIGINT for Ctrl-C.
        case signal(Int32)
        /// The terminal was disconnected.
        case terminalGone
    }

    private let input: Int32
    private let output: Int32
    private let owned: Bool
    private let style: Style
    private let separator: String

    /// Opens the terminal of the process, `/dev/tty`, or else uses standard input and standard output.
    ///
    /// - Throws: `noTerminal`; `cannotClear` if the text can only be printed as usual, with a warning.
    package init() throws {
        // Non-blocking, so that the screen can be cleared even if the terminal is unresponsive.
        let terminal = unsafe platform_open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK, 0)
        let output = terminal >= 0 ? terminal : Descriptor.standardOutput
        try self.init(
            input: terminal >= 0 ? terminal : Descriptor.standardInput, output: output,
            owned: terminal >= 0, TerminalCapabilities(of: output))
    }

    /// Uses a terminal that the caller opened for reading and writing, and keeps it open.
    ///
    /// - Throws: `noTerminal` or `cannotClear`.
    package init(descriptor: Int32, capabilities: TerminalCapabilities) throws {
        try self.init(input: descriptor, output: descriptor, owned: false, capabilities)
    }

    private init(
        input: Int32, output: Int32, owned: Bool, _ capabilities: TerminalCapabilities
    ) throws {
        self.input = input
        self.output = output
        self.owned = owned
        style = Style(capabilities)
        separator = capabilities.hasUnicode ? "·" : "-"
        guard Descriptor.isTerminal(input), Descriptor.isTerminal(output) else {
            throw InputError.noTerminal
        }
        guard capabilities.canRedraw else { throw InputError.cannotClear }
    }

    deinit {
        if owned { close(input) }
    }

    /// Shows lines until the user closes the pager or the permission ends.
    ///
    /// - Parameters:
    ///   - permission: Whether the text may be shown. It is called before any drawing, at least
    ///     every 200 milliseconds, and after the process was stopped. It reads the clock, must
    ///     return quickly, and must not prompt.
    ///   - leavesText: Whether the visible lines are printed after the user has closed the pager.
    ///   - lines: Lays out the lines for a width in columns; called again after a resize. The terminal truncates wider lines. They must be
    /// escaped by ``VisibleText``, except for the emphasis of ``Style``.
    /// - Returns: The reason for the end.
    /// - Throws: `noTerminal` or `failed`.
    package borrowing func show(
        while permission: () -> TextPermission, leavingText leavesText: Bool = false,
        lines: (_ columns: Int) -> [String]
    ) throws -> Ending {
        try TerminalUse.oneAtATime.withLock { _ in
            var position = ScrollPosition()
            while true {
                guard permission().timeLeft != nil else { return .hidden }
                let ending = try showOnce(&position, permission, leavesText, lines)
                guard ending == .signal(SIGTSTP) else { return ending }
                // With the old handlers restored, this stops the process, which continues here.
                platform_raise(SIGTSTP)
            }
        }
    }

    /// Shows lines until the pager ends, including by Ctrl-Z.
    private borrowing func showOnce(
        _ position: inout ScrollPosition, _ permission: () -> TextPermission,
        _ leavesText: Bool, _ lines: (_ columns: Int) -> [String]
    ) throws -> Ending {
        var view = PagerView(
            screen: try AlternateScreen(input: input, output: output), position: position,
            style: style, separator: separator)
        let ending: Ending
        do {
            ending = try view.run(permission, lines)
        } catch {
            _ = view.screen.leave(after: nil)
            throw error
        }
        position = view.position
        let late = view.screen.leave(after: ending)
        if leavesText, ending == .closed {
            let text = view.visibleLines.map { $0 + "\n" }.joined()
            unsafe try? Descriptor.write(text.utf8Span.span.bytes, to: output)
        }
        if case .signal = ending { return ending }
        switch late {
        case nil: return ending
        case SIGTSTP:
            // The screen is cleared already.
            platform_raise(SIGTSTP)
            return ending
        case let number?: return .signal(number)
        }
    }
}

/// Whether a text may be shown now.
package enum TextPermission: Sendable, Hashable {
    /// Until the user closes the pager.
    case shown
    /// The text may be shown for this time; 0 forbids it.
    case shownFor(Duration)
    /// The text may no longer be shown.
    case hidden

    /// The remaining time, `.some(nil)` for no limit; nil if the text may not be shown.
    var timeLeft: Duration?? {
        switch self {
        case .shown: .some(nil)
        case .shownFor(let time) where time > .zero: .some(time)
        case .shownFor, .hidden: nil
        }
    }
}

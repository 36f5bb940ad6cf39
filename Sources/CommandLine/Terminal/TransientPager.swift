internal import Platform
internal import Synchronization

/// Shows text that must go away: on a screen of its own that is cleared, with nothing left in the scrollback.
///
/// The person scrolls with the arrows, `j`, `k`, space, page up and down, home and end, and closes with `q`, Escape or, at the end, the
/// return key. However it ends, the screen is cleared and left, the cursor shown, and the terminal is as it was before; so it is while the
/// process is stopped by Ctrl-Z. What no process can catch is the exception: SIGKILL leaves everything as it is, and SIGSTOP as long as it
/// lasts. Owns its descriptor. Thread-safe: one at a time in a process, and none while a question is asked.
package struct TransientPager: ~Copyable {
    /// Why the text is no longer shown.
    package enum Ending: Sendable, Hashable {
        /// The person closed it.
        case closed
        /// It must not be seen any more.
        case hidden
        /// A signal came; SIGINT for Ctrl-C.
        case signal(Int32)
        /// The terminal went away.
        case terminalGone
    }

    private let input: Int32
    private let output: Int32
    private let owned: Bool
    private let style: Style
    private let separator: String

    /// Opens the terminal of the process, `/dev/tty`, or else takes standard input and standard output.
    ///
    /// - Throws: `noTerminal`, or `cannotClear` where text should be printed as elsewhere, with a warning.
    package init() throws {
        // What blocks could not be cleared any more while the terminal takes nothing.
        let terminal = unsafe platform_open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK, 0)
        let output = terminal >= 0 ? terminal : Descriptor.standardOutput
        try self.init(
            input: terminal >= 0 ? terminal : Descriptor.standardInput, output: output,
            owned: terminal >= 0, TerminalCapabilities(of: output))
    }

    /// Takes a terminal that the caller has open for reading and writing, and keeps open.
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

    /// Shows lines until the person has seen them or they must be hidden.
    ///
    /// - Parameters:
    ///   - permission: Whether the text may be seen; asked before anything is drawn, at least every 200 milliseconds and after the process
    ///     was stopped. It holds the clock. Must not take long, and must not ask the person.
    ///   - lines: Lays the lines out for a width in columns; asked again when the terminal changes its size. What is too wide is cut by
    ///     the terminal. Safe already, by ``VisibleText``, except for what ``Style`` adds.
    /// - Returns: Why they are no longer shown.
    /// - Throws: `noTerminal` or `failed`.
    package borrowing func show(
        while permission: () -> TextPermission, lines: (_ columns: Int) -> [String]
    ) throws -> Ending {
        try TerminalUse.oneAtATime.withLock { _ in
            var position = ScrollPosition()
            while true {
                guard permission().timeLeft != nil else { return .hidden }
                let ending = try showOnce(&position, permission, lines)
                guard ending == .signal(SIGTSTP) else { return ending }
                // With the old handlers back, this stops the process; it goes on here when it is continued.
                platform_raise(SIGTSTP)
            }
        }
    }

    /// Shows lines until something ends it, Ctrl-Z among others.
    private borrowing func showOnce(
        _ position: inout ScrollPosition, _ permission: () -> TextPermission,
        _ lines: (_ columns: Int) -> [String]
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
        if case .signal = ending { return ending }
        switch late {
        case nil: return ending
        case SIGTSTP:
            // Nothing is shown again.
            platform_raise(SIGTSTP)
            return ending
        case let number?: return .signal(number)
        }
    }
}

/// Whether a text may be shown now.
package enum TextPermission: Sendable, Hashable {
    /// It may, until the person closes it.
    case shown
    /// It may for this long; none left means that it may not.
    case shownFor(Duration)
    /// It must not be seen any more.
    case hidden

    /// How much longer it may be shown, nil if there is no end; nil as a whole where it may not.
    var timeLeft: Duration?? {
        switch self {
        case .shown: .some(nil)
        case .shownFor(let time) where time > .zero: .some(time)
        case .shownFor, .hidden: nil
        }
    }
}

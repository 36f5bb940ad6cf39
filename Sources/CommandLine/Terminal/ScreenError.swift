/// Why text could not be shown on a screen that is cleared.
package enum ScreenError: Error, Sendable, Hashable {
    /// There is no terminal.
    case noTerminal
    /// The terminal can only print (`TERM` is empty or `dumb`): what it has shown cannot be taken away.
    case cannotClear
    /// The system refused. What was shown has been cleared, as far as the terminal still took anything.
    case failed(SystemFailure)
}

internal import Synchronization

/// What a process can do only once at a time: asking at the terminal, or taking its screen.
enum TerminalUse {
    /// Handlers of signals and the settings of the terminal belong to the whole process.
    static let oneAtATime = Mutex<Void>(())
}

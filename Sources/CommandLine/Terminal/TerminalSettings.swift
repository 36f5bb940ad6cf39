internal import Platform

/// The settings of a terminal as they were, and ways to change and restore them.
///
/// The corresponding C functions are `tcgetattr` and `tcsetattr`. Changes flush the input (`TCSAFLUSH`), as readpassphrase(3) does: what
/// was typed before a question is no answer to it, and what was pasted beyond the first line must not reach the shell as a command.
/// A script that drives the terminal waits for the question, which is printed after the flush.
struct TerminalSettings {
    private let descriptor: Int32
    private let original: termios

    /// Takes note of the settings.
    ///
    /// - Throws: `noTerminal` if the descriptor is none.
    init(of descriptor: Int32) throws {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw InputError.noTerminal }
        self.descriptor = descriptor
        original = settings
    }

    /// The characters by which a line is edited.
    var editingKeys: EditingKeys {
        EditingKeys(
            erase: character(VERASE), kill: character(VKILL), wordErase: character(VWERASE),
            end: character(VEOF))
    }

    /// Turns echo off, and reads byte by byte.
    ///
    /// Not line by line: a terminal's own line is cut without a word after 4,095 bytes (1,023 on macOS).
    /// Signal keys keep working, and the return key keeps sending a line feed. Reading does not wait: a signal key gives up what was typed
    /// before it, also between the moment when there was something to read and the reading.
    func hideTyping() throws {
        try apply(hiding())
    }

    private func hiding() -> termios {
        var settings = original
        settings.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL | ICANON)
        settings.c_lflag |= tcflag_t(ISIG)
        settings.c_iflag |= tcflag_t(ICRNL)
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            unsafe characters[Int(VMIN)] = 0
            unsafe characters[Int(VTIME)] = 0
        }
        return settings
    }

    /// Turns echo off, for a screen that this process draws.
    ///
    /// Ctrl-S is a key like others: it must not keep text on the screen that has to go. A signal key does not take back what was printed,
    /// such as the clearing. What was typed before is given up. Does not wait until the terminal has taken what was printed: it may never.
    func takeScreen() throws {
        var settings = hiding()
        settings.c_iflag &= ~tcflag_t(IXON)
        settings.c_lflag |= tcflag_t(NOFLSH)
        try apply(settings, TCSANOW)
        tcflush(descriptor, TCIFLUSH)
    }

    /// Puts the settings back after ``takeScreen()``; what was typed goes nowhere.
    func giveScreenBack() {
        try? apply(original, TCSANOW)
        tcflush(descriptor, TCIFLUSH)
    }

    /// Turns echo on and reads line by line, also if another program left the terminal otherwise.
    func showTyping() throws {
        var settings = original
        settings.c_lflag |= tcflag_t(ECHO | ECHOE | ECHOK | ICANON | ISIG)
        settings.c_iflag |= tcflag_t(ICRNL)
        try apply(settings)
    }

    /// Puts the settings back as they were. A terminal that is gone needs nothing.
    func restore() {
        try? apply(original)
    }

    private func apply(
        _ settings: termios, _ action: Int32 = TCSAFLUSH
    ) throws {
        var settings = settings
        while unsafe tcsetattr(descriptor, action, &settings) != 0 {
            guard errno == EINTR else { throw InputError.failed(.last("tcsetattr")) }
        }
    }

    private func character(_ index: Int32) -> UInt8? {
        let value = unsafe withUnsafeBytes(of: original.c_cc) { unsafe $0[Int(index)] }
        return value == platform_terminal_no_key() ? nil : value
    }
}

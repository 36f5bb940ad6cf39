internal import Platform
internal import SecretMemory
internal import TextCoding

/// The original settings of a terminal, and functions that turn its echo off and restore them.
///
/// The corresponding C functions are `tcgetattr` and `tcsetattr`. Changes flush the input
/// (`TCSAFLUSH`), as readpassphrase(3) does.
/// Input typed before a question therefore does not answer it.
/// Text pasted beyond the first line does not reach the shell as a command.
/// A script that drives the terminal waits for the question, which is printed after the flush.
struct TerminalEchoSettings {
    private let descriptor: Int32
    private let original: termios

    /// Saves the settings.
    ///
    /// - Throws: `noTerminal` if the descriptor is not a terminal.
    init(of descriptor: Int32) throws {
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw InputError.noTerminal }
        self.descriptor = descriptor
        original = settings
    }

    /// The line-editing characters.
    var editingKeys: EditingKeys {
        EditingKeys(
            erase: character(VERASE), kill: character(VKILL), wordErase: character(VWERASE),
            end: character(VEOF))
    }

    /// Turns echo off, and reads byte by byte.
    ///
    /// It does not read line by line: a terminal silently truncates its line after 4,095 bytes
    /// (1,023 on macOS).
    /// Signal keys keep working, and the return key still sends a line feed.
    /// Reads do not block, because a signal key may discard the input between the poll and the
    /// read.
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

    /// Turns echo off. Input is readable when a line is complete.
    func hideLine() throws {
        var settings = original
        settings.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL)
        settings.c_lflag |= tcflag_t(ICANON | ISIG)
        settings.c_iflag |= tcflag_t(ICRNL)
        try apply(settings)
    }

    /// Turns echo off, for a screen that this process draws.
    ///
    /// Ctrl-S has no special effect, because it could keep text on the screen. A signal key does not discard output such as the clearing.
    /// Discards earlier input. Does not wait until the terminal has processed the output, which may never happen.
    func takeScreen() throws {
        var settings = hiding()
        settings.c_iflag &= ~tcflag_t(IXON)
        settings.c_lflag |= tcflag_t(NOFLSH)
        try apply(settings, TCSANOW)
        tcflush(descriptor, TCIFLUSH)
    }

    /// Restores the settings after ``takeScreen()``, and discards the input.
    func giveScreenBack() {
        try? apply(original, TCSANOW)
        tcflush(descriptor, TCIFLUSH)
    }

    /// Turns echo and line input on, even if another program left the terminal in another state.
    func showTyping() throws {
        var settings = original
        settings.c_lflag |= tcflag_t(ECHO | ECHOE | ECHOK | ICANON | ISIG)
        settings.c_iflag |= tcflag_t(ICRNL)
        try apply(settings)
    }

    /// Turns echo off until ``giveBack()``, or until a signal ends or stops this process.
    ///
    /// The corresponding C functions are `tcsetattr` and `sigaction`.
    func keepHidden() throws {
        var settings = original
        try hideLine()
        unsafe platform_keep_terminal_begin(descriptor, &settings)
    }

    /// Restores the settings after ``keepHidden()``, and discards the input.
    func giveBack() {
        platform_keep_terminal_end()
        close(descriptor)
    }

    /// Restores the settings. Does nothing for a disconnected terminal.
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

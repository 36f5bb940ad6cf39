internal import CommandLine
internal import Dispatch
internal import Platform
internal import Synchronization
internal import Testing

/// The system provided no terminal.
package struct PseudoTerminalFailure: Error {
    /// The failed operation.
    package let call: String
}

/// The output, and the position up to which it was awaited.
private struct Screen {
    var printed: [UInt8] = []
    private var position = 0

    /// Skips past the next occurrence of a text, if any.
    mutating func pass(_ text: String) -> Bool {
        guard let found = printed[position...].firstRange(of: Array(text.utf8)) else {
            return false
        }
        position = found.upperBound
        return true
    }
}

/// A terminal without a screen: the output of a program on `device` can be read, and keys can be pressed.
package final class PseudoTerminal: Sendable {
    /// The limit of a wait before it counts as a hang, in milliseconds.
    private static let patience: Int32 = 120_000

    package let device: Int32
    private let master: Int32
    private let isControlling: Bool
    private let screen = Mutex(Screen())

    /// With `controlling`, becomes standard input and output and the controlling terminal of this process, in a new session.
    package init(controlling: Bool = false) throws {
        var ends: (master: Int32, device: Int32) = (-1, -1)
        guard unsafe openpty(&ends.master, &ends.device, nil, nil, nil) == 0 else {
            throw PseudoTerminalFailure(call: "openpty")
        }
        (master, device) = ends
        isControlling = controlling
        if controlling {
            guard login_tty(dup(device)) == 0 else {
                throw PseudoTerminalFailure(call: "login_tty")
            }
        }
    }

    deinit {
        // A process gets SIGHUP when its controlling terminal is hung up.
        if isControlling { return }
        close(device)
        close(master)
    }

    /// Whether typed keys are shown.
    package var echoes: Bool {
        var settings = termios()
        unsafe tcgetattr(device, &settings)
        return settings.c_lflag & tcflag_t(ECHO) != 0 && settings.c_lflag & tcflag_t(ICANON) != 0
    }

    /// All settings, for comparison.
    package var settings: [UInt32] {
        var settings = termios()
        unsafe tcgetattr(device, &settings)
        let characters = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe $0.map { UInt32($0) } }
        let flags = [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
        return flags.map { UInt32(truncatingIfNeeded: $0) } + characters
    }

    /// Turns echo on.
    package func showTyping() {
        var settings = termios()
        unsafe tcgetattr(device, &settings)
        settings.c_lflag |= tcflag_t(ECHO | ICANON)
        unsafe tcsetattr(device, TCSANOW, &settings)
    }

    /// Resizes the terminal, which signals its processes.
    package func resize(rows: UInt16, columns: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        unsafe _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Makes writes fail instead of block while the output is not read.
    package func stopBlocking() {
        _ = fcntl(device, F_SETFL, fcntl(device, F_GETFL) | O_NONBLOCK)
    }

    /// The number of typed bytes that are not yet read.
    package var unread: Int32 {
        var count: Int32 = 0
        unsafe _ = ioctl(device, UInt(FIONREAD), &count)
        return count
    }

    /// Disconnects the terminal, as when its window is closed.
    package func hangUp() {
        let nothing = unsafe open("/dev/null", O_RDWR)
        dup2(nothing, master)
        close(nothing)
    }

    /// Prints a text as another program would.
    package func print(_ text: String) {
        unsafe try? Descriptor.write(Array(text.utf8).span.bytes, to: device)
    }

    /// Presses keys.
    package func type(_ keys: String) {
        unsafe try? Descriptor.write(Array(keys.utf8).span.bytes, to: master)
    }

    /// Reads the output until a new occurrence of this text.
    ///
    /// After a timeout disconnects the terminal, so that a program that waits for keys continues.
    package func waitFor(_ text: String) {
        while !screen.withLock({ $0.pass(text) }) {
            var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&request, 1, Self.patience) != 0 else {
                Issue.record("nothing more was printed, and not \(text.debugDescription)")
                hangUp()
                return
            }
            var piece = [UInt8](repeating: 0, count: 1_024)
            let count = unsafe read(master, &piece, piece.count)
            if count <= 0 { return }
            screen.withLock { $0.printed += piece.prefix(count) }
        }
    }

    /// All output up to now.
    package func wholeScreen() -> String {
        // Output from before precedes a marker that is printed now.
        unsafe try? Descriptor.write(Array("<end>".utf8).span.bytes, to: device)
        waitFor("<end>")
        return String(decoding: screen.withLock { $0.printed }, as: UTF8.self)
    }

    /// Simulates the user in another thread, while `body` asks.
    package func whilePerson<Result>(
        _ acts: @escaping @Sendable (PseudoTerminal) -> Void, _ body: () throws -> Result
    ) rethrows -> Result {
        let group = DispatchGroup()
        DispatchQueue(label: "person").async(group: group) { acts(self) }
        defer { group.wait() }
        return try body()
    }
}

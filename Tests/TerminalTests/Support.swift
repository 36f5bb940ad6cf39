import CPlatform
import Dispatch
import SecretMemory
import Synchronization
import Terminal
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A test's own mistake or the system's.
struct TestFailure: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// Throws unless a condition holds, in a process of its own.
func demand(_ condition: Bool, _ text: String) throws {
    if !condition { throw TestFailure(text) }
}

/// Raises a signal in this thread, which as a worker blocks it.
func raiseHere(_ number: Int32) {
    var numbers = sigset_t()
    unsafe sigemptyset(&numbers)
    unsafe sigaddset(&numbers, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    raise(number)
}

/// The bytes of a secret, for comparison.
func bytes(of secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
}

func text(of secret: borrowing SecretBytes) -> String {
    String(decoding: bytes(of: secret), as: UTF8.self)
}

func makeSecret(_ bytes: [UInt8]) throws -> SecretBytes {
    unsafe try SecretBytes(copying: bytes.span.bytes)
}

/// A sink that keeps everything, public and secret apart.
struct CollectedOutput: ByteSink {
    var all: [UInt8] = []
    var secret: [UInt8] = []

    var text: String { String(decoding: all, as: UTF8.self) }

    mutating func write(_ bytes: RawSpan) throws(OutputError) {
        unsafe bytes.withUnsafeBytes { unsafe all.append(contentsOf: $0) }
    }

    mutating func write(secret bytes: RawSpan) throws(OutputError) {
        try write(bytes)
        unsafe bytes.withUnsafeBytes { unsafe secret.append(contentsOf: $0) }
    }
}

/// A pipe into which bytes are written by another thread, then closed.
final class InputPipe {
    let descriptor: Int32

    init(_ pieces: [[UInt8]]) throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw TestFailure("pipe") }
        descriptor = ends[0]
        let output = ends[1]
        Descriptor.ignoreWriteSignals()
        DispatchQueue(label: "input pipe").async {
            // A reader that went away is no concern here.
            for piece in pieces {
                unsafe try? Descriptor.write(piece.span.bytes, to: output)
            }
            close(output)
        }
    }

    convenience init(_ text: String) throws {
        try self.init([Array(text.utf8)])
    }

    deinit {
        close(descriptor)
    }
}

/// Makes a file that is removed at the end.
final class TemporaryFile {
    let path: String

    init(_ content: [UInt8], mode: mode_t = 0o600) throws {
        var template = Array("/tmp/taskvault-test-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw TestFailure("mkstemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        unsafe try Descriptor.write(content.span.bytes, to: descriptor)
        fchmod(descriptor, mode)
        close(descriptor)
    }

    var content: [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY)
        defer { close(descriptor) }
        guard let all = try? SecretInput(descriptor: descriptor).readAll(limit: 1 << 24) else {
            return []
        }
        return bytes(of: all)
    }

    deinit {
        unsafe unlink(path)
    }
}

/// What was printed, and how far it was waited for.
private struct Screen {
    var printed: [UInt8] = []
    private var position = 0

    /// Passes the next occurrence of a text, if it is there.
    mutating func pass(_ text: String) -> Bool {
        guard let found = printed[position...].firstRange(of: Array(text.utf8)) else {
            return false
        }
        position = found.upperBound
        return true
    }
}

/// A terminal without a screen: what a program prints on `device` can be read, and keys can be pressed.
final class PseudoTerminal: Sendable {
    /// How long a wait may take before it is taken for a hang, in milliseconds.
    private static let patience: Int32 = 30_000

    let device: Int32
    private let master: Int32
    private let isControlling: Bool
    private let screen = Mutex(Screen())

    /// With `controlling`, it becomes standard input and output and the terminal of this process, in a new session.
    init(controlling: Bool = false) throws {
        var ends: (master: Int32, device: Int32) = (-1, -1)
        guard unsafe openpty(&ends.master, &ends.device, nil, nil, nil) == 0 else {
            throw TestFailure("openpty")
        }
        (master, device) = ends
        isControlling = controlling
        if controlling {
            guard login_tty(dup(device)) == 0 else { throw TestFailure("login_tty") }
        }
    }

    deinit {
        // Whose own terminal is hung up gets a SIGHUP.
        if isControlling { return }
        close(device)
        close(master)
    }

    /// Whether typed keys are shown.
    var echoes: Bool {
        var settings = termios()
        unsafe tcgetattr(device, &settings)
        return settings.c_lflag & tcflag_t(ECHO) != 0 && settings.c_lflag & tcflag_t(ICANON) != 0
    }

    /// All the settings, to be compared.
    var settings: [UInt32] {
        var settings = termios()
        unsafe tcgetattr(device, &settings)
        let characters = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe $0.map { UInt32($0) } }
        let flags = [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
        return flags.map { UInt32(truncatingIfNeeded: $0) } + characters
    }

    /// Makes the terminal show what is typed.
    func showTyping() {
        var settings = termios()
        unsafe tcgetattr(device, &settings)
        settings.c_lflag |= tcflag_t(ECHO | ICANON)
        unsafe tcsetattr(device, TCSANOW, &settings)
    }

    /// Gives the terminal another size, which tells its processes.
    func resize(rows: UInt16, columns: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        unsafe _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Lets writing fail instead of waiting while nobody reads the screen.
    func stopBlocking() {
        _ = fcntl(device, F_SETFL, fcntl(device, F_GETFL) | O_NONBLOCK)
    }

    /// The number of bytes that were typed and not read.
    var unread: Int32 {
        var count: Int32 = 0
        unsafe _ = ioctl(device, UInt(FIONREAD), &count)
        return count
    }

    /// Takes the terminal away, as when its window is closed.
    func hangUp() {
        let nothing = unsafe open("/dev/null", O_RDWR)
        dup2(nothing, master)
        close(nothing)
    }

    /// Prints a text as another program would.
    func print(_ text: String) {
        unsafe try? Descriptor.write(Array(text.utf8).span.bytes, to: device)
    }

    /// Presses keys.
    func type(_ keys: String) {
        unsafe try? Descriptor.write(Array(keys.utf8).span.bytes, to: master)
    }

    /// Reads the screen until something new has been printed that was not waited for before.
    ///
    /// Takes the terminal away where that does not come, so that whoever waits for keys goes on, too.
    func waitFor(_ text: String) {
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

    /// All that was printed up to now.
    func wholeScreen() -> String {
        // What was printed before comes before a mark that is printed now.
        unsafe try? Descriptor.write(Array("<end>".utf8).span.bytes, to: device)
        waitFor("<end>")
        return String(decoding: screen.withLock { $0.printed }, as: UTF8.self)
    }

    /// Does what a person does, in another thread, while `body` asks.
    func whilePerson<Result>(
        _ acts: @escaping @Sendable (PseudoTerminal) -> Void, _ body: () throws -> Result
    ) rethrows -> Result {
        let group = DispatchGroup()
        DispatchQueue(label: "person").async(group: group) { acts(self) }
        defer { group.wait() }
        return try body()
    }
}

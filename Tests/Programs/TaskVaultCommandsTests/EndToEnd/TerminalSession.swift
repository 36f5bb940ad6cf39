import Platform

/// The executable at a terminal of its own, and the person before it.
final class TerminalSession {
    /// The failure of a wait.
    struct WaitFailure: Error {
        let awaited: String
        let screen: String
    }

    /// How long a wait may take before it is taken for a hang, in milliseconds.
    private static let patience: Int32 = 120_000

    let process: pid_t
    private let master: Int32
    private let device: Int32
    private let liveness: Int32
    private var printed: [UInt8] = []
    private var seen = 0
    private var ended: Int32?
    private var presses = 0
    /// The answers, the bytes printed before each, and whether the terminal hid it.
    private var replies: [(offset: Int, keys: String, isHidden: Bool)] = []

    /// Starts a command whose standard descriptors and controlling terminal are a new terminal.
    ///
    /// Its abilities are those that `TERM` names in the home's environment; nothing, if that says nothing. Standard input is a file, if `input` names one.
    /// Without `rows` it does not tell how large it is. With `shell`, runs this command of the shell instead.
    init(
        _ home: TestHome, _ arguments: [String], input: String? = nil, rows: UInt16? = nil,
        columns: UInt16 = 80, shell command: String? = nil
    ) throws {
        home.note(arguments, atTerminal: true)
        var ends: (master: Int32, device: Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        guard unsafe openpty(&ends.master, &ends.device, &name, nil, nil) == 0 else {
            throw HarnessFailure("openpty")
        }
        (master, device) = ends
        if let rows {
            var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            unsafe _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        }
        var lifeline: [Int32] = [-1, -1]
        guard unsafe pipe(&lifeline) == 0 else { throw HarnessFailure("pipe") }
        for descriptor in [master, device] + lifeline { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        liveness = lifeline[0]
        var environment = home.environment
        environment["TERM"] = home.environment["TERM"] ?? "dumb"
        let path = String(
            decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let file = try input.map { try Files.open($0, O_RDONLY) }
        process = try Executable.start(
            arguments, environment: environment, in: home.folder,
            .init(input: file, liveness: lifeline[1], terminal: path),
            beneath: command == nil ? home.launcher : ["/bin/sh", "-c"],
            program: command ?? home.program)
        close(lifeline[1])
        if let file { close(file) }
    }

    deinit {
        if ended == nil {
            kill(process, SIGKILL)
            _ = Executable.wait(for: process)
        }
        close(master)
        close(device)
        close(liveness)
    }

    /// Everything that was printed, as the terminal got it.
    var screen: String { String(decoding: printed, as: UTF8.self) }

    /// Whether typed keys are shown.
    var echoes: Bool {
        var settings = termios()
        unsafe tcgetattr(device, &settings)
        return settings.c_lflag & tcflag_t(ECHO) != 0 && settings.c_lflag & tcflag_t(ICANON) != 0
    }

    /// Waits until a text is printed, after the one that was waited for before.
    func waitFor(_ text: String) throws {
        while true {
            if let range = firstRange(of: Array(text.utf8)) {
                seen = range.upperBound
                return
            }
            guard try readMore(awaiting: text) else {
                throw WaitFailure(awaited: text, screen: screen)
            }
        }
    }

    /// Waits until a text is printed by a process that the command left behind.
    func waitForLater(_ text: String) throws {
        while firstRange(of: Array(text.utf8)) == nil {
            var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&waiting, 1, Self.patience) == 1, try readMore() else {
                throw WaitFailure(awaited: text, screen: screen)
            }
        }
    }

    /// Presses keys.
    func type(_ keys: String) throws {
        let bytes = Array(keys.utf8)
        guard unsafe write(master, bytes, bytes.count) == bytes.count else {
            throw HarnessFailure("write")
        }
    }

    /// Waits for a question and answers it.
    func answer(_ question: String, _ answer: String) throws {
        try waitFor(question + ": ")
        try type(answer + "\n")
    }

    /// The line on which the program waits; empty after an answer.
    var openLine: String {
        let start = (printed.lastIndex(of: 0x0A) ?? -1) + 1
        return String(decoding: printed[max(start, replies.last?.offset ?? 0)...], as: UTF8.self)
    }

    /// Waits for a question: an open line that is expected, or after which nothing is printed for so many milliseconds.
    ///
    /// - Returns: `false` if the process has ended.
    func waitForQuestion(patience: Int32, where isExpected: (String) -> Bool) throws -> Bool {
        while true {
            let line = openLine
            if !line.isEmpty, isExpected(line) { return true }
            do {
                let isRunning = try readMore(patience: line.isEmpty ? Self.patience : patience)
                if !isRunning { return false }
            } catch is WaitFailure where !line.isEmpty {
                return true
            }
        }
    }

    /// Reads until a condition holds, the process has ended, or nothing was printed for so many milliseconds.
    func wait(patience: Int32, until holds: () -> Bool) throws {
        while !holds() {
            do {
                guard try readMore(patience: patience) else { return }
            } catch is WaitFailure {
                return
            }
        }
    }

    /// Answers a question with a line.
    func reply(_ keys: String) throws {
        replies.append((printed.count, keys, !echoes))
        try type(keys + "\n")
    }

    /// Everything that was printed, with the answers in the notation of transcripts.
    var dialogue: String {
        var bytes: [UInt8] = []
        var start = 0
        for reply in replies {
            let notation = Transcript.Answer.notation(reply.keys, isHidden: reply.isHidden)
            bytes += printed[start..<reply.offset] + Array(notation.utf8)
            start = reply.offset
            let keys = Array(reply.keys.utf8)
            if !reply.isHidden, printed[start...].starts(with: keys) { start += keys.count }
        }
        bytes += printed[start...]
        return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    /// Waits for the end, and presses a key again whenever nothing was printed for ten seconds.
    ///
    /// - Returns: The exit code, or 128 and the number of the signal.
    func finish(pressing key: String? = nil) throws -> Int32 {
        while true {
            do {
                guard try readMore(patience: key == nil ? Self.patience : 10_000) else { break }
            } catch let failure as WaitFailure {
                guard let key, presses < 12 else { throw failure }
                presses += 1
                try type(key)
            }
        }
        let code = Executable.wait(for: process)
        ended = code
        return code
    }

    /// Reads what is there, or waits for more.
    ///
    /// - Returns: `false` if the process has ended and everything was read.
    private func readMore(
        awaiting awaited: String = "the end", patience: Int32 = TerminalSession.patience
    ) throws -> Bool {
        var waiting = [
            pollfd(fd: master, events: Int16(POLLIN), revents: 0),
            pollfd(fd: liveness, events: Int16(POLLIN), revents: 0),
        ]
        let count = unsafe poll(&waiting, 2, patience)
        guard count > 0 else { throw WaitFailure(awaited: awaited, screen: screen) }
        guard waiting[0].revents != 0 else { return false }
        var piece = [UInt8](repeating: 0, count: 4_096)
        let size = unsafe read(master, &piece, piece.count)
        guard size > 0 else { return false }
        printed += piece.prefix(size)
        return true
    }

    private func firstRange(of text: [UInt8]) -> Range<Int>? {
        guard printed.count >= seen + text.count else { return nil }
        for start in seen...(printed.count - text.count)
        where printed[start..<start + text.count].elementsEqual(text) {
            return start..<start + text.count
        }
        return nil
    }
}

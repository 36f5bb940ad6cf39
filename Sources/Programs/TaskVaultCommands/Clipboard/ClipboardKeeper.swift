internal import CommandLine
internal import Platform
internal import SecretMemory
internal import TextCoding

/// The process that copies a value and clears the clipboard later. It runs this executable in a session of its own.
///
/// The process gets the value over a pipe. It keeps the value in guarded memory, to detect whether the clipboard is unchanged.
package enum ClipboardKeeper {
    /// The first argument of the process. It is not a command, and has no documentation.
    static let word = "--keep-clipboard"
    /// The byte that the process writes to standard output after the copy, before it closes its descriptors.
    static let readyByte: UInt8 = 0x2B
    /// The maximum size of a value, in bytes. It fits into a pipe, and in Base64 into the limit of terminals.
    static let limit = 56_000
    /// The maximum time for a helper.
    private static let timeLimit = Duration.seconds(5)

    /// Runs the process.
    ///
    /// - Parameter arguments: The arguments after the program's name: the word, the place, the seconds, the name of the clipboard, and the file of
    ///   turns.
    /// - Returns: The exit code; nil for other arguments.
    package static func run(_ arguments: ArraySlice<String>) -> Int32? {
        let words = Array(arguments)
        guard words.count == 5, words[0] == word, let place = ClipboardPlace(rawValue: words[1]),
            let seconds = Int64(words[2])
        else { return nil }
        do {
            try run(place, .seconds(seconds), of: words[3], turnsAt: words[4])
            return ExitCode.done.rawValue
        } catch {
            return ExitCode.failure.rawValue
        }
    }

    private static func run(
        _ place: ClipboardPlace, _ time: Duration, of clipboard: String, turnsAt path: String
    ) throws {
        let value = try SecretInput.standard.readAll(limit: limit)
        let turn = try ClipboardTurn(at: path, of: clipboard) { try copy(value, to: place) }
        let end = MonotonicTime.now + time
        unsafe try Descriptor.write([readyByte].span.bytes, to: Descriptor.standardOutput)
        let nothing = unsafe platform_open("/dev/null", O_RDWR, 0)
        guard nothing >= 0 else { throw SystemFailure.last("open") }
        dup2(nothing, Descriptor.standardInput)
        dup2(nothing, Descriptor.standardOutput)
        // The process must not keep a directory in use that may be unmounted.
        _ = unsafe chdir("/")
        while MonotonicTime.now < end { SystemSleep.sleep(until: end) }
        try turn.end { try clear(place, ifStill: value) }
    }

    private static func copy(_ value: borrowing SecretBytes, to place: ClipboardPlace) throws {
        if place.isOfTerminal {
            return try TerminalClipboard.copy(
                value, to: Descriptor.standardError, inScreen: place == .screen)
        }
        for work in place.copying where try copy(value, to: place, by: work) { return }
        throw SystemFailure("wait", code: ECHILD)
    }

    /// Copies a value, and returns whether the helper succeeded.
    private static func copy(
        _ value: borrowing SecretBytes, to place: ClipboardPlace, by work: ClipboardPlace.Work
    ) throws -> Bool {
        let input = try SystemPipe()
        let process = try start(place, work, input: input.reader)
        input.closeReader()
        // The write fails if the helper has ended. The wait below detects that.
        value.withBytes { try? Descriptor.write($0, to: input.writer) }
        input.closeWriter()
        return process.wait(atMost: timeLimit) == .exit(0)
    }

    private static func clear(_ place: ClipboardPlace, ifStill value: borrowing SecretBytes) throws
    {
        if place.isOfTerminal {
            return try TerminalClipboard.clear(
                Descriptor.standardError, inScreen: place == .screen)
        }
        // The clipboard of the terminal that tmux is in cannot be read.
        guard try place == .tmux || content(of: place).isEqual(to: value) else { return }
        for work in place.clearing {
            let process = try start(place, work, input: Descriptor.standardInput)
            process.wait(atMost: timeLimit)
        }
    }

    /// Whether tmux has a terminal with a clipboard, as far as tmux knows.
    static func hasTerminalClipboard() -> Bool {
        guard let features = try? content(of: .tmux, by: .listFeatures) else { return false }
        return features.withBytes { bytes in
            let text = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
            return text.split { $0 == "," || $0.isNewline }.contains("clipboard")
        }
    }

    /// The content of the clipboard, or the other output of a helper, up to one byte more than ``limit``. It is empty if the helper fails or does
    /// not answer, as after the end of the clipboard's owner.
    private static func content(
        of place: ClipboardPlace, by work: ClipboardPlace.Work = .read
    ) throws -> SecretBytes {
        let output = try SystemPipe()
        let process = try start(
            place, work, input: Descriptor.standardInput, output: output.writer)
        output.closeWriter()
        var content = try SecretBytes(count: limit + 1)
        var count = 0
        let end = MonotonicTime.now + timeLimit
        while count <= limit {
            var request = pollfd(fd: output.reader, events: Int16(POLLIN), revents: 0)
            let left = (end.nanoseconds - MonotonicTime.now.nanoseconds) / 1_000_000
            guard unsafe poll(&request, 1, Int32(max(0, left))) > 0 else { break }
            let offset = count
            let added = try content.withMutableBytes {
                try Descriptor.read(from: output.reader, into: &$0, at: offset)
            }
            if added == 0 { break }
            count += added
        }
        output.closeReader()
        let ending = process.wait(atMost: count > limit ? .zero : timeLimit)
        content.keep(count: ending == .exit(0) ? min(count, limit) : 0)
        return content
    }

    private static func start(
        _ place: ClipboardPlace, _ work: ClipboardPlace.Work, input: Int32, output: Int32? = nil
    ) throws -> ChildProcess {
        guard let words = place.program(work) else { throw SystemFailure("exec", code: ENOENT) }
        return try ChildProcess.start(
            words, environment: ClipboardPlace.environment(.ofProcess()), input: input,
            output: output)
    }
}

internal import Platform
internal import Tasks
internal import TextCoding

/// The program of the setting `reminder-command`, as its words.
package struct ReminderCommand: Sendable, Hashable {
    /// Why a text is no command, for messages.
    package struct Fault: Error, Sendable, Hashable {
        /// The reason, beginning in lower case and without full stop.
        package let reason: String
    }

    /// The path of the program and its arguments.
    package let words: [String]

    /// Splits a text at blanks, without a shell: text between two `'` or two `"` stays together, and no other character is special.
    ///
    /// - Throws: ``Fault``.
    package init(_ text: String) throws {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F {
                throw Fault(reason: "it has a control character")
            } else if let open = quote {
                if scalar == open { quote = nil } else { word?.unicodeScalars.append(scalar) }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
                word = word ?? ""
            } else if scalar == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = word ?? ""
                word?.unicodeScalars.append(scalar)
            }
        }
        if quote != nil { throw Fault(reason: "a quotation mark is missing") }
        if let word { words.append(word) }
        guard let program = words.first, program.utf8.first == UInt8(ascii: "/") else {
            throw Fault(reason: "it does not begin with the path of a program")
        }
        self.words = words
    }

    /// The object that the program reads: the members of one reminder, which are null in a summary of several.
    static func input(_ announcement: Announcement, _ notification: Notification) throws -> String {
        var json = JSONWriter(TextSink())
        let reminder = announcement.single
        try json.beginObject()
        try json.member("id", reminder?.task.text)
        try json.member("subtask", reminder?.subtask?.text)
        try json.member("name", reminder?.name)
        try json.member("task", reminder?.taskName)
        try json.member("list", reminder?.list)
        try json.member("due", milliseconds: reminder?.due?.milliseconds)
        try json.member("reminder", milliseconds: reminder?.time.milliseconds)
        try json.member("protected", reminder?.isProtected)
        try json.member("missed", announcement.isMissed)
        try json.member("count", announcement.reminders.count)
        try json.member("title", notification.title)
        try json.member("body", notification.body)
        try json.endObject()
        return try json.finish().text
    }
}

/// Collects public text in memory.
private struct TextSink: ByteSink {
    var text = ""

    mutating func write(_ bytes: RawSpan) throws {
        text += unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    mutating func write(secret bytes: RawSpan) throws {
        preconditionFailure("a reminder has no secret")
    }
}

#if os(Linux)
    /// The programs that were started and run. Not thread-safe.
    final class RunningCommands {
        private struct Run {
            let process: pid_t
            /// Readable when the process has ended.
            let descriptor: Int32
            /// When it is killed; never if it was.
            var end: MonotonicTime
        }

        /// How long a program may run.
        static let limit: Duration = .seconds(30)

        private var runs: [Run] = []

        deinit {
            for run in runs {
                // One that may not be killed is not waited for.
                if Self.kill(run) { _ = ChildProcess.wait(for: run.process) }
                if run.descriptor >= 0 { close(run.descriptor) }
            }
        }

        /// Whether all have ended, or were killed.
        var isEmpty: Bool { runs.allSatisfy { $0.end == .never } }

        /// The requests for `poll`.
        var requests: [pollfd] {
            runs.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        }

        /// When ``collect(at:)`` is to be called at the latest.
        var deadline: MonotonicTime { runs.map(\.end).min() ?? .never }

        /// Starts a program, in a process group of its own, with a text as its standard input.
        ///
        /// - Throws: `SystemFailure`.
        func start(_ words: [String], input: String, at now: MonotonicTime) throws {
            // A file, because a program that does not read would fill a pipe.
            let file = platform_memory_file()
            guard file >= 0 else { throw SystemFailure.last("memfd_create") }
            defer { close(file) }
            unsafe try Descriptor.write(input.utf8Span.span.bytes, to: file)
            lseek(file, 0, SEEK_SET)
            let process = try ProgramProcess.start(words, input: file)
            runs.append(
                Run(
                    process: process, descriptor: platform_process_descriptor(process),
                    end: now + Self.limit))
        }

        /// Takes leave of programs that have ended, and ends those that run too long.
        ///
        /// - Returns: What went wrong.
        func collect(at now: MonotonicTime) -> [String] {
            var failures: [String] = []
            for index in runs.indices where now >= runs[index].end {
                failures.append("did not end within 30 seconds")
                _ = Self.kill(runs[index])
                runs[index].end = .never
            }
            runs.removeAll { run in
                var status: Int32 = 0
                let ended = unsafe waitpid(run.process, &status, WNOHANG)
                if ended == 0 || ended < 0 && errno == EINTR { return false }
                if run.descriptor >= 0 { close(run.descriptor) }
                // How it ended is unknown if another program's setting collected it.
                if ended > 0, status != 0, run.end != .never {
                    failures.append(Self.ending(status))
                }
                return true
            }
            return failures
        }

        /// Ends a program and those that it started. Does not wait: a program with other rights may go on.
        ///
        /// - Returns: Whether it ends.
        private static func kill(_ run: Run) -> Bool {
            _ = Platform.kill(-run.process, SIGKILL)
            // It may have left its group.
            return Platform.kill(run.process, SIGKILL) == 0
        }

        /// As `WIFSIGNALED` and `WEXITSTATUS`, macros that the importer leaves out.
        private static func ending(_ status: Int32) -> String {
            status & 0x7F == 0
                ? "ended with exit code \(status >> 8 & 0xFF)"
                : "was ended by signal \(status & 0x7F)"
        }
    }
#endif

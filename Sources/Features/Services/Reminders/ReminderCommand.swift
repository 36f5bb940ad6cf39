internal import Platform
internal import Tasks
internal import TextCoding

/// The command line of the setting `reminder-command`.
package struct ReminderCommand: Sendable, Hashable {
    /// The reason why a text is not a command line.
    package struct Fault: Error, Sendable, Hashable {
        /// The reason, in lower case and without a full stop.
        package let reason: String
    }

    /// The path of the program, and its arguments.
    package let arguments: [String]

    /// Splits a text at spaces, without a shell. Text between two `'` or two `"` stays total; no
    /// other character is special.
    ///
    /// - Throws: ``Fault``.
    package init(_ text: String) throws {
        var arguments: [String] = []
        var argument: String?
        var quote: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F {
                throw Fault(reason: "it has a control character")
            } else if let open = quote {
                if scalar == open { quote = nil } else { argument?.unicodeScalars.append(scalar) }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
                argument = argument ?? ""
            } else if scalar == " " {
                if let argument { arguments.append(argument) }
                argument = nil
            } else {
                argument = argument ?? ""
                argument?.unicodeScalars.append(scalar)
            }
        }
        if quote != nil { throw Fault(reason: "a quotation mark is missing") }
        if let argument { arguments.append(argument) }
        guard let program = arguments.first, program.utf8.first == UInt8(ascii: "/") else {
            throw Fault(reason: "it does not begin with the path of a program")
        }
        self.arguments = arguments
    }

    /// The JSON object for the program's standard input. In a summary of several reminders the
    /// members of a single one are null.
    static func input(_ announcement: Announcement, _ notification: Notification) throws -> String {
        var json = JSONWriter(TextSink())
        let reminder = announcement.single
        try json.beginObject()
        try json.member("id", reminder?.task.text)
        try json.member("subtask", reminder?.subtask?.text)
        try json.member("name", reminder?.name)
        try json.member("task", reminder?.taskName)
        try json.member("list", reminder?.list)
        try json.member("due", reminder?.due)
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
    /// The child processes of `reminder-command`. Not thread-safe.
    final class CommandProcesses {
        private struct Run {
            let process: ChildProcess
            /// The process descriptor (pidfd), readable when the process has ended.
            let descriptor: Int32
            /// When to kill the process; `.never` after it was killed.
            var end: MonotonicTime
        }

        /// The time limit of one program.
        static let limit: Duration = .seconds(30)

        private var runs: [Run] = []

        deinit {
            for run in runs {
                // Do not wait for a process that may not be killed.
                if Self.kill(run) { run.process.wait() }
                if run.descriptor >= 0 { close(run.descriptor) }
            }
        }

        /// Whether every process has ended or was killed.
        var isEmpty: Bool { runs.allSatisfy { $0.end == .never } }

        /// The entries for `poll`.
        var requests: [pollfd] {
            runs.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        }

        /// The latest time at which to call ``reap(at:)``.
        var deadline: MonotonicTime { runs.map(\.end).min() ?? .never }

        /// Starts a program in its own process group, with `input` as its standard input.
        ///
        /// - Throws: `SystemFailure`.
        func start(_ arguments: [String], input: String, at now: MonotonicTime) throws {
            // The input is a memory file, because a program that reads nothing would fill a pipe.
            let file = platform_memory_file()
            guard file >= 0 else { throw SystemFailure.last("memfd_create") }
            defer { close(file) }
            unsafe try Descriptor.write(input.utf8Span.span.bytes, to: file)
            lseek(file, 0, SEEK_SET)
            let process = try ChildProcess.start(arguments, input: file)
            runs.append(
                Run(
                    process: process, descriptor: platform_process_descriptor(process.id),
                    end: now + Self.limit))
        }

        /// Reaps the processes that have ended, and kills those over the time limit.
        ///
        /// - Returns: The failures, as text.
        func reap(at now: MonotonicTime) -> [String] {
            var failures: [String] = []
            for index in runs.indices where now >= runs[index].end {
                failures.append("did not end within 30 seconds")
                _ = Self.kill(runs[index])
                runs[index].end = .never
            }
            runs.removeAll { run in
                guard let ending = run.process.ending() else { return false }
                if run.descriptor >= 0 { close(run.descriptor) }
                if run.end != .never, let failure = Self.failure(ending) {
                    failures.append(failure)
                }
                return true
            }
            return failures
        }

        /// Kills a process and its group. Does not wait, because a process with other rights may
        /// survive.
        ///
        /// - Returns: Whether the signal reached the process.
        private static func kill(_ run: Run) -> Bool {
            _ = Platform.kill(-run.process.id, SIGKILL)
            // The process may have left its group.
            return Platform.kill(run.process.id, SIGKILL) == 0
        }

        private static func failure(_ ending: ChildProcess.Ending) -> String? {
            switch ending {
            // The ending is unknown if the SIGCHLD setting of a parent program made the kernel
            // reap the process.
            case .exit(0), .unknown: nil
            case .exit(let code): "ended with exit code \(code)"
            case .signal(let number): "was ended by signal \(number)"
            }
        }
    }
#endif

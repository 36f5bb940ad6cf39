internal import Platform
package import Tasks

/// What makes a reminder another one: a changed name does not.
struct ReminderKey: Sendable, Hashable {
    let time: Int64
    let task: String
    let subtask: String

    init(_ reminder: DueReminder) {
        time = reminder.time.milliseconds
        task = reminder.task.text
        subtask = reminder.subtask?.text ?? "-"
    }

    /// Reads a line of the notes; nil for any other line.
    init?(line: Substring) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let time = Int64(words[2]) else { return nil }
        self.time = time
        task = String(words[0])
        subtask = String(words[1])
    }
}

/// What this machine announced, in a small file: a line `TASK SUBTASK TIME` each, with `-` for no subtask and milliseconds since 1970.
///
/// One process at a time has the file, by the lock of a second one. Not thread-safe.
package final class ReminderNotes {
    private static let firstLine = "taskvault reminders 1"
    /// This many are kept in any case, and at most ``most``.
    private static let fewest = 1_000
    static let most = 50_000
    /// Older ones than this before the newest one are not needed, in milliseconds. The clock is not asked: it may be wrong for a while, and
    /// reminders that it had announced would be announced again.
    private static let period: Int64 = 30 * 86_400_000

    private let path: String
    private let lock: Int32
    private var notes: Set<ReminderKey>

    /// Reads the notes of a folder, which is made if it is missing.
    ///
    /// A file that is not one of notes is as good as empty.
    ///
    /// - Returns: nil if another process has them.
    /// - Throws: `SystemFailure`; `UnusableFile` for a folder of others.
    package static func open(in folder: String) throws -> ReminderNotes? {
        try SafeFolder.create(folder)
        let folder = try SafeFolder.resolve(folder)
        try SafeFolder.require(folder)
        let lock = unsafe platform_open(
            folder + "/reminders.lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw SystemFailure.last("open") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let failure = SystemFailure.last("flock")
            close(lock)
            if failure.code == EWOULDBLOCK { return nil }
            throw failure
        }
        return try ReminderNotes(folder + "/reminders", lock)
    }

    private init(_ path: String, _ lock: Int32) throws {
        self.path = path
        self.lock = lock
        notes = []
        notes = try Self.read(path)
    }

    deinit {
        close(lock)
    }

    /// Whether a reminder was announced.
    package func contains(_ reminder: DueReminder) -> Bool { notes.contains(ReminderKey(reminder)) }

    /// Notes that reminders were announced, durably.
    ///
    /// - Throws: `SystemFailure`. They count as announced until this process ends.
    package func add(_ reminders: [DueReminder]) throws {
        notes.formUnion(reminders.map { ReminderKey($0) })
        prune()
        let lines = notes.map { "\($0.task) \($0.subtask) \($0.time)\n" }
        try FileSystem.replace(path, with: Self.firstLine + "\n" + lines.joined())
    }

    private func prune() {
        guard notes.count > Self.fewest else { return }
        let sorted = notes.sorted { $0.time > $1.time }
        let limit = (sorted.first?.time ?? 0).subtractingReportingOverflow(Self.period)
        let needed = limit.overflow ? notes.count : notes.count { $0.time >= limit.partialValue }
        notes = Set(sorted.prefix(min(max(needed, Self.fewest), Self.most)))
    }

    private static func read(_ path: String) throws -> Set<ReminderKey> {
        let (folder, name) = SafeFolder.split(path)
        do {
            let file = try FileDescriptor(name, in: FileDescriptor(folder: folder), flags: O_RDONLY)
            // A larger file is not one of notes.
            let size = min(try FileStatus.of(file).size, Int64(most) * 64)
            let bytes = try file.bytes(at: 0, count: Int(size))
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            guard lines.first == firstLine[...] else { return [] }
            return Set(lines.dropFirst().compactMap { ReminderKey(line: $0) })
        } catch let failure as SystemFailure where failure.isMissingFile {
            return []
        }
    }
}

internal import Platform
package import Tasks

extension ReminderPlace {
    /// Its line in the notes, without the line end.
    fileprivate var line: String {
        "\(task.text) \(subtask?.text ?? "-") \(time.milliseconds)"
    }

    fileprivate init?(_ words: [Substring]) {
        guard words.count >= 3, let time = Int64(words[2]), let task = TaskID(String(words[0]))
        else { return nil }
        let subtask = TaskID(String(words[1]))
        guard subtask != nil || words[1] == "-" else { return nil }
        self.init(PointInTime(milliseconds: time), task: task, subtask: subtask)
    }
}

/// What this machine announced, in a small file: a line `TASK SUBTASK TIME` each, with `-` for no subtask and milliseconds since 1970.
///
/// The fourth word `tried` marks a notification that was sent to a daemon and not answered. One process at a time has the file, by the lock of
/// a second one. Not thread-safe.
package final class ReminderNotes {
    private static let firstLine = "taskvault reminders 1"
    /// This many are kept in any case, and at most ``most`` of those that no look finds again.
    private static let fewest = 1_000
    private static let most = 50_000
    /// Older ones than this before the newest one are not needed. The clock alone is not asked: it may be wrong for a while, and reminders that
    /// it had announced would be announced again.
    private static let period: Duration = .seconds(30 * 86_400)
    /// A larger file is not one of notes.
    private static let largest: Int64 = 1 << 26

    private let path: String
    private let locks: [Int32]
    /// Whether a reminder was announced; otherwise it was tried once.
    private var notes: [ReminderPlace: Bool]

    /// Reads the notes of a folder, which is made if it is missing.
    ///
    /// A file that is not one of notes is as good as empty.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - isService: Whether to wait for a process that ends soon, `remind --once`.
    /// - Returns: nil if another process has them; for a service, only if that is a service, too.
    /// - Throws: `SystemFailure`; `UnusableFile` for a folder of others.
    package static func open(in folder: String, asService isService: Bool = false) throws
        -> ReminderNotes?
    {
        try SafeFolder.create(folder)
        let folder = try SafeFolder.resolve(folder)
        try SafeFolder.require(folder)
        var locks: [Int32] = []
        do {
            if isService { locks.append(try lock(folder + "/service.lock", until: .now)) }
            // It ends after the patience with a daemon, or the time limit of commands.
            let end: MonotonicTime = isService ? .now + .seconds(40) : .now
            locks.append(try lock(folder + "/reminders.lock", until: end))
            return try ReminderNotes(folder + "/reminders", locks)
        } catch {
            for lock in locks { close(lock) }
            let isTaken = (error as? SystemFailure)?.code == EWOULDBLOCK
            if isTaken, locks.isEmpty { return nil }
            throw error
        }
    }

    /// The corresponding C function is `flock`.
    private static func lock(_ path: String, until end: MonotonicTime) throws -> Int32 {
        let lock = unsafe platform_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw SystemFailure.last("open") }
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let failure = SystemFailure.last("flock")
            guard failure.code == EWOULDBLOCK, .now < end else {
                close(lock)
                throw failure
            }
            SystemSleep.sleep(.milliseconds(100))
        }
        return lock
    }

    private init(_ path: String, _ locks: [Int32]) throws {
        self.path = path
        notes = try Self.read(path)
        self.locks = locks
    }

    deinit {
        for lock in locks { close(lock) }
    }

    /// Whether a reminder was announced.
    package func contains(_ place: ReminderPlace) -> Bool { notes[place] == true }

    /// Notes that reminders were announced, durably.
    ///
    /// - Throws: `SystemFailure`. They count as announced until this process ends.
    package func add(_ places: [ReminderPlace], at now: PointInTime) throws {
        for place in places { notes[place] = true }
        try write(at: now)
    }

    /// Notes that a daemon is about to be told, durably. The second time counts as announced: it may show all and answer nothing.
    ///
    /// - Throws: As ``add(_:at:)``.
    func addTry(_ places: [ReminderPlace], at now: PointInTime) throws {
        if places.isEmpty { return }
        for place in places { notes[place] = notes[place] != nil }
        try write(at: now)
    }

    /// Forgets tries that failed for certain.
    ///
    /// - Throws: As ``add(_:at:)``.
    func remove(_ places: [ReminderPlace], at now: PointInTime) throws {
        if places.isEmpty { return }
        for place in places { notes[place] = nil }
        try write(at: now)
    }

    private func write(at now: PointInTime) throws {
        prune(at: now)
        let lines = notes.map { place, isAnnounced in
            place.line + (isAnnounced ? "\n" : " tried\n")
        }
        try FileSystem.replace(path, with: Self.firstLine + "\n" + lines.joined())
    }

    private func prune(at now: PointInTime) {
        guard notes.count > Self.fewest else { return }
        let sorted = notes.sorted { $0.key.time > $1.key.time }
        let newest = sorted[0].key.time
        let old = newest.advanced(by: .zero - Self.period)
        let useful = sorted.prefix { $0.key.time >= old }.count
        // Never those that a look may find again, however many they are and whatever a wrong clock announced.
        let oldest = min(newest, now).advanced(by: .zero - ReminderPlan.oldest)
        let needed = sorted.prefix { $0.key.time >= oldest }.count
        let count = max(needed, min(max(useful, Self.fewest), Self.most))
        notes = Dictionary(uniqueKeysWithValues: sorted.prefix(count).map { ($0.key, $0.value) })
    }

    private static func read(_ path: String) throws -> [ReminderPlace: Bool] {
        let (folder, name) = SafeFolder.split(path)
        do {
            let file = try FileDescriptor(name, in: FileDescriptor(folder: folder), flags: O_RDONLY)
            let bytes = try file.bytes(
                at: 0, count: Int(min(try FileStatus.of(file).size, largest)))
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            guard lines.first == firstLine[...] else { return [:] }
            var notes: [ReminderPlace: Bool] = [:]
            for line in lines.dropFirst() {
                let words = line.split(separator: " ", omittingEmptySubsequences: false)
                guard let place = ReminderPlace(words) else { continue }
                switch words.dropFirst(3) {
                case []: notes[place] = true
                case ["tried"]: notes[place] = notes[place] ?? false
                default: continue
                }
            }
            return notes
        } catch let failure as SystemFailure where failure.isMissingFile {
            return [:]
        }
    }
}

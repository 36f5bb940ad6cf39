internal import Platform
package import Tasks

extension ReminderPlace {
    /// The reminder's line in the log, without the line end.
    fileprivate var line: String {
        let time =
            switch self.time {
            case .day(let date): TimeText.text(date)
            case .moment(let time): "\(time.milliseconds)"
            }
        return "\(task.text) \(subtask?.text ?? "-") \(time)"
    }

    fileprivate init?(_ fields: [Substring]) {
        guard fields.count >= 3, let task = TaskID(String(fields[0])) else { return nil }
        let day = CalendarDate(text: fields[2]).map { TaskTime.day($0) }
        let moment = Int64(fields[2]).map { TaskTime.moment(PointInTime(milliseconds: $0)) }
        guard let time = day ?? moment else { return nil }
        let subtask = TaskID(String(fields[1]))
        guard subtask != nil || fields[1] == "-" else { return nil }
        self.init(time, task: task, subtask: subtask)
    }
}

/// The reminders that this machine has announced. A line of the file is `TASK SUBTASK TIME`.
///
/// SUBTASK is `-` if there is none; TIME is in milliseconds since 1970, or a date. A fourth field `tried`
/// marks an attempt without a reply. The line `checked TIME` has the time of a check after which no reminder waited. A lock file gives one process at a time the log. Not
/// thread-safe.
package final class AnnouncementLog {
    private static let firstLine = "taskvault reminders 1"
    /// The log keeps at least this many entries, and at most ``maximumCount`` that no check can
    /// find again.
    private static let minimumCount = 1_000
    private static let maximumCount = 50_000
    /// Entries older than this, counted from the newest one, are removed. The clock is not used for
    /// that: after a wrong clock, reminders would be announced again.
    private static let retention: Duration = .seconds(30 * 86_400)
    /// A larger file is not a log.
    private static let maximumFileSize: Int64 = 1 << 26

    /// The interval in which a check without a waiting reminder is logged.
    private static let checkInterval: Duration = .seconds(3_600)
    /// The milliseconds after a check in which its program counts as one that announces reminders.
    private static let usePeriod: Int64 = 7_200_000

    private let path: String
    private let locks: [Int32]
    /// Whether each reminder was announced; false after one attempt.
    private var entries: [ReminderPlace: Bool]
    /// The time of a check after which no reminder waited; nil before the first one.
    private(set) var checked: PointInTime?

    /// Opens the log in a folder, and makes the folder if it is missing.
    ///
    /// A file of another format counts as empty.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - isService: Whether to wait for the lock of `remind --once`, which ends soon.
    ///   - pause: Passes time between two attempts; nil for a tenth of a second.
    /// - Returns: nil if another process has the log; for a service, only if that is a service as
    ///   well.
    /// - Throws: `SystemFailure`; `UnusableFile` for an unsafe folder.
    package static func open(
        in folder: String, asService isService: Bool = false, pause: (() -> Void)? = nil
    ) throws -> AnnouncementLog? {
        try SafeFolder.create(folder)
        let folder = try SafeFolder.resolve(folder)
        try SafeFolder.require(folder)
        var locks: [Int32] = []
        do {
            // A look at whether a service runs takes this lock for a moment.
            if isService {
                locks.append(
                    try lock(folder + "/service.lock", until: .now + .milliseconds(200)) {
                        SystemSleep.sleep(.milliseconds(20))
                    })
            }
            // `remind --once` ends after the daemon's timeout or the time limit of commands.
            let end: MonotonicTime = isService ? .now + .seconds(40) : .now
            locks.append(try lock(folder + "/reminders.lock", until: end, pause))
            return try AnnouncementLog(folder + "/reminders", locks)
        } catch {
            for lock in locks { close(lock) }
            let isLocked = (error as? SystemFailure)?.code == EWOULDBLOCK
            if isLocked, locks.isEmpty { return nil }
            throw error
        }
    }

    /// Whether a program announces the reminders of a folder: a service that holds the log, or a timer that checked lately.
    package static func isUsed(in folder: String, at now: PointInTime) -> Bool {
        if let checked = try? read(folder + "/reminders").checked,
            abs(now.milliseconds - checked.milliseconds) < usePeriod
        {
            return true
        }
        return isHeldByService(in: folder)
    }

    /// Whether a service holds the log of a folder.
    ///
    /// For a moment this takes a shared lock. A service that starts in this moment tries again.
    package static func isHeldByService(in folder: String) -> Bool {
        let lock = unsafe platform_open(
            folder + "/service.lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        guard lock >= 0 else { return false }
        defer { close(lock) }
        return flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// The corresponding C function is `flock`.
    private static func lock(
        _ path: String, until end: MonotonicTime, _ pause: (() -> Void)?
    ) throws -> Int32 {
        let lock = unsafe platform_open(
            path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard lock >= 0 else { throw SystemFailure.last("open") }
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let failure = SystemFailure.last("flock")
            guard failure.code == EWOULDBLOCK, .now < end else {
                close(lock)
                throw failure
            }
            if let pause { pause() } else { SystemSleep.sleep(.milliseconds(100)) }
        }
        return lock
    }

    private init(_ path: String, _ locks: [Int32]) throws {
        self.path = path
        (entries, checked) = try Self.read(path)
        self.locks = locks
    }

    deinit {
        for lock in locks { close(lock) }
    }

    /// Whether a reminder was announced.
    package func contains(_ place: ReminderPlace) -> Bool { entries[place] == true }

    /// Logs that reminders were announced, durably.
    ///
    /// - Throws: `SystemFailure`. The reminders still count as announced until this process ends.
    package func add(_ places: [ReminderPlace], at now: PointInTime) throws {
        for place in places { entries[place] = true }
        try write(at: now)
    }

    /// Logs an attempt to announce reminders, durably. A second attempt counts as an announcement:
    /// a daemon may show all and reply to none.
    ///
    /// - Throws: As ``add(_:at:)``.
    func addAttempt(_ places: [ReminderPlace], at now: PointInTime) throws {
        if places.isEmpty { return }
        for place in places { entries[place] = entries[place] != nil }
        try write(at: now)
    }

    /// Removes attempts that certainly failed.
    ///
    /// - Throws: As ``add(_:at:)``.
    func remove(_ places: [ReminderPlace], at now: PointInTime) throws {
        if places.isEmpty { return }
        for place in places { entries[place] = nil }
        try write(at: now)
    }

    /// The time from which reminders are announced that were missed: that of the last check, at least ``ReminderPlan/maximumAge`` ago, and as
    /// long ago as the log knows what was announced.
    func start(at now: PointInTime) -> PointInTime {
        let latest = now.advanced(by: .zero - ReminderPlan.maximumAge)
        return max(min(checked ?? latest, latest), now.advanced(by: .zero - Self.retention))
    }

    /// Logs a check after which no reminder waits, durably, at most once an hour.
    ///
    /// - Throws: `SystemFailure`.
    func addCheck(at now: PointInTime) throws {
        if let checked, checked <= now, now < checked.advanced(by: Self.checkInterval) { return }
        checked = now
        try write(at: now)
    }

    private func write(at now: PointInTime) throws {
        prune(at: now)
        var lines = entries.map { place, isAnnounced in
            place.line + (isAnnounced ? "\n" : " tried\n")
        }
        if let checked { lines.append("checked \(checked.milliseconds)\n") }
        try FileSystem.replace(path, with: Self.firstLine + "\n" + lines.joined())
    }

    private func prune(at now: PointInTime) {
        guard entries.count > Self.minimumCount else { return }
        let sorted = entries.sorted { $0.key.latest > $1.key.latest }
        let newest = sorted[0].key.latest
        let old = newest.advanced(by: .zero - Self.retention)
        let useful = sorted.prefix { $0.key.latest >= old }.count
        // Keep all entries that a check can find again. A wrong clock may have given them any time.
        let oldest = min(newest, now).advanced(by: .zero - ReminderPlan.maximumAge)
        let needed = sorted.prefix { $0.key.latest >= oldest }.count
        let count = max(needed, min(max(useful, Self.minimumCount), Self.maximumCount))
        entries = Dictionary(uniqueKeysWithValues: sorted.prefix(count).map { ($0.key, $0.value) })
    }

    private static func read(
        _ path: String
    ) throws -> (entries: [ReminderPlace: Bool], checked: PointInTime?) {
        let (folder, name) = SafeFolder.split(path)
        do {
            let file = try FileDescriptor(name, in: FileDescriptor(folder: folder), flags: O_RDONLY)
            let bytes = try file.bytes(
                at: 0, count: Int(min(try FileStatus.of(file).size, maximumFileSize)))
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            guard lines.first == firstLine[...] else { return ([:], nil) }
            var entries: [ReminderPlace: Bool] = [:]
            var checked: PointInTime?
            for line in lines.dropFirst() {
                let fields = line.split(separator: " ", omittingEmptySubsequences: false)
                if fields.count == 2, fields[0] == "checked" {
                    checked = Int64(fields[1]).map { PointInTime(milliseconds: $0) }
                }
                guard let place = ReminderPlace(fields) else { continue }
                switch fields.dropFirst(3) {
                case []: entries[place] = true
                case ["tried"]: entries[place] = entries[place] ?? false
                default: continue
                }
            }
            return (entries, checked)
        } catch let failure as SystemFailure where failure.isMissingFile {
            return ([:], nil)
        }
    }
}

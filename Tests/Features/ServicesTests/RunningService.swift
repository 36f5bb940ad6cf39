#if os(Linux)
    import Database
    import Platform
    import Synchronization
    import Tasks
    import TestSupport
    import Testing

    @testable import Services

    /// A to-do list in memory, with settings and clocks that tests change.
    final class TestSource: ReminderSource, ReminderList, Sendable {
        struct State {
            var reminders: [DueReminder] = []
            var finished: [DueReminder] = []
            var snoozed: [PointInTime] = []
            var texts: [TaskID: TaskText] = [:]
            var protected: Set<TaskID> = []
            var now = PointInTime(milliseconds: 1_800_000_000_000)
            var settings = ReminderSettings(
                snooze: .seconds(600), command: nil, tasks: .memory)
            var reports: [String] = []
            var looks = 0
            /// How far the clock of intervals is ahead.
            var ahead: Duration = .zero
            var failure: DatabaseError?
            /// The event after a look, by its number.
            var afterLook: [Int: @Sendable () -> Void] = [:]
            /// The calendar of the machine's zone.
            var calendar = RuleCalendar.utc
            /// The file of a real list, which then counts.
            var file: String?
        }

        let state = Mutex(State())

        let files: [String] = []

        func settings() throws -> ReminderSettings { state.withLock { $0.settings } }

        func withList<Result>(_ body: (any ReminderList) throws -> Result) throws -> Result {
            let (failure, file, after) = state.withLock { state in
                state.looks += 1
                return (state.failure, state.file, state.afterLook[state.looks])
            }
            defer { after?() }
            if let failure { throw failure }
            guard let file else { return try body(self) }
            let repository = try TaskRepository.open(.file(file)) ?? TaskRepository.inMemory()
            defer { repository.close() }
            return try body(TaskList(repository, now: clock.now))
        }

        func report(_ error: any Error) { report("\(error)") }

        func report(_ line: String) { state.withLock { $0.reports.append(line) } }

        func reminders(
            after start: PointInTime, through end: PointInTime,
            where isWanted: (ReminderPlace) -> Bool
        ) -> [DueReminder] {
            state.withLock { $0.reminders }
                .filter { start < $0.time && $0.time <= end && isWanted($0.place) }
                .sorted { $0.place < $1.place }
        }

        func reminders(at places: [ReminderPlace]) -> [DueReminder] {
            state.withLock { $0.reminders }.filter { places.contains($0.place) }
        }

        func nextReminder(after time: PointInTime) -> PointInTime? {
            state.withLock { $0.reminders }.map(\.time).filter { time < $0 }.min()
        }

        func finish(_ place: ReminderPlace) -> Bool {
            state.withLock { state in
                guard let index = state.reminders.firstIndex(where: { $0.place == place }) else {
                    return false
                }
                state.finished.append(state.reminders.remove(at: index))
                return true
            }
        }

        func snooze(_ place: ReminderPlace, until time: PointInTime) -> Bool {
            state.withLock { state in
                guard let index = state.reminders.firstIndex(where: { $0.place == place }) else {
                    return false
                }
                let reminder = state.reminders[index]
                state.snoozed.append(time)
                state.reminders[index] = DueReminder(
                    task: reminder.task, time: time, due: reminder.due, name: reminder.name,
                    isProtected: reminder.isProtected)
                return true
            }
        }

        func task(_ id: TaskID) -> TodoTask? {
            state.withLock { state in
                guard !state.protected.contains(id) else {
                    return TodoTask(
                        id: id, content: .protected(ProtectedTextID(of: id)), created: state.now)
                }
                return state.texts[id].map {
                    TodoTask(id: id, content: .plain($0), created: state.now)
                }
            }
        }

        /// Protects the tasks of all reminders, as `task protect` does.
        func protect() {
            state.withLock { state in
                state.protected.formUnion(state.reminders.map(\.task))
                state.reminders = state.reminders.map { old in
                    DueReminder(
                        task: old.task, time: old.time, due: old.due, name: nil, isProtected: true)
                }
            }
        }

        /// Adds a reminder some seconds after the clock's time.
        @discardableResult
        func add(
            _ name: String?, in seconds: Double = 0, task: TaskID = TaskID()
        ) -> DueReminder {
            state.withLock { state in
                let time = state.now.advanced(by: .milliseconds(Int64(seconds * 1_000)))
                let reminder = DueReminder(
                    task: task, time: time, due: .moment(time), name: name, isProtected: name == nil
                )
                state.reminders.append(reminder)
                if let name {
                    state.texts[task] = TaskText(name: name)
                } else {
                    state.protected.insert(task)
                }
                return reminder
            }
        }

        func setClock(_ time: PointInTime) { state.withLock { $0.now = time } }

        func advance(_ seconds: Double) {
            state.withLock { $0.now = $0.now.advanced(by: .milliseconds(Int64(seconds * 1_000))) }
        }

        var clock: ReminderClock {
            ReminderClock(
                now: { self.state.withLock { $0.now } },
                monotonic: { .now + self.state.withLock { $0.ahead } },
                calendar: { self.state.withLock { $0.calendar } })
        }

        var reports: [String] { state.withLock { $0.reports } }
        var looks: Int { state.withLock { $0.looks } }
    }

    /// A timer that tests fire, as the system does at a time or when the clock is set.
    final class TestTimer: WallTimer, @unchecked Sendable {
        private let pipe: SystemPipe
        let wanted = Mutex<PointInTime?>(nil)
        /// The number of calls that set it.
        let sets = Mutex(0)
        /// Whether the next call finds that the clock was set.
        let isClockSet = Mutex(false)

        init() throws { pipe = try SystemPipe(isBlocking: false) }

        var descriptor: Int32 { pipe.reader }

        func set(_ time: PointInTime?) -> Bool {
            wanted.withLock { $0 = time }
            defer { sets.withLock { $0 += 1 } }
            return isClockSet.withLock { isSet in
                defer { isSet = false }
                return isSet
            }
        }

        func take() -> Bool {
            var byte: UInt8 = 0
            var isFired = false
            while unsafe read(pipe.reader, &byte, 1) == 1 { isFired = true }
            return isFired
        }

        func fire() { pipe.signal() }
    }

    /// A service in a thread of its own.
    final class RunningService {
        let source: TestSource
        let timer: TestTimer
        private let stop: SystemPipe
        private let ended = Monitor<(any Error)??>(nil)

        /// Starts it, with clocks and a timer of the test.
        init(
            _ source: TestSource, _ folder: String, on address: String? = nil,
            messages: (any InboxNotificationSource)? = nil
        ) throws {
            self.source = source
            timer = try TestTimer()
            stop = try SystemPipe()
            let timer = timer
            let descriptor = stop.reader
            let ended = ended
            let isStarted = DetachedThread.start {
                do {
                    try Self.run(source, folder, address, timer, descriptor, messages)
                    ended.update { $0 = .some(nil) }
                } catch {
                    ended.update { $0 = .some(error) }
                }
            }
            try #require(isStarted)
        }

        private static func run(
            _ source: TestSource, _ folder: String, _ address: String?, _ timer: TestTimer,
            _ stop: Int32, _ messages: (any InboxNotificationSource)?
        ) throws {
            var notes: AnnouncementLog?
            // Processes that other tests start hold all open files for a moment, with their locks.
            try eventually("the notes are free") {
                notes = try AnnouncementLog.open(in: folder + "/state")
                return notes != nil
            }
            let bus = try address.map { try SessionBus(address: $0) }
            try ReminderService(
                source, try #require(notes), on: bus, messages: messages,
                clock: source.clock, timer: timer
            ).run(until: stop)
        }

        /// Has it look at the tasks.
        func check() throws {
            let looks = source.looks
            timer.fire()
            try eventually("it looked") { source.looks > looks }
        }

        /// Ends it after a last look.
        func end() throws {
            try check()
            try endNow()
        }

        func endNow() throws {
            stop.signal()
            if let error = ended.wait(for: { $0 }) ?? nil { throw error }
        }

        /// Why it ended by itself.
        func failure() -> (any Error)? {
            ended.wait(until: .now + .seconds(120), for: { $0 }) ?? nil
        }

        /// Sets the clock to a time, as the system tells it.
        func setClock(_ time: PointInTime) {
            source.setClock(time)
            timer.fire()
        }

        func advance(_ seconds: Double) {
            source.advance(seconds)
            timer.fire()
        }
    }

    /// Runs `body` with a bus and a daemon that has its name.
    func withDesktop(_ body: (DesktopSession, String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let session = try DesktopSession(in: folder)
            try session.startDaemon()
            try session.tell("own")
            try body(session, folder)
            session.end()
        }
    }
#endif

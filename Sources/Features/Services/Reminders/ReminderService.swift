#if os(Linux)
    internal import Database
    package import Platform
    package import Tasks

    /// Announces reminders at their time until it is stopped. One thread waits for the bus, the
    /// clock and task changes.
    ///
    /// The thread does not poll as long as the system reports changes. Not thread-safe.
    package final class ReminderService {
        private let source: any ReminderSource
        private let engine: ReminderEngine
        private let clock: ReminderClock
        private let timer: any WallTimer
        private var watch: FileWatch?
        private var watchedPaths: [String] = []
        private var listener: PostgreSQLListener?
        private var server: PostgreSQLAddress?
        private var nextListen: MonotonicTime = .never
        private var listenPause: Duration = .zero
        /// The failure that ended the bus connection.
        private var busFailure: SystemFailure?
        private var firstCheck: MonotonicTime = .never
        private var secondCheck: MonotonicTime = .never

        /// The shortest time between two checks, because a program may change thousands of tasks
        /// one by one.
        private static let minimumInterval: Duration = .milliseconds(200)
        /// The delay of the second check after a file change. A commit becomes visible only after
        /// its sync, and a sync is no file change.
        private static let syncDelay: Duration = .seconds(2)
        /// The interval of checks if changes or the time cannot be watched.
        static let pollInterval: Duration = .seconds(60)

        /// Makes the watch of files. Tests replace it.
        var makeWatch: ([String]) throws -> FileWatch = { try FileWatch($0) }

        /// Makes a service.
        ///
        /// - Parameters:
        ///   - source: The settings and the tasks.
        ///   - log: The log of announcements.
        ///   - bus: The session bus; nil if there is none.
        ///   - messages: The source of inbox notifications; nil without a receiver.
        ///   - clock: The clocks.
        ///   - timer: The timer of the wall clock.
        /// - Throws: `SystemFailure`.
        package init(
            _ source: any ReminderSource, _ log: AnnouncementLog, on bus: SessionBus?,
            messages: (any InboxNotificationSource)? = nil,
            clock: ReminderClock = ReminderClock(), timer: (any WallTimer)? = nil
        ) throws {
            self.source = source
            self.clock = clock
            self.timer = try timer ?? SystemWallTimer()
            engine = ReminderEngine(source, log, clock)
            engine.daemon = try bus.map { try NotificationDaemon($0) }
            engine.messages = messages
        }

        /// Runs until a descriptor is readable. Commands that are running may finish.
        ///
        /// - Throws: `SystemFailure`: the bus connection has ended and no command is set, or the
        ///   system lacks a resource.
        package func run(until stop: Int32) throws {
            check()
            while true {
                let (isStopped, hasFired) = try wait(for: stop)
                if isStopped { break }
                engine.tick()
                try handleEvents()
                // Without a daemon, each new notification starts one attempt to reach it; other
                // events do not.
                if let new = engine.messages?.takeNotifications(), !new.isEmpty { engine.show(new) }
                if hasFired, timer.take() { firstCheck = clock.monotonic() }
                handleChanges()
                if min(firstCheck, secondCheck, engine.nextCheck) <= clock.monotonic() {
                    check()
                    try requireOutput()
                }
            }
            try finishCommands(stop)
        }

        private func wait(for stop: Int32) throws -> (isStopped: Bool, hasFired: Bool) {
            var requests = [stop, timer.descriptor, watch?.descriptor ?? -1]
                .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            for descriptor in [listener?.descriptor, engine.messages?.descriptor] {
                requests.append(pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0))
            }
            if let request = engine.daemon?.request { requests.append(request) }
            requests += engine.commands.requests
            let count = unsafe poll(
                &requests, nfds_t(requests.count), Self.timeout(until: deadline, clock))
            if count < 0, errno != EINTR { throw SystemFailure.last("poll") }
            return (
                count > 0 && requests[0].revents != 0, count > 0 && requests[1].revents != 0
            )
        }

        /// The latest time of the next action.
        var deadline: MonotonicTime {
            min(
                min(firstCheck, secondCheck, engine.nextCheck), engine.deadline, nextListen,
                engine.daemon?.deadline ?? .never)
        }

        static func timeout(until deadline: MonotonicTime, _ clock: ReminderClock) -> Int32 {
            if deadline == .never { return -1 }
            let left = max(0, deadline.nanoseconds - clock.monotonic().nanoseconds)
            // Round up. Otherwise the last millisecond would be a busy loop.
            return Int32(clamping: (left + 999_999) / 1_000_000)
        }

        /// Announces due reminders, and sets the timer for the next one.
        private func check() {
            engine.check()
            firstCheck = .never
            if secondCheck <= clock.monotonic() { secondCheck = .never }
            do {
                // The timer is also set without a reminder, because it reports when the clock is
                // set.
                if try timer.set(engine.next) { firstCheck = clock.monotonic() }
                engine.clearReport("timer")
            } catch {
                checkPeriodically("the timer cannot be set: " + error.explanation, once: "timer")
            }
            watchTasks()
        }

        private func checkPeriodically(_ reason: String, once key: String) {
            engine.report(reason + "; the tasks are read each minute", once: key)
            secondCheck = min(secondCheck, clock.monotonic() + Self.pollInterval)
        }

        private func handleEvents() throws {
            guard let daemon = engine.daemon else { return }
            do {
                for _ in 0..<64 {
                    guard let event = try daemon.next() else { break }
                    if try engine.handle(event) { firstCheck = clock.monotonic() }
                }
            } catch let failure as SystemFailure where failure.call.hasPrefix("sd_bus") {
                try engine.abandonDaemon()
                busFailure = failure
                try requireOutput()
                source.report("the session bus has ended")
            }
        }

        /// Throws the bus failure unless a command still announces the reminders.
        private func requireOutput() throws {
            if let busFailure, engine.settings?.command == nil { throw busFailure }
        }

        /// Watches the task storage that the settings name.
        private func watchTasks() {
            var paths = source.files
            if let messages = engine.messages {
                messages.reload()
                paths.append(messages.file)
            }
            switch engine.settings?.tasks {
            case .file(let path):
                paths += [path, path + "-wal"]
                listener = nil
                nextListen = .never
                server = nil
            case .server(let address):
                if address != server { listen(to: address) }
            case .memory, nil: break
            }
            guard paths != watchedPaths else { return }
            watchedPaths = []
            do {
                watch = nil
                watch = try makeWatch(paths)
                watchedPaths = paths
                engine.clearReport("watch")
                // A second check catches changes from before the watch.
                firstCheck = clock.monotonic()
            } catch {
                let failure = error as? SystemFailure
                let reason =
                    switch failure?.code {
                    case ENOSPC: "the limit fs.inotify.max_user_watches is reached"
                    case EMFILE: "the limit fs.inotify.max_user_instances is reached"
                    default: failure?.explanation ?? "\(error)"
                    }
                checkPeriodically("changes cannot be noticed: " + reason, once: "watch")
            }
        }

        private func listen(to address: PostgreSQLAddress) {
            if address != server { listenPause = .zero }
            server = address
            listener = nil
            do {
                listener = try PostgreSQLListener(to: address, channel: "taskvault_tasks")
                listenPause = .zero
                nextListen = .never
                firstCheck = clock.monotonic()
            } catch {
                if listenPause == .zero { source.report(error) }
                listenPause = min(max(listenPause * 2, .seconds(5)), Self.pollInterval)
                nextListen = clock.monotonic() + listenPause
            }
        }

        private func handleChanges() {
            do {
                if try watch?.readEvents() == true {
                    scheduleCheck()
                    secondCheck = clock.monotonic() + Self.syncDelay
                }
            } catch {
                // The next check makes a new watch.
                watch = nil
                watchedPaths = []
                scheduleCheck()
            }
            do {
                if try listener?.readNotifications() == true { scheduleCheck() }
            } catch {
                listener = nil
                nextListen = clock.monotonic()
            }
            if nextListen <= clock.monotonic(), case .server(let address)? = engine.settings?.tasks
            {
                listen(to: address)
            }
        }

        private func scheduleCheck() {
            firstCheck = min(firstCheck, clock.monotonic() + Self.minimumInterval)
        }

        /// Waits for running commands, which have a time limit. Another signal ends the wait.
        private func finishCommands(_ stop: Int32) throws {
            platform_agent_signals_take()
            while !engine.commands.isEmpty {
                var requests =
                    [pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
                    + engine.commands.requests
                let timeout = Self.timeout(until: engine.commands.deadline, clock)
                let count = unsafe poll(&requests, nfds_t(requests.count), timeout)
                if count > 0, requests[0].revents != 0 { return }
                engine.tick()
            }
        }
    }

    extension ReminderService {
        /// Announces the due reminders, and returns when that is complete.
        ///
        /// - Parameters:
        ///   - source: The settings and the tasks.
        ///   - log: The log of announcements.
        ///   - bus: The session bus; nil if there is none.
        ///   - clock: The clocks.
        ///   - isJSON: Whether to print the JSON object of `reminder-command`.
        ///   - print: Prints reminders that neither the desktop nor a command announces.
        /// - Throws: The error of `print`; an error of the task list.
        package static func announceOnce(
            _ source: any ReminderSource, _ log: AnnouncementLog, on bus: SessionBus?,
            clock: ReminderClock = ReminderClock(), asJSON isJSON: Bool = false,
            print: @escaping (_ text: String) throws -> Void
        ) throws {
            let engine = ReminderEngine(source, log, clock) { announcement, text in
                let lines = text.body.split(separator: "\n").map { "    " + $0 + "\n" }
                try print(
                    isJSON
                        ? ReminderCommand.input(announcement, text)
                        : text.title + "\n" + lines.joined())
            }
            engine.daemon = try? bus.map { try NotificationDaemon($0) }
            let end = clock.monotonic() + ReminderEngine.daemonTimeout
            try engine.checkOnce()
            while !engine.isIdle {
                if engine.daemon != nil, clock.monotonic() >= end {
                    try engine.abandonDaemon()
                    continue
                }
                var requests = engine.commands.requests
                if let request = engine.daemon?.request { requests.append(request) }
                let deadline = min(end, engine.daemon?.deadline ?? .never)
                let latest = engine.daemon == nil ? engine.deadline : min(deadline, engine.deadline)
                _ = unsafe poll(&requests, nfds_t(requests.count), timeout(until: latest, clock))
                engine.tick()
                do {
                    while let event = try engine.daemon?.next() {
                        if try engine.handle(event) { try engine.checkOnce() }
                    }
                } catch let failure as SystemFailure where failure.call.hasPrefix("sd_bus") {
                    try engine.abandonDaemon()
                }
            }
        }
    }

    /// A timer that fires at a wall-clock time, and when the clock is set.
    package protocol WallTimer: AnyObject {
        /// Becomes readable when the timer fires.
        var descriptor: Int32 { get }
        /// Sets the time. With nil the timer fires only when the clock is set.
        ///
        /// - Returns: Whether the clock was set since the last call.
        func set(_ time: PointInTime?) throws(SystemFailure) -> Bool
        /// Makes the descriptor unreadable again, and returns whether the timer has fired.
        func take() -> Bool
    }

    /// The timer of the system. The corresponding C functions are `timerfd_create` and
    /// `timerfd_settime`.
    final class SystemWallTimer: WallTimer {
        let descriptor: Int32
        /// 9999-12-31. The system has no timer for clock changes alone.
        private static let farthest: Int64 = 253_402_214_400_000

        init() throws {
            descriptor = platform_wall_timer()
            guard descriptor >= 0 else { throw SystemFailure.last("timerfd_create") }
        }

        deinit {
            close(descriptor)
        }

        func set(_ time: PointInTime?) throws(SystemFailure) -> Bool {
            let milliseconds = min(time?.milliseconds ?? Self.farthest, Self.farthest)
            if platform_wall_timer_set(descriptor, milliseconds) == 0 { return false }
            let failure = SystemFailure.last("timerfd_settime")
            // The timer is armed although the call fails: `ECANCELED` reports a clock change.
            guard failure.code == ECANCELED else { throw failure }
            return true
        }

        func take() -> Bool { platform_wall_timer_take(descriptor) }
    }
#endif

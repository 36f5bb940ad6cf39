#if os(Linux)
    internal import Database
    package import Platform
    package import Tasks

    /// Announces reminders at their time until it is stopped: one thread that waits for the bus, the clock and changes of the tasks.
    ///
    /// Nothing is asked again and again. Not thread-safe.
    package final class ReminderService {
        private let source: any ReminderSource
        private let engine: ReminderEngine
        private let clock: ReminderClock
        private let timer: any WallTimer
        private var watch: FileWatch?
        private var watched: [String] = []
        private var listener: PostgreSQLListener?
        private var server: PostgreSQLAddress?
        private var listenAgain: MonotonicTime = .never
        private var listenPause: Duration = .zero
        /// Why there is no bus any more.
        private var lostBus: SystemFailure?
        private var lookAgain: MonotonicTime = .never
        private var lookTwice: MonotonicTime = .never

        /// The shortest time between two looks at the tasks: a program may change thousands of them one by one.
        private static let breath: Duration = .milliseconds(200)
        /// When a changed file is looked at once more: a commit becomes visible after its sync, which is no change of the file.
        private static let sync: Duration = .seconds(2)
        /// When the tasks are looked at although nothing tells of changes, or of the time.
        static let blind: Duration = .seconds(60)

        /// Watches files; tests replace it.
        var makeWatch: ([String]) throws -> FileWatch = { try FileWatch($0) }

        /// Makes a service.
        ///
        /// - Parameters:
        ///   - source: Settings and tasks.
        ///   - notes: What was announced.
        ///   - bus: The session's bus, if there is one.
        ///   - messages: Where messages from others come from, if they are received.
        ///   - clock: The clocks.
        ///   - timer: Fires by the wall clock.
        /// - Throws: `SystemFailure`.
        package init(
            _ source: any ReminderSource, _ notes: ReminderNotes, on bus: SessionBus?,
            messages: (any MessageSource)? = nil,
            clock: ReminderClock = ReminderClock(), timer: (any WallTimer)? = nil
        ) throws {
            self.source = source
            self.clock = clock
            self.timer = try timer ?? SystemWallTimer()
            engine = ReminderEngine(source, notes, clock)
            engine.daemon = try bus.map { try NotificationDaemon($0) }
            engine.messages = messages
        }

        /// Runs until a descriptor is readable; commands that were started may still end.
        ///
        /// - Throws: `SystemFailure`: the bus is gone, and there is no command either; or the system lacks a resource.
        package func run(until stop: Int32) throws {
            look()
            while true {
                let (isStopped, hasFired) = try wait(for: stop)
                if isStopped { break }
                engine.tick()
                try takeEvents()
                // Without a daemon it is asked for once for each new notice, not at each event.
                if let new = engine.messages?.take(), !new.isEmpty { engine.show(new) }
                if hasFired, timer.take() { lookAgain = clock.monotonic() }
                takeChanges()
                if min(lookAgain, lookTwice, engine.nextLook) <= clock.monotonic() {
                    look()
                    try requireSomebody()
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

        /// When something is to be done even if nothing happens.
        var deadline: MonotonicTime {
            min(
                min(lookAgain, lookTwice, engine.nextLook), engine.deadline, listenAgain,
                engine.daemon?.deadline ?? .never)
        }

        static func timeout(until deadline: MonotonicTime, _ clock: ReminderClock) -> Int32 {
            if deadline == .never { return -1 }
            let left = max(0, deadline.nanoseconds - clock.monotonic().nanoseconds)
            // Rounded up, so that nothing is done in a loop for the last millisecond.
            return Int32(clamping: (left + 999_999) / 1_000_000)
        }

        /// Announces, and arms the timer for the next reminder.
        private func look() {
            engine.look()
            lookAgain = .never
            if lookTwice <= clock.monotonic() { lookTwice = .never }
            do {
                // Also without a reminder: the clock may be set to a time at which there is one.
                if try timer.set(engine.next) { lookAgain = clock.monotonic() }
                engine.worksAgain("timer")
            } catch {
                lookBlind("the timer cannot be set: " + error.explanation, once: "timer")
            }
            follow()
        }

        private func lookBlind(_ reason: String, once key: String) {
            engine.report(reason + "; the tasks are read each minute", once: key)
            lookTwice = min(lookTwice, clock.monotonic() + Self.blind)
        }

        private func takeEvents() throws {
            guard let daemon = engine.daemon else { return }
            do {
                for _ in 0..<64 {
                    guard let event = try daemon.next() else { break }
                    if try engine.take(event) { lookAgain = clock.monotonic() }
                }
            } catch let failure as SystemFailure where failure.call.hasPrefix("sd_bus") {
                try engine.loseDaemon()
                lostBus = failure
                try requireSomebody()
                source.report("the session bus has ended")
            }
        }

        /// Makes sure that a command announces what the desktop no longer does.
        private func requireSomebody() throws {
            if let lostBus, engine.settings?.command == nil { throw lostBus }
        }

        /// Watches the place where the settings say that the tasks are.
        private func follow() {
            var paths = source.files
            if let messages = engine.messages {
                messages.follow()
                paths.append(messages.file)
            }
            switch engine.settings?.tasks {
            case .file(let path):
                paths += [path, path + "-wal"]
                listener = nil
                listenAgain = .never
                server = nil
            case .server(let address):
                if address != server { listen(to: address) }
            case .memory, nil: break
            }
            guard paths != watched else { return }
            watched = []
            do {
                watch = nil
                watch = try makeWatch(paths)
                watched = paths
                engine.worksAgain("watch")
                // What changed before is seen by another look.
                lookAgain = clock.monotonic()
            } catch {
                let failure = error as? SystemFailure
                let reason =
                    switch failure?.code {
                    case ENOSPC: "the limit fs.inotify.max_user_watches is reached"
                    case EMFILE: "the limit fs.inotify.max_user_instances is reached"
                    default: failure?.explanation ?? "\(error)"
                    }
                lookBlind("changes cannot be noticed: " + reason, once: "watch")
            }
        }

        private func listen(to address: PostgreSQLAddress) {
            if address != server { listenPause = .zero }
            server = address
            listener = nil
            do {
                listener = try PostgreSQLListener(to: address, channel: "taskvault_tasks")
                listenPause = .zero
                listenAgain = .never
                lookAgain = clock.monotonic()
            } catch {
                if listenPause == .zero { source.report(error) }
                listenPause = min(max(listenPause * 2, .seconds(5)), Self.blind)
                listenAgain = clock.monotonic() + listenPause
            }
        }

        private func takeChanges() {
            do {
                if try watch?.take() == true {
                    lookSoon()
                    lookTwice = clock.monotonic() + Self.sync
                }
            } catch {
                // The look makes another one.
                watch = nil
                watched = []
                lookSoon()
            }
            do {
                if try listener?.take() == true { lookSoon() }
            } catch {
                listener = nil
                listenAgain = clock.monotonic()
            }
            if listenAgain <= clock.monotonic(), case .server(let address)? = engine.settings?.tasks
            {
                listen(to: address)
            }
        }

        private func lookSoon() {
            lookAgain = min(lookAgain, clock.monotonic() + Self.breath)
        }

        /// Waits for commands, which have a time limit; another signal ends this, too.
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
        /// Announces what is due now, and waits until that is done.
        ///
        /// - Parameters:
        ///   - source: Settings and tasks.
        ///   - notes: What was announced.
        ///   - bus: The session's bus, if there is one.
        ///   - clock: The clocks.
        ///   - isJSON: Whether to print the object that a command reads.
        ///   - print: Prints what neither the desktop nor a command can announce, in lines.
        /// - Throws: The error of `print`; why the tasks cannot be read.
        package static func announceOnce(
            _ source: any ReminderSource, _ notes: ReminderNotes, on bus: SessionBus?,
            clock: ReminderClock = ReminderClock(), asJSON isJSON: Bool = false,
            print: @escaping (_ text: String) throws -> Void
        ) throws {
            let engine = ReminderEngine(source, notes, clock) { announcement, text in
                let lines = text.body.split(separator: "\n").map { "    " + $0 + "\n" }
                try print(
                    isJSON
                        ? ReminderCommand.input(announcement, text)
                        : text.title + "\n" + lines.joined())
            }
            engine.daemon = try? bus.map { try NotificationDaemon($0) }
            let end = clock.monotonic() + ReminderEngine.patience
            try engine.lookOnce()
            while !engine.isIdle {
                if engine.daemon != nil, clock.monotonic() >= end {
                    try engine.loseDaemon()
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
                        if try engine.take(event) { try engine.lookOnce() }
                    }
                } catch let failure as SystemFailure where failure.call.hasPrefix("sd_bus") {
                    try engine.loseDaemon()
                }
            }
        }
    }

    /// Fires at a time of the wall clock, and when that is set.
    package protocol WallTimer: AnyObject {
        /// Readable after it has fired.
        var descriptor: Int32 { get }
        /// Sets the time; without one, only a set clock counts.
        ///
        /// - Returns: Whether the clock was set since the last call.
        func set(_ time: PointInTime?) throws(SystemFailure) -> Bool
        /// Makes the descriptor unreadable again. Returns whether it had fired.
        func take() -> Bool
    }

    /// The timer of the system. The corresponding C functions are `timerfd_create` and `timerfd_settime`.
    final class SystemWallTimer: WallTimer {
        let descriptor: Int32
        /// 9999-12-31, because the system has no timer for a set clock alone.
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
            // The timer is armed nevertheless.
            guard failure.code == ECANCELED else { throw failure }
            return true
        }

        func take() -> Bool { platform_wall_timer_take(descriptor) }
    }
#endif

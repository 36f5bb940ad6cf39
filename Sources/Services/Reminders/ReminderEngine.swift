#if os(Linux)
    internal import Platform
    internal import Tasks

    /// Announces due reminders, and does what the person answers. Waits for nothing; not thread-safe.
    ///
    /// A reminder is announced by the desktop's daemon and by the command of the settings. It is noted as announced when the command was
    /// started, or when the daemon answered: a program that is killed before announces it once more, and never less than once.
    final class ReminderEngine {
        private let source: any ReminderSource
        private let notes: ReminderNotes
        private let clock: ReminderClock
        /// Announces what neither daemon nor command can announce; nil keeps it for a daemon that appears later.
        private let fallback: ((Announcement) throws -> Void)?
        /// The daemon, while there is a bus.
        var daemon: NotificationDaemon?
        let commands = RunningCommands()

        /// The settings of the last look.
        private(set) var settings: ReminderSettings?
        /// When the next reminder fires.
        private(set) var next: PointInTime?
        /// When ``look()`` is to be called even if nothing happens.
        private(set) var nextLook: MonotonicTime = .never

        /// Announcements that the daemon has not answered.
        private var unanswered: [UInt64: (announcement: Announcement, since: MonotonicTime)] = [:]
        private var announcing: Set<ReminderKey> = []
        /// The reminders of notifications with actions.
        private var shown: [UInt32: DueReminder] = [:]
        private var tokens: UInt64 = 0
        /// The times of announcements in the last ``ReminderPlan/interval``.
        private var recent: [MonotonicTime] = []
        private var pause: Duration = .zero
        private var reported: Set<String> = []

        /// How long a daemon may take before that is reported.
        static let patience: Duration = .seconds(30)

        init(
            _ source: any ReminderSource, _ notes: ReminderNotes, _ clock: ReminderClock,
            fallback: ((Announcement) throws -> Void)? = nil
        ) {
            self.source = source
            self.notes = notes
            self.clock = clock
            self.fallback = fallback
        }

        /// Whether nothing is under way.
        var isIdle: Bool { unanswered.isEmpty && commands.isEmpty }

        /// When ``tick()`` is to be called at the latest.
        var deadline: MonotonicTime {
            min(
                commands.deadline,
                reported.contains("slow")
                    ? .never : unanswered.values.map { $0.since + Self.patience }.min() ?? .never)
        }

        /// Announces what is due. Failures are reported, and tried again later.
        func look() {
            nextLook = .never
            do {
                try lookOnce()
                pause = .zero
                reported.remove("look")
            } catch {
                if reported.insert("look").inserted { source.report(error) }
                pause = min(max(pause * 2, .seconds(1)), .seconds(600))
                nextLook = clock.monotonic() + pause
            }
        }

        /// Announces what is due.
        ///
        /// - Throws: Why the tasks cannot be read.
        func lookOnce() throws {
            let (due, now) = try read()
            try announce(due, at: now)
        }

        private func read() throws -> (due: [DueReminder], now: PointInTime) {
            let new = try source.settings()
            if new.command != settings?.command { reported.remove("command") }
            settings = new
            let now = clock.now()
            return try source.withList { list in
                next = try list.nextReminder(after: now)
                // As many as the notes hold.
                let found = try list.reminders(
                    after: now.advanced(by: .zero - ReminderPlan.oldest), through: now,
                    limit: ReminderNotes.most)
                let due = found.first.filter {
                    !notes.contains($0) && !announcing.contains(ReminderKey($0))
                }
                return (due, now)
            }
        }

        private func announce(_ due: [DueReminder], at now: PointInTime) throws {
            if due.isEmpty { return }
            let time = clock.monotonic()
            recent.removeAll { $0 + ReminderPlan.interval <= time }
            if recent.count >= ReminderPlan.most, let first = recent.first {
                nextLook = first + ReminderPlan.interval
                return
            }
            // The zone of the machine may have changed.
            let calendar = SystemCalendar()
            for announcement in ReminderPlan.announcements(of: due, at: now) {
                var notification = ReminderText.notification(of: announcement, in: calendar)
                // A program that ends at once hears of no action.
                if fallback != nil { notification.actions = [] }
                try announce(announcement, notification, at: time)
            }
        }

        private func announce(
            _ announcement: Announcement, _ notification: Notification, at time: MonotonicTime
        ) throws {
            let isHandled = try runCommand(announcement, notification, at: time)
            tokens += 1
            if let daemon {
                recent.append(time)
                if !isHandled {
                    announcing.formUnion(announcement.reminders.map { ReminderKey($0) })
                }
                unanswered[tokens] = (announcement, time)
                do {
                    try daemon.post(notification, token: tokens)
                } catch {
                    // Why the bus takes nothing, its next event tells.
                    let refused = NotificationDaemon.Event.failed(tokens, isMissing: false)
                    _ = try take(refused)
                }
            } else if isHandled {
                recent.append(time)
            } else if let fallback {
                try fallback(announcement)
                note(announcement)
            }
        }

        private func note(_ announcement: Announcement) {
            do {
                try notes.add(announcement.reminders)
                reported.remove("notes")
            } catch {
                guard reported.insert("notes").inserted else { return }
                let reason = (error as? SystemFailure)?.explanation ?? "\(error)"
                source.report("cannot note which reminders were announced: " + reason)
            }
        }

        /// - Returns: Whether the command was started. The reminders are then noted as announced.
        private func runCommand(
            _ announcement: Announcement, _ notification: Notification, at time: MonotonicTime
        ) throws -> Bool {
            guard let command = settings?.command else { return false }
            do {
                try commands.start(
                    command.words, input: ReminderCommand.input(announcement, notification),
                    at: time)
            } catch let failure as SystemFailure {
                reportCommand("cannot be run: " + failure.explanation)
                return false
            }
            note(announcement)
            return true
        }

        /// Takes leave of commands that have ended, and reports a daemon that does not answer.
        func tick() {
            let time = clock.monotonic()
            for failure in commands.collect(at: time) { reportCommand(failure) }
            if unanswered.values.contains(where: { $0.since + Self.patience <= time }),
                reported.insert("slow").inserted
            {
                source.report("the notification daemon does not answer")
            }
        }

        private func reportCommand(_ failure: String) {
            guard reported.insert("command").inserted else { return }
            source.report(
                "reminder-command \(failure); further failures are not reported")
        }

        /// Takes an event of the daemon.
        ///
        /// - Returns: Whether ``look()`` is to be called.
        func take(_ event: NotificationDaemon.Event) throws -> Bool {
            switch event {
            case .appeared:
                shown = [:]
                recent = []
                reported.remove("slow")
                return true
            case .shown(let token, let id):
                guard let announcement = answered(token) else { return false }
                if let reminder = announcement.single { remember(reminder, as: id) }
                if !announcement.reminders.allSatisfy({ notes.contains($0) }) { note(announcement) }
                return false
            case .failed(let token, let isMissing):
                guard let announcement = answered(token) else { return false }
                try takeFailure(of: announcement, isMissing: isMissing)
                return false
            case .action(let key, let id):
                guard let reminder = shown[id] else { return false }
                act(key, on: reminder)
                return true
            case .closed(let id):
                shown[id] = nil
                return false
            }
        }

        /// Gives up the daemon: what it did not answer is announced in another way, or later.
        func loseDaemon() throws {
            daemon = nil
            shown = [:]
            for token in unanswered.keys.sorted() {
                if let announcement = answered(token) {
                    try takeFailure(of: announcement, isMissing: true)
                }
            }
        }

        private func answered(_ token: UInt64) -> Announcement? {
            guard let (announcement, _) = unanswered.removeValue(forKey: token) else { return nil }
            announcing.subtract(announcement.reminders.map { ReminderKey($0) })
            return announcement
        }

        private func takeFailure(of announcement: Announcement, isMissing: Bool) throws {
            guard !announcement.reminders.allSatisfy({ notes.contains($0) }) else { return }
            if let fallback {
                try fallback(announcement)
                note(announcement)
            } else if let daemon, !isMissing {
                // It refused, or it ended and the bus may start it again. A missing one announces itself.
                let pause: Duration = daemon.isRunning ? ReminderPlan.interval : .seconds(1)
                nextLook = min(nextLook, clock.monotonic() + pause)
            }
        }

        private func remember(_ reminder: DueReminder, as id: UInt32) {
            // A daemon that never says that a notification is gone must not cost memory.
            if shown.count >= 1_000 { shown = [:] }
            shown[id] = reminder
        }

        /// Does what the person chose. A failure is shown, too.
        private func act(_ key: String, on reminder: DueReminder) {
            do {
                let isDone = try source.withList { list in
                    switch key {
                    case "done": return try list.finish(reminder)
                    case "later":
                        let time = clock.now().advanced(by: settings?.snooze ?? .zero)
                        return try list.snooze(reminder, until: time)
                    default:
                        let text = reminder.isProtected ? nil : try list.text(of: reminder.task)
                        if text == nil, !reminder.isProtected { return false }
                        post(ReminderText.show(reminder, text))
                        return true
                    }
                }
                if !isDone {
                    post(
                        Notification(
                            title: ReminderText.title(of: reminder),
                            body: "it was changed meanwhile; nothing was done"))
                }
            } catch {
                source.report(error)
                post(
                    Notification(
                        title: ReminderText.title(of: reminder),
                        body: "the to-do list cannot be changed now",
                        hint: ReminderText.commandToFinish(reminder)))
            }
        }

        /// Shows a notification whose answer does not matter.
        private func post(_ notification: Notification) {
            tokens += 1
            try? daemon?.post(notification, token: tokens)
        }
    }
#endif

#if os(Linux)
    internal import Platform
    internal import Tasks

    /// Announces due reminders, and does what the person answers. Waits for nothing; not thread-safe.
    ///
    /// A reminder is announced by the desktop's daemon and by the command of the settings. A try is noted before, and the announcement when the
    /// command was started, or when the daemon answered: a program that is killed between announces it once more, and no third time.
    final class ReminderEngine {
        private struct Unanswered {
            let announcement: Announcement
            /// Those that only the daemon announces.
            let tried: [ReminderPlace]
            let since: MonotonicTime
        }

        private let source: any ReminderSource
        private let notes: ReminderNotes
        private let clock: ReminderClock
        /// Announces what neither daemon nor command can announce; nil keeps it for a daemon that appears later.
        private let fallback: ((Announcement, Notification) throws -> Void)?
        /// The daemon, while there is a bus.
        var daemon: NotificationDaemon?
        let commands = RunningCommands()

        /// The settings of the last look.
        private(set) var settings: ReminderSettings?
        /// When the next reminder fires.
        private(set) var next: PointInTime?
        /// When ``look()`` is to be called even if nothing happens.
        private(set) var nextLook: MonotonicTime = .never

        /// Since when the daemon is asked for its capabilities.
        private var asked: MonotonicTime?
        /// What the command has announced meanwhile, and the daemon has not.
        private var owed: Set<ReminderPlace> = []
        /// Announcements that the daemon has not answered.
        private var unanswered: [UInt64: Unanswered] = [:]
        private var announcing: Set<ReminderPlace> = []
        /// The reminders of notifications with actions. No name: the task may be protected meanwhile.
        private var shown: [UInt32: (place: ReminderPlace, isProtected: Bool)] = [:]
        /// The public tasks of which other notifications have text: of *Show*, and of summaries.
        private var texts: [UInt32: [TaskID]] = [:]
        /// Those of *Show* that the daemon has not answered.
        private var showing: [UInt64: TaskID] = [:]
        private var tokens: UInt64 = 0
        /// Where messages come from, if they are received.
        var messages: (any MessageSource)?
        /// Notices that wait for a daemon, those that it has not answered, and the messages of shown ones.
        private var notices: [MessageNotice] = []
        private var unansweredNotices: [UInt64: MessageNotice] = [:]
        private var shownMessages: [UInt32: String] = [:]
        /// The notification of how many there are.
        private var shownCount: UInt32?
        /// The times of announcements in the last ``ReminderPlan/interval``.
        private var recent: [MonotonicTime] = []
        private var lastLook = MonotonicTime(nanoseconds: 0)
        private var pause: Duration = .zero
        /// The pause after the daemon refused.
        private var refusal: Duration = .zero
        private var reported: Set<String> = []

        /// The largest number of notices that wait for a daemon.
        private static let mostNotices = 100

        /// How long a daemon may take before that is reported.
        static let patience: Duration = .seconds(30)

        init(
            _ source: any ReminderSource, _ notes: ReminderNotes, _ clock: ReminderClock,
            fallback: ((Announcement, Notification) throws -> Void)? = nil
        ) {
            self.source = source
            self.notes = notes
            self.clock = clock
            self.fallback = fallback
        }

        /// Whether nothing is under way.
        var isIdle: Bool { asked == nil && unanswered.isEmpty && commands.isEmpty }

        /// Since when the daemon has not answered.
        private var silence: MonotonicTime? {
            (unanswered.values.map(\.since) + [asked].compactMap(\.self)).min()
        }

        /// When ``tick()`` is to be called at the latest.
        var deadline: MonotonicTime {
            let isReported = reported.contains("slow")
            return min(
                commands.deadline,
                isReported ? .never : silence.map { $0 + Self.patience } ?? .never)
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
                // A time in the past would fire again at once.
                if let time = next, time <= clock.now() { next = nil }
                pause = min(max(pause * 2, .seconds(1)), ReminderPlan.interval)
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
            lastLook = clock.monotonic()
            let now = clock.now()
            return try source.withList { list in
                next = try list.nextReminder(after: now)
                try closeOld(list)
                recent.removeAll { $0 + ReminderPlan.interval <= lastLook }
                if recent.count >= ReminderPlan.most, let first = recent.first {
                    nextLook = first + ReminderPlan.interval
                    return ([], now)
                }
                let due = try list.reminders(
                    after: now.advanced(by: .zero - ReminderPlan.oldest), through: now
                ) {
                    !announcing.contains($0) && (!notes.contains($0) || owed.contains($0))
                }
                return (due, now)
            }
        }

        /// Closes notifications of reminders that are done or off, or whose tasks were protected.
        private func closeOld(_ list: any ReminderList) throws {
            let present = Dictionary(
                try list.reminders(at: shown.values.map(\.place)).map { ($0.place, $0.isProtected) }
            ) { $1 }
            for (id, old) in shown
            where present[old.place].map({ $0 && !old.isProtected }) ?? true {
                shown[id] = nil
                try? daemon?.close(id)
            }
            for (id, tasks) in texts
            where try tasks.contains(where: { try list.task($0)?.isProtected ?? true }) {
                texts[id] = nil
                try? daemon?.close(id)
            }
        }

        private func announce(_ due: [DueReminder], at now: PointInTime) throws {
            if due.isEmpty { return }
            let time = clock.monotonic()
            let new = due.filter { !notes.contains($0.place) }
            try runCommand(for: new, at: now, time)
            if let daemon, daemon.isReady {
                try post(due, at: now, time)
            } else if let daemon {
                // Texts are made when it answers: a task may be protected until then.
                owed.formUnion(new.map(\.place).filter { notes.contains($0) })
                asked = asked ?? time
                do {
                    try daemon.prepare()
                } catch {
                    _ = try take(.missing)
                }
            } else if fallback != nil {
                let left = new.filter { !notes.contains($0.place) }
                try noteTry(of: left.map(\.place), at: now)
                for (announcement, text) in texts(of: left, now) {
                    try fallback?(announcement, text)
                    note(announcement)
                }
            }
        }

        private func texts(
            of due: [DueReminder], _ now: PointInTime
        ) -> [(Announcement, Notification)] {
            // The zone of the machine may have changed.
            let calendar = clock.calendar()
            return ReminderPlan.announcements(of: due, at: now).map { announcement in
                var notification = ReminderText.notification(of: announcement, in: calendar)
                // A program that ends at once hears of no action.
                if fallback != nil { notification.actions = [] }
                return (announcement, notification)
            }
        }

        private func post(_ due: [DueReminder], at now: PointInTime, _ time: MonotonicTime) throws {
            owed = []
            let posts = texts(of: due, now).map { announcement, notification in
                let tried = announcement.places.filter { !notes.contains($0) }
                return (
                    Unanswered(announcement: announcement, tried: tried, since: time), notification
                )
            }
            for (post, _) in posts where !post.tried.isEmpty { count(post.announcement, time) }
            // Before the first is sent: a daemon that shows everything and answers nothing must not do so after each start.
            try noteTry(of: posts.flatMap(\.0.tried), at: now)
            for (post, notification) in posts {
                // Given up meanwhile: the rest was announced in another way.
                guard let daemon else { return }
                tokens += 1
                unanswered[tokens] = post
                announcing.formUnion(post.announcement.places)
                do {
                    try daemon.post(notification, token: tokens)
                } catch {
                    // Why the bus takes nothing, its next event tells.
                    _ = try take(.failed(tokens, isCertain: true))
                }
            }
        }

        /// Counts an announcement. A summary counts as several, or many reminders in one minute would make many summaries.
        private func count(_ announcement: Announcement, _ time: MonotonicTime) {
            let number = min(announcement.reminders.count, ReminderPlan.few)
            recent += Array(repeating: time, count: number)
        }

        /// Notes that reminders are about to be announced. `remind --once` then fails if it cannot: a timer would announce them each minute.
        private func noteTry(of places: [ReminderPlace], at now: PointInTime) throws {
            if fallback == nil { return keep { try notes.addTry(places, at: now) } }
            try notes.addTry(places, at: now)
        }

        private func note(_ announcement: Announcement) {
            keep { try notes.add(announcement.places, at: clock.now()) }
        }

        private func keep(_ write: () throws -> Void) {
            do {
                try write()
                reported.remove("notes")
            } catch {
                let reason = (error as? SystemFailure)?.explanation ?? "\(error)"
                report("cannot note which reminders were announced: " + reason, once: "notes")
            }
        }

        /// Reports something that may last, once until ``worksAgain(_:)``.
        func report(_ line: String, once key: String) {
            if reported.insert(key).inserted { source.report(line) }
        }

        func worksAgain(_ key: String) { reported.remove(key) }

        /// Runs the command for each announcement. What was started is noted as announced.
        private func runCommand(
            for due: [DueReminder], at now: PointInTime, _ time: MonotonicTime
        ) throws {
            guard let command = settings?.command, !due.isEmpty else { return }
            for (announcement, notification) in texts(of: due, now) {
                try noteTry(of: announcement.places, at: now)
                do {
                    try commands.start(
                        command.words, input: ReminderCommand.input(announcement, notification),
                        at: time)
                    count(announcement, time)
                    note(announcement)
                } catch let failure as SystemFailure {
                    keep { try notes.remove(announcement.places, at: now) }
                    reportCommand("cannot be run: " + failure.explanation)
                }
            }
        }

        /// Takes leave of commands that have ended, and reports a daemon that does not answer.
        func tick() {
            let time = clock.monotonic()
            for failure in commands.collect(at: time) { reportCommand(failure) }
            if let silence, silence + Self.patience <= time {
                report("the notification daemon does not answer", once: "slow")
            }
        }

        private func reportCommand(_ failure: String) {
            report(
                "reminder-command \(failure); further failures are not reported", once: "command")
        }

        /// Shows notices, as soon as there is a daemon.
        func show(_ new: [MessageNotice]) {
            notices = Array((notices + new).suffix(Self.mostNotices))
            guard let daemon, !notices.isEmpty else { return }
            guard daemon.isReady else {
                // Why the bus takes nothing, its next event tells.
                try? daemon.prepare()
                return
            }
            for notice in notices {
                if notice.subject == .count, let old = shownCount {
                    shownCount = nil
                    try? daemon.close(old)
                }
                tokens += 1
                unansweredNotices[tokens] = notice
                try? daemon.post(notice.notification, token: tokens)
            }
            notices = []
        }

        /// Takes an event that is about a notice.
        ///
        /// - Returns: Whether it was.
        private func takeNotice(_ event: NotificationDaemon.Event) -> Bool {
            switch event {
            case .shown(let token, let id):
                guard let notice = unansweredNotices.removeValue(forKey: token) else {
                    return false
                }
                if shownMessages.count >= 1_000 { shownMessages = [:] }
                switch notice.subject {
                case .message(let message): shownMessages[id] = message
                case .count:
                    if let old = shownCount { try? daemon?.close(old) }
                    shownCount = id
                case .answer: break
                }
                return true
            case .failed(let token, _):
                return unansweredNotices.removeValue(forKey: token) != nil
            case .action(let key, let id):
                guard let message = shownMessages[id] else { return false }
                if let choice = MessageChoice(rawValue: key),
                    let answer = messages?.act(choice, on: message)
                {
                    show([answer])
                }
                return true
            case .closed(let id):
                if shownCount == id { shownCount = nil }
                return shownMessages.removeValue(forKey: id) != nil
            case .appeared, .ready, .missing: return false
            }
        }

        /// Takes an event of the daemon.
        ///
        /// - Returns: Whether ``look()`` is to be called.
        func take(_ event: NotificationDaemon.Event) throws -> Bool {
            if takeNotice(event) { return false }
            switch event {
            case .appeared:
                // Also one that replaces another, which may never answer.
                forgetDaemon()
                recent = []
                reported.remove("slow")
                show([])
                return true
            case .ready:
                asked = nil
                show([])
                return true
            case .missing:
                asked = nil
                owed = []
                // One that appears later tells it.
                if fallback != nil {
                    try loseDaemon()
                } else if daemon?.isRunning == true {
                    lookAfterRefusal()
                }
                return false
            case .shown(let token, let id):
                refusal = .zero
                reported.remove("refused")
                if let task = showing.removeValue(forKey: token) {
                    keepText(of: [task], as: id)
                    // It may have been protected meanwhile.
                    return true
                }
                guard let post = answered(token) else { return false }
                if let reminder = post.announcement.single {
                    remember(reminder, as: id)
                } else {
                    let named = post.announcement.reminders.prefix(ReminderPlan.few)
                    keepText(of: named.filter { !$0.isProtected }.map(\.task), as: id)
                }
                if !post.tried.allSatisfy({ notes.contains($0) }) { note(post.announcement) }
                // That look did not know this notification, which may be one to close.
                return lastLook > post.since
            case .failed(let token, let isCertain):
                showing[token] = nil
                guard let post = answered(token) else { return false }
                // One that ended may have shown it: that try counts.
                if isCertain { keep { try notes.remove(post.tried, at: clock.now()) } }
                if fallback != nil {
                    try loseDaemon()
                } else if !post.tried.isEmpty {
                    lookAfterRefusal()
                }
                return false
            case .action(let key, let id):
                guard let (place, isProtected) = shown[id] else { return false }
                act(key, on: place, isProtected: isProtected)
                return true
            case .closed(let id):
                shown[id] = nil
                texts[id] = nil
                return false
            }
        }

        /// Gives up the daemon. `remind --once` announces in another way what it did not answer.
        func loseDaemon() throws {
            daemon = nil
            owed = []
            forgetDaemon()
            if fallback != nil { try lookOnce() }
        }

        private func forgetDaemon() {
            // A daemon that ended may have shown them, and keeps none.
            notices = unansweredNotices.sorted { $0.key < $1.key }.map(\.value) + notices
            unansweredNotices = [:]
            shownMessages = [:]
            shownCount = nil
            shown = [:]
            texts = [:]
            showing = [:]
            asked = nil
            for token in unanswered.keys { _ = answered(token) }
        }

        private func answered(_ token: UInt64) -> Unanswered? {
            guard let post = unanswered.removeValue(forKey: token) else { return nil }
            announcing.subtract(post.announcement.places)
            return post
        }

        /// Tries again later what a running daemon refused, or what one that ended did not answer: the bus may start it again.
        private func lookAfterRefusal() {
            let isRunning = daemon?.isRunning == true
            if isRunning {
                report("the notification daemon refuses notifications", once: "refused")
            }
            refusal = min(max(refusal * 2, .seconds(1)), ReminderPlan.interval)
            nextLook = min(nextLook, clock.monotonic() + refusal)
        }

        private func keepText(of tasks: [TaskID], as id: UInt32) {
            if tasks.isEmpty { return }
            if texts.count >= 1_000 { texts = [:] }
            texts[id] = tasks
        }

        private func remember(_ reminder: DueReminder, as id: UInt32) {
            // A daemon that never says that a notification is gone must not cost memory.
            if shown.count >= 1_000 { shown = [:] }
            shown[id] = (reminder.place, reminder.isProtected)
        }

        /// Does what the person chose. A failure is shown, too. Titles are those of the present task.
        private func act(_ key: String, on place: ReminderPlace, isProtected: Bool) {
            do {
                try source.withList { list in
                    switch key {
                    case "done":
                        if try list.finish(place) { return }
                    case "later":
                        let time = clock.now().advanced(by: settings?.snooze ?? .zero)
                        if try list.snooze(place, until: time) { return }
                    default:
                        if let task = try list.task(place.task) {
                            if source.open(task.id) { return }
                            post(ReminderText.show(task))
                            if !task.isProtected { showing[tokens] = task.id }
                            return
                        }
                    }
                    post(
                        Notification(
                            title: ReminderText.title(of: place.task, try list.task(place.task)),
                            body: "it was changed meanwhile; nothing was done"))
                }
            } catch {
                source.report(error)
                post(
                    Notification(
                        title: ReminderText.title(of: place.task, nil),
                        body: "the to-do list cannot be changed now",
                        hint: ReminderText.commandToFinish(place, isProtected: isProtected)))
            }
        }

        /// Shows a notification whose answer does not matter.
        private func post(_ notification: Notification) {
            tokens += 1
            try? daemon?.post(notification, token: tokens)
        }
    }
#endif

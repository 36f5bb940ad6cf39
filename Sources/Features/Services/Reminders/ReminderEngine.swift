#if os(Linux)
    internal import Platform
    internal import Tasks

    /// Announces due reminders, and performs the actions of their notifications. Never blocks; not
    /// thread-safe.
    ///
    /// The desktop's daemon and the command of the settings announce a reminder. The log gets an
    /// attempt before each announcement. It gets the announcement when the command has started or
    /// the daemon has replied. A program killed in between announces the reminder once more, but
    /// not a third time.
    final class ReminderEngine {
        private struct PendingPost {
            let announcement: Announcement
            /// The reminders that were not announced before this post.
            let attempts: [ReminderPlace]
            let since: MonotonicTime
        }

        private let source: any ReminderSource
        private let log: AnnouncementLog
        private let clock: ReminderClock
        /// Prints the reminders that neither daemon nor command can announce. If nil, they wait for
        /// a daemon that starts later.
        private let fallback: ((Announcement, Notification) throws -> Void)?
        /// The client of the daemon; nil without a bus.
        var daemon: NotificationDaemon?
        let commands = CommandProcesses()

        /// The settings of the last check.
        private(set) var settings: ReminderSettings?
        /// The time of the next reminder.
        private(set) var next: PointInTime?
        /// The latest time of the next ``check()``.
        private(set) var nextCheck: MonotonicTime = .never

        /// When the pending query of the capabilities was sent.
        private var capabilityQuery: MonotonicTime?
        /// Reminders that the command has announced, and the daemon has not.
        private var daemonBacklog: Set<ReminderPlace> = []
        /// Notifications whose reply from the daemon is missing, by token.
        private var pendingPosts: [UInt64: PendingPost] = [:]
        private var pendingPlaces: Set<ReminderPlace> = []
        /// The reminders of shown notifications with actions. No name is kept, because the task may
        /// become protected.
        private var reminderNotifications: [UInt32: (place: ReminderPlace, isProtected: Bool)] = [:]
        /// The public tasks whose text other notifications show: details, and summaries.
        private var textNotifications: [UInt32: [TaskID]] = [:]
        /// The tasks of details whose reply from the daemon is missing, by token.
        private var pendingTexts: [UInt64: TaskID] = [:]
        private var tokens: UInt64 = 0
        /// The source of inbox notifications, if messages are received.
        var messages: (any InboxNotificationSource)?
        /// Inbox notifications that wait for a daemon.
        private var inboxQueue: [InboxNotification] = []
        private var pendingInboxPosts: [UInt64: InboxNotification] = [:]
        private var messageNotifications: [UInt32: String] = [:]
        /// The notification with the number of new messages.
        private var countNotification: UInt32?
        /// The times of the announcements within the last ``ReminderPlan/interval``.
        private var recentAnnouncements: [MonotonicTime] = []
        private var lastCheck = MonotonicTime(nanoseconds: 0)
        private var pause: Duration = .zero
        /// The pause after the daemon refused a notification.
        private var refusalPause: Duration = .zero
        private var reportedKeys: Set<String> = []

        /// The maximum number of inbox notifications that wait for a daemon.
        private static let maximumQueueLength = 100

        /// How long a daemon may take to reply before the delay is reported.
        static let daemonTimeout: Duration = .seconds(30)

        init(
            _ source: any ReminderSource, _ log: AnnouncementLog, _ clock: ReminderClock,
            fallback: ((Announcement, Notification) throws -> Void)? = nil
        ) {
            self.source = source
            self.log = log
            self.clock = clock
            self.fallback = fallback
        }

        /// Whether no query, notification or command is pending.
        var isIdle: Bool { capabilityQuery == nil && pendingPosts.isEmpty && commands.isEmpty }

        /// The send time of the oldest request that the daemon has not answered.
        private var silence: MonotonicTime? {
            (pendingPosts.values.map(\.since) + [capabilityQuery].compactMap(\.self)).min()
        }

        /// The latest time at which to call ``tick()``.
        var deadline: MonotonicTime {
            let isReported = reportedKeys.contains("slow")
            return min(
                commands.deadline,
                isReported ? .never : silence.map { $0 + Self.daemonTimeout } ?? .never)
        }

        /// Announces the due reminders. A failure is reported, and the check repeated later.
        func check() {
            nextCheck = .never
            do {
                try checkOnce()
                pause = .zero
                reportedKeys.remove("check")
            } catch {
                if reportedKeys.insert("check").inserted { source.report(error) }
                // A time in the past would trigger the next check immediately.
                if let time = next, time <= clock.now() { next = nil }
                pause = min(max(pause * 2, .seconds(1)), ReminderPlan.interval)
                nextCheck = clock.monotonic() + pause
            }
        }

        /// Announces the due reminders.
        ///
        /// - Throws: An error of the task list.
        func checkOnce() throws {
            let (due, now) = try read()
            try announce(due, at: now)
        }

        private func read() throws -> (due: [DueReminder], now: PointInTime) {
            let new = try source.settings()
            if new.command != settings?.command { reportedKeys.remove("command") }
            settings = new
            lastCheck = clock.monotonic()
            let now = clock.now()
            return try source.withList { list in
                next = try list.nextReminder(after: now)
                try closeOld(list)
                recentAnnouncements.removeAll { $0 + ReminderPlan.interval <= lastCheck }
                if recentAnnouncements.count >= ReminderPlan.maximumAnnouncements,
                    let first = recentAnnouncements.first
                {
                    nextCheck = first + ReminderPlan.interval
                    return ([], now)
                }
                let due = try list.reminders(after: log.start(at: now), through: now) {
                    !pendingPlaces.contains($0) && (!log.contains($0) || daemonBacklog.contains($0))
                }
                if due.isEmpty, pendingPlaces.isEmpty { writeLog { try log.addCheck(at: now) } }
                return (due, now)
            }
        }

        /// Closes the notifications of reminders that are done, switched off, or newly protected.
        private func closeOld(_ list: any ReminderList) throws {
            let present = Dictionary(
                try list.reminders(at: reminderNotifications.values.map(\.place)).map {
                    ($0.place, $0.isProtected)
                }
            ) { $1 }
            for (id, old) in reminderNotifications
            where present[old.place].map({ $0 && !old.isProtected }) ?? true {
                reminderNotifications[id] = nil
                try? daemon?.close(id)
            }
            for (id, tasks) in textNotifications
            where try tasks.contains(where: { try list.task($0)?.isProtected ?? true }) {
                textNotifications[id] = nil
                try? daemon?.close(id)
            }
        }

        private func announce(_ due: [DueReminder], at now: PointInTime) throws {
            if due.isEmpty { return }
            let time = clock.monotonic()
            let new = due.filter { !log.contains($0.place) }
            try runCommand(for: new, at: now, time)
            if let daemon, daemon.isReady {
                try post(due, at: now, time)
            } else if let daemon {
                // The text is made after the daemon's reply, because a task may become protected
                // until then.
                daemonBacklog.formUnion(new.map(\.place).filter { log.contains($0) })
                capabilityQuery = capabilityQuery ?? time
                do {
                    try daemon.prepare()
                } catch {
                    _ = try handle(.missing)
                }
            } else if fallback != nil {
                let left = new.filter { !log.contains($0.place) }
                try logAttempt(of: left.map(\.place), at: now)
                for (announcement, text) in texts(of: left, now) {
                    try fallback?(announcement, text)
                    logAnnouncement(announcement)
                }
            }
        }

        private func texts(
            of due: [DueReminder], _ now: PointInTime
        ) -> [(Announcement, Notification)] {
            // The machine's time zone may have changed.
            let calendar = clock.calendar()
            return ReminderPlan.announcements(of: due, at: now).map { announcement in
                var notification = ReminderText.notification(of: announcement, in: calendar)
                // The program ends after this check, so it cannot receive actions.
                if fallback != nil { notification.actions = [] }
                return (announcement, notification)
            }
        }

        private func post(_ due: [DueReminder], at now: PointInTime, _ time: MonotonicTime) throws {
            daemonBacklog = []
            let posts = texts(of: due, now).map { announcement, notification in
                let attempts = announcement.places.filter { !log.contains($0) }
                return (
                    PendingPost(announcement: announcement, attempts: attempts, since: time),
                    notification
                )
            }
            for (post, _) in posts where !post.attempts.isEmpty { count(post.announcement, time) }
            // Log the attempts first. A daemon that shows notifications and never replies must not
            // repeat them after each start.
            try logAttempt(of: posts.flatMap(\.0.attempts), at: now)
            for (post, notification) in posts {
                // The daemon was abandoned in an earlier iteration, and the fallback announced the
                // rest.
                guard let daemon else { return }
                tokens += 1
                pendingPosts[tokens] = post
                pendingPlaces.formUnion(post.announcement.places)
                do {
                    try daemon.post(notification, token: tokens)
                } catch {
                    // The next bus event reports the reason.
                    _ = try handle(.failed(tokens, isCertain: true))
                }
            }
        }

        /// Counts an announcement. A summary counts as several; otherwise many reminders in one
        /// minute would make many summaries.
        private func count(_ announcement: Announcement, _ time: MonotonicTime) {
            let number = min(announcement.reminders.count, ReminderPlan.summaryThreshold)
            recentAnnouncements += Array(repeating: time, count: number)
        }

        /// Logs an attempt. `remind --once` fails without the log: a timer would otherwise announce
        /// the reminders every minute.
        private func logAttempt(of places: [ReminderPlace], at now: PointInTime) throws {
            if fallback == nil { return writeLog { try log.addAttempt(places, at: now) } }
            try log.addAttempt(places, at: now)
        }

        private func logAnnouncement(_ announcement: Announcement) {
            writeLog { try log.add(announcement.places, at: clock.now()) }
        }

        private func writeLog(_ write: () throws -> Void) {
            do {
                try write()
                reportedKeys.remove("log")
            } catch {
                let reason = (error as? SystemFailure)?.explanation ?? "\(error)"
                report("cannot log announced reminders: " + reason, once: "log")
            }
        }

        /// Reports a lasting problem once, until ``clearReport(_:)``.
        func report(_ line: String, once key: String) {
            if reportedKeys.insert(key).inserted { source.report(line) }
        }

        func clearReport(_ key: String) { reportedKeys.remove(key) }

        /// Runs the command for each announcement. A started command counts as an announcement.
        private func runCommand(
            for due: [DueReminder], at now: PointInTime, _ time: MonotonicTime
        ) throws {
            guard let command = settings?.command, !due.isEmpty else { return }
            for (announcement, notification) in texts(of: due, now) {
                try logAttempt(of: announcement.places, at: now)
                do {
                    try commands.start(
                        command.arguments, input: ReminderCommand.input(announcement, notification),
                        at: time)
                    count(announcement, time)
                    logAnnouncement(announcement)
                } catch let failure as SystemFailure {
                    writeLog { try log.remove(announcement.places, at: now) }
                    reportCommand("cannot be run: " + failure.explanation)
                }
            }
        }

        /// Reaps finished commands, and reports a daemon that does not reply.
        func tick() {
            let time = clock.monotonic()
            for failure in commands.reap(at: time) { reportCommand(failure) }
            if let silence, silence + Self.daemonTimeout <= time {
                report("the notification daemon does not answer", once: "slow")
            }
        }

        private func reportCommand(_ failure: String) {
            report(
                "reminder-command \(failure); further failures are not reported", once: "command")
        }

        /// Shows inbox notifications, or keeps them until a daemon is ready.
        func show(_ new: [InboxNotification]) {
            inboxQueue = Array((inboxQueue + new).suffix(Self.maximumQueueLength))
            guard let daemon, !inboxQueue.isEmpty else { return }
            guard daemon.isReady else {
                // The next bus event reports the reason.
                try? daemon.prepare()
                return
            }
            for notice in inboxQueue {
                if notice.subject == .count, let old = countNotification {
                    countNotification = nil
                    try? daemon.close(old)
                }
                tokens += 1
                pendingInboxPosts[tokens] = notice
                try? daemon.post(notice.notification, token: tokens)
            }
            inboxQueue = []
        }

        /// Handles an event of an inbox notification.
        ///
        /// - Returns: Whether the event belongs to one.
        private func handleInboxEvent(_ event: NotificationDaemon.Event) -> Bool {
            switch event {
            case .shown(let token, let id):
                guard let notice = pendingInboxPosts.removeValue(forKey: token) else {
                    return false
                }
                if messageNotifications.count >= 1_000 { messageNotifications = [:] }
                switch notice.subject {
                case .message(let message): messageNotifications[id] = message
                case .count:
                    if let old = countNotification { try? daemon?.close(old) }
                    countNotification = id
                case .answer: break
                }
                return true
            case .failed(let token, _):
                return pendingInboxPosts.removeValue(forKey: token) != nil
            case .action(let key, let id):
                guard let message = messageNotifications[id] else { return false }
                if let choice = InboxAction(rawValue: key),
                    let answer = messages?.act(choice, on: message)
                {
                    show([answer])
                }
                return true
            case .closed(let id):
                if countNotification == id { countNotification = nil }
                return messageNotifications.removeValue(forKey: id) != nil
            case .appeared, .ready, .missing: return false
            }
        }

        /// Handles an event of the daemon.
        ///
        /// - Returns: Whether to call ``check()``.
        func handle(_ event: NotificationDaemon.Event) throws -> Bool {
            if handleInboxEvent(event) { return false }
            switch event {
            case .appeared:
                // The new daemon may replace one whose replies will never come.
                resetDaemonState()
                recentAnnouncements = []
                reportedKeys.remove("slow")
                show([])
                return true
            case .ready:
                capabilityQuery = nil
                show([])
                return true
            case .missing:
                capabilityQuery = nil
                daemonBacklog = []
                // A daemon that starts later sends `appeared`.
                if fallback != nil {
                    try abandonDaemon()
                } else if daemon?.isRunning == true {
                    scheduleCheckAfterRefusal()
                }
                return false
            case .shown(let token, let id):
                refusalPause = .zero
                reportedKeys.remove("refused")
                if let task = pendingTexts.removeValue(forKey: token) {
                    trackText(of: [task], as: id)
                    // The task may have become protected since the request.
                    return true
                }
                guard let post = removePost(token) else { return false }
                if let reminder = post.announcement.single {
                    track(reminder, as: id)
                } else {
                    let named = post.announcement.reminders.prefix(ReminderPlan.summaryThreshold)
                    trackText(of: named.filter { !$0.isProtected }.map(\.task), as: id)
                }
                if !post.attempts.allSatisfy({ log.contains($0) }) {
                    logAnnouncement(post.announcement)
                }
                // The check did not know this notification, which may be outdated.
                return lastCheck > post.since
            case .failed(let token, let isCertain):
                pendingTexts[token] = nil
                guard let post = removePost(token) else { return false }
                // Without certainty the daemon may have shown the notification, so the attempt
                // stays in the log.
                if isCertain { writeLog { try log.remove(post.attempts, at: clock.now()) } }
                if fallback != nil {
                    try abandonDaemon()
                } else if !post.attempts.isEmpty {
                    scheduleCheckAfterRefusal()
                }
                return false
            case .action(let key, let id):
                guard let (place, isProtected) = reminderNotifications[id] else { return false }
                act(key, on: place, isProtected: isProtected)
                return true
            case .closed(let id):
                reminderNotifications[id] = nil
                textNotifications[id] = nil
                return false
            }
        }

        /// Abandons the daemon. `remind --once` announces the reminders of pending posts by its
        /// fallback.
        func abandonDaemon() throws {
            daemon = nil
            daemonBacklog = []
            resetDaemonState()
            if fallback != nil { try checkOnce() }
        }

        private func resetDaemonState() {
            // The notifications of an ended daemon are gone.
            inboxQueue = pendingInboxPosts.sorted { $0.key < $1.key }.map(\.value) + inboxQueue
            pendingInboxPosts = [:]
            messageNotifications = [:]
            countNotification = nil
            reminderNotifications = [:]
            textNotifications = [:]
            pendingTexts = [:]
            capabilityQuery = nil
            for token in pendingPosts.keys { _ = removePost(token) }
        }

        private func removePost(_ token: UInt64) -> PendingPost? {
            guard let post = pendingPosts.removeValue(forKey: token) else { return nil }
            pendingPlaces.subtract(post.announcement.places)
            return post
        }

        /// Schedules a check after a refusal, or after the daemon ended without a reply. The bus
        /// may start it again.
        private func scheduleCheckAfterRefusal() {
            let isRunning = daemon?.isRunning == true
            if isRunning {
                report("the notification daemon refuses notifications", once: "refused")
            }
            refusalPause = min(max(refusalPause * 2, .seconds(1)), ReminderPlan.interval)
            nextCheck = min(nextCheck, clock.monotonic() + refusalPause)
        }

        private func trackText(of tasks: [TaskID], as id: UInt32) {
            if tasks.isEmpty { return }
            if textNotifications.count >= 1_000 { textNotifications = [:] }
            textNotifications[id] = tasks
        }

        private func track(_ reminder: DueReminder, as id: UInt32) {
            // A daemon that never sends `NotificationClosed` must not use memory without limit.
            if reminderNotifications.count >= 1_000 { reminderNotifications = [:] }
            reminderNotifications[id] = (reminder.place, reminder.isProtected)
        }

        /// Performs an action and shows its failure. The title is that of the current task.
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
                            if !task.isProtected { pendingTexts[tokens] = task.id }
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

        /// Shows a notification whose reply is ignored.
        private func post(_ notification: Notification) {
            tokens += 1
            try? daemon?.post(notification, token: tokens)
        }
    }
#endif

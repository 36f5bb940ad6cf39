#if os(Linux)
    internal import HTTPClient
    internal import Inbox
    internal import Platform
    internal import SecureStorage
    package import Services
    internal import SignIn
    internal import Synchronization
    internal import Tasks
    internal import TextCoding
    internal import VaultAgent

    /// Receives messages in its own thread and returns those to announce.
    ///
    /// A request waits at the server until a message arrives. The thread saves messages in an
    /// unlocked vault.
    /// While the vault is locked, it keeps them encrypted.
    package final class MessageReceiver: InboxNotificationSource {
        /// The thread that receives messages.
        private struct Running {
            /// The receiver file that the thread started with.
            let file: FileIdentity
            let stop: SystemPipe
            let ended: Monitor<Bool>
        }

        /// The largest number of new messages that are announced one by one.
        private static let few = 5
        /// The largest number of messages that this machine remembers, so that it announces each
        /// only once.
        private static let mostKnown = 10_000
        private static let pauses: (Duration, Duration) = (.seconds(5), .seconds(300))
        /// The time that the end of the program waits for an acknowledgement of saved messages.
        private static let timeLimit: Duration = .seconds(15)

        package let file: String
        private let folder: String
        /// The file with the ids of announced messages, one per line. The server repeats messages
        /// without an acknowledgement.
        private let knownFile: String
        private let application: @Sendable () throws -> Application
        private let now: @Sendable () -> PointInTime
        private let news: SystemPipe
        private let running = Mutex<Running?>(nil)
        private let notices = Mutex<[InboxNotification]>([])

        /// Creates a receiver, which receives no messages before ``follow()``.
        ///
        /// - Parameter application: Creates the operations of a thread.
        /// - Throws: `SystemFailure`; as `application`.
        package init(_ application: @escaping @Sendable () throws -> Application) throws {
            let own = try application()
            folder = try own.folders.inbox
            file = ServerTokenFile.path(.receiver, in: folder)
            knownFile = folder + "/announced"
            self.application = application
            now = own.options.now
            news = try SystemPipe(isBlocking: false)
        }

        package var descriptor: Int32 { news.reader }

        package func reload() {
            let wanted = (try? FileStatus.of(path: file))?.identity
            let isAsWanted = running.withLock { running in
                if running?.file == wanted { return true }
                running?.stop.signal()
                running = nil
                return wanted == nil
            }
            if !isAsWanted, let wanted { start(wanted) }
        }

        private func start(_ file: FileIdentity) {
            do {
                let new = Running(
                    file: file, stop: try SystemPipe(isBlocking: false), ended: Monitor(false))
                let isStarted = DetachedThread.start { [self] in
                    receive(until: new.stop.reader)
                    new.ended.update { $0 = true }
                }
                if isStarted { running.withLock { $0 = new } }
            } catch {
                report(error)
            }
        }

        /// Ends the thread, and waits for it up to a time limit.
        package func end() {
            guard let last = running.withLock({ $0.take() }) else { return }
            last.stop.signal()
            _ = last.ended.wait(until: .now + Self.timeLimit) { $0 ? true : nil }
        }

        package func takeNotifications() -> [InboxNotification] {
            var byte: UInt8 = 0
            while unsafe read(news.reader, &byte, 1) == 1 {}
            return notices.withLock { notices in
                defer { notices = [] }
                return notices
            }
        }

        private func tell(_ new: [InboxNotification]) {
            notices.withLock { $0 += new }
            news.signal()
        }

        private func report(_ error: any Error) {
            guard let application = try? application() else { return }
            application.owner.report(application.errors.failure(error))
        }
    }

    // The receiving thread.
    extension MessageReceiver {
        private func receive(until stop: Int32) {
            do {
                guard let receiver = try ServerTokenFile(.receiver, in: folder) else { return }
                let address = receiver.issuer.text
                let server = InboxClient(
                    receiver.issuer, try HTTPClient(receiver.options(until: stop)))
                var after: Int64 = 0
                let announced = FileSystem.content(knownFile, limit: Self.mostKnown * 40) ?? []
                var known = Set(
                    String(decoding: announced, as: UTF8.self).split(separator: "\n")
                        .map(String.init))
                var pause: Duration = .zero
                var isPausing = false
                var reported: Failure?
                while !Self.isReadable(stop, within: isPausing ? pause : .zero) {
                    let begun = MonotonicTime.now
                    do {
                        let delivery = try server.messages(
                            after: after, wait: InboxClient.longestWait, receiver.token,
                            now: now)
                        guard delivery.messages.isEmpty || delivery.next != after else {
                            throw SignInError.broken(detail: "it repeats messages")
                        }
                        if known.count > Self.mostKnown { known = [] }
                        let count = known.count
                        if !delivery.messages.isEmpty { try take(delivery.messages, &known) }
                        // A closing server answers at once, and one that lost messages goes back.
                        // The pause limits requests to both.
                        let isUseful = !delivery.messages.isEmpty && delivery.next > after
                        isPausing = !isUseful && MonotonicTime.now < begun + .seconds(10)
                        if isPausing {
                            pause = Self.longer(pause)
                        } else if !isUseful || known.count > count {
                            // Repeated messages after a failure do not end the series.
                            pause = .zero
                            reported = nil
                        }
                        after = delivery.next
                    } catch {
                        if Self.isReadable(stop, within: .zero) { return }
                        // An administrator may enable a disabled account again.
                        let isEnded = (error as? SignInError) == .rejected
                        let failure =
                            isEnded ? Self.ended(address) : explained(error, at: address)
                        if failure != reported { report(failure) }
                        reported = failure
                        pause = isEnded ? Self.pauses.1 : Self.longer(pause)
                        isPausing = true
                        // A server with an older database sends smaller numbers. The receiver
                        // identifies messages by their contents.
                        after = 0
                    }
                }
            } catch {
                report(error)
            }
        }

        private static func longer(_ pause: Duration) -> Duration {
            min(max(pause * 2, pauses.0), pauses.1)
        }

        private static func ended(_ server: String) -> Failure {
            Failure(
                .serverRejected, code: "inbox_ended",
                "\(server) no longer has this inbox, or the account is disabled",
                hint: "taskvault inbox enable")
        }

        private func explained(_ error: any Error, at server: String) -> Failure {
            guard let application = try? application() else {
                return Failure(unexplained: error)
            }
            application.errors.server = server
            return application.errors.failure(error)
        }

        private static func isReadable(_ descriptor: Int32, within time: Duration) -> Bool {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(clamping: time.components.seconds * 1_000)
            return unsafe poll(&request, 1, milliseconds) > 0
        }

        /// Stores messages, and saves them in the vault if it is unlocked. `known` are the ids of
        /// earlier messages on this machine.
        private func take(_ messages: [SealedMessage], _ known: inout Set<String>) throws {
            let application = try application()
            let waiting = MessageSpool(folder)
            let fresh = Set(messages.map(\.messageID)).subtracting(known)
            var isNew = false
            do {
                for message in messages {
                    let isAdded = try waiting.add(message)
                    if isAdded, fresh.contains(message.messageID) { isNew = true }
                }
                if !fresh.isEmpty {
                    let all = known.union(fresh)
                    try FileSystem.replace(knownFile, with: all.joined(separator: "\n") + "\n")
                    known = all
                }
            } catch let failure as SystemFailure {
                throw Failure(failure, writing: folder)
            }
            var isLocked = true
            do {
                if let agent = try application.vault.agent(), try agent.status().isUnlocked {
                    let inbox = InboxStore(agent)
                    var new = try application.takeWaiting(into: agent)
                    let others = fresh.subtracting(new.map(\.id))
                    if !others.isEmpty {
                        // Another machine saved the message first; this machine announces it too.
                        new += try inbox.messages().filter {
                            $0.state == .new && others.contains($0.id)
                        }
                    }
                    return show(try inbox.read(new), application)
                }
            } catch SecureStoreError.locked {
                // The vault was locked in the meantime.
            } catch {
                isLocked = false
                report(application.errors.failure(error))
            }
            if isNew { tell([Self.count(try waiting.count(), isLocked: isLocked, application)]) }
        }

        private func show(
            _ messages: [(message: InboxMessage, content: MessageContent)],
            _ application: Application
        ) {
            guard messages.count <= Self.few else {
                return tell([Self.count(messages.count, isLocked: false, application)])
            }
            tell(messages.map { Self.notice($0.message, $0.content, application) })
        }

        private static func count(
            _ count: Int, isLocked: Bool, _ application: Application
        ) -> InboxNotification {
            let list = application.folders.command("inbox list")
            return InboxNotification(
                .count, title: counted(count, "new message"),
                command: isLocked ? application.folders.command("unlock") + "; " + list : list)
        }

        private static func notice(
            _ message: InboxMessage, _ content: MessageContent, _ application: Application
        ) -> InboxNotification {
            let lines = content.body.split(separator: "\n").prefix(InboxMessage.mostLines)
            return InboxNotification(
                .message(message.id), title: content.title,
                body: (["from " + message.sender] + lines.map(String.init))
                    .joined(separator: "\n"),
                command: application.folders.command("inbox accept \(message.shortID)"))
        }
    }

    // The person's answers to announcements.
    extension MessageReceiver {
        package func act(_ choice: InboxAction, on id: String) -> InboxNotification? {
            do {
                let application = try application()
                do {
                    return try act(choice, on: id, application)
                } catch {
                    // Without the agent, the error of a locked vault has another cause.
                    let isLocked = (error as? SecureStoreError) == .locked
                    let failure: Failure =
                        isLocked
                        ? .locked(application.vault.reference) : application.errors.failure(error)
                    return InboxNotification(.answer, title: failure.message, command: failure.hint)
                }
            } catch {
                report(error)
                return nil
            }
        }

        private func act(
            _ choice: InboxAction, on id: String, _ application: Application
        ) throws -> InboxNotification? {
            guard let agent = try application.vault.agent(), try agent.status().isUnlocked else {
                throw SecureStoreError.locked
            }
            let inbox = InboxStore(agent)
            let message = try application.message(id, in: inbox)
            switch choice {
            case .accept:
                let task = try application.tasks.withTasks(.changing) { tasks in
                    try application.accept(message, in: inbox, tasks)
                }
                return InboxNotification(
                    .answer, title: "added the task \(task.id.text)",
                    command: application.folders.command("task show \(task.id.text)"))
            case .delete:
                try application.decline(message, in: inbox)
                return nil
            case .show:
                if AppPage.open(showing: "inbox/" + message.id, application.options) { return nil }
                guard let content = try inbox.read([message]).first?.content else { return nil }
                let steps = content.subtasks.map { "• " + $0 }
                let lines = (content.body.isEmpty ? [] : [content.body]) + steps
                return InboxNotification(
                    .answer, title: content.title, body: lines.joined(separator: "\n"),
                    command: application.folders.command("inbox show \(message.shortID)"))
            }
        }
    }
#endif

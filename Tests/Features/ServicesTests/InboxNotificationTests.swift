#if os(Linux)
    import Platform
    import Synchronization
    import Tasks
    import TestSupport
    import Testing

    @testable import Services

    /// Messages that a test hands out.
    private final class TestMessages: InboxNotificationSource {
        let waiting = Mutex<[InboxNotification]>([])
        let choices = Mutex<[String]>([])
        let taken = Atomic<Int>(0)
        private let pipe: SystemPipe
        let file = "/nowhere/receiver"

        init() throws { pipe = try SystemPipe(isBlocking: false) }

        var descriptor: Int32 { pipe.reader }

        func reload() {}

        func takeNotifications() -> [InboxNotification] {
            taken.add(1, ordering: .relaxed)
            var byte: UInt8 = 0
            while unsafe read(pipe.reader, &byte, 1) == 1 {}
            return waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
        }

        func act(_ choice: InboxAction, on id: String) -> InboxNotification? {
            choices.withLock { $0.append("\(choice) \(id)") }
            return choice == .delete
                ? nil
                : InboxNotification(.answer, title: "done with \(id)", command: "taskvault task")
        }

        func come(_ notices: InboxNotification...) {
            waiting.withLock { $0 += notices }
            pipe.signal()
        }
    }

    @Suite(
        "Notifications of messages", .enabled(if: DesktopSession.isWanted, DesktopSession.reason),
        .waitsForProcesses, .timeLimit(.minutes(60)))
    struct InboxNotificationTests {
        /// Runs `body` while a service shows messages.
        private func withService(
            _ body: (DesktopSession, TestMessages) throws -> Void
        ) throws {
            try withDesktop { session, folder in
                let messages = try TestMessages()
                let service = try RunningService(
                    TestSource(), folder, on: session.address, messages: messages)
                try body(session, messages)
                try service.endNow()
            }
        }

        private static let message = InboxNotification(
            .message("3f2a"), title: "buy <milk>\u{1B}[31m", body: "from Bob\nand bread",
            command: "taskvault inbox accept 3f2a")

        @Test("S15: a message has Accept and Delete; a tap shows it, or the text has the command")
        func actions() throws {
            try withService { session, messages in
                messages.come(Self.message)
                let shown = try session.shown(1)
                #expect(shown[0].title == "buy <milk>\\u{1B}[31m")
                #expect(shown[0].body.hasPrefix("from Bob\nand bread"))
                let actions = shown[0].actions
                let keys = stride(from: 0, to: actions.count, by: 2).map { actions[$0] }
                #expect(keys == ["accept", "delete", "default"])
                let labels = stride(from: 1, to: actions.count, by: 2).map { actions[$0] }
                #expect(labels == ["Accept", "Delete", "Show"])
                try session.tell("act \(shown[0].id) accept")
                let answered = try session.shown(2)
                #expect(answered[1].title == "done with 3f2a")
                #expect(messages.choices.withLock { $0 } == ["accept 3f2a"])
            }
        }

        @Test("Direction characters of a message and its sender are shown as numbers")
        func direction() throws {
            try withService { session, messages in
                messages.come(
                    InboxNotification(
                        .message("3f2a"), title: "buy\u{202E}klim",
                        body: "from B\u{2066}ob\nand\u{202E}x",
                        command: "taskvault inbox accept 3f2a"))
                let shown = try session.shown(1)
                #expect(shown[0].title == "buy\\u{202E}klim")
                #expect(shown[0].body.hasPrefix("from B\\u{2066}ob\nand\\u{202E}x"))
            }
        }

        @Test("At rest nothing is taken")
        func rest() throws {
            try withService { session, messages in
                messages.come(Self.message)
                _ = try session.shown(1)
                // The answer of the daemon may still come.
                try eventually("it rests") {
                    let before = messages.taken.load(ordering: .relaxed)
                    try session.idle()
                    return messages.taken.load(ordering: .relaxed) == before
                }
            }
        }

        @Test("Delete is told, and shows nothing more")
        func delete() throws {
            try withService { session, messages in
                messages.come(Self.message)
                let shown = try session.shown(1)
                try session.tell("act \(shown[0].id) delete")
                try eventually("it was told") {
                    messages.choices.withLock { $0 } == ["delete 3f2a"]
                }
            }
        }

        @Test("While the vault is locked, only their number is shown, in one notification")
        func count() throws {
            try withService { session, messages in
                messages.come(
                    InboxNotification(.count, title: "1 new message", command: "taskvault unlock"))
                let first = try session.shown(1)
                #expect(first.first?.title == "1 new message")
                messages.come(
                    InboxNotification(.count, title: "2 new messages", command: "taskvault unlock"))
                let second = try session.shown(2)
                #expect(second.last?.title == "2 new messages")
                let closed = try session.tell("closed")
                #expect(closed == "1")
            }
        }
    }
#endif

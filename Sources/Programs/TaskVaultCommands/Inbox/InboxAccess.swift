internal import CommandLine
internal import HTTPClient
internal import Inbox
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import Tasks
internal import TextCoding
internal import VaultAgent

extension CommandContext {
    /// The size of messages, and the time, after which a command fetches no more: a server may never end.
    private static let fetchLimits: (Int, Duration) = (67_108_864, .seconds(60))

    /// Runs `body` with the inbox of the unlocked vault, after messages were put in that wait on this machine.
    ///
    /// - Parameters:
    ///   - isFetching: Whether the server is asked for messages, too.
    ///   - body: Gets the inbox.
    /// - Returns: The result of `body`.
    /// - Throws: Why the vault cannot be used; the error of `body`.
    func withInbox<Result>(
        fetching isFetching: Bool = false, _ body: (InboxStore) throws -> Result
    ) throws -> Result {
        try vault.withStore(.changing) { store in
            do {
                _ = try takeWaiting(into: store.secrets)
                if isFetching { try fetch(into: store.secrets) }
            } catch {
                let failure = about.failure(error)
                if failure.exitCode == .locked { throw error }
                console.notices.warn(
                    "messages_not_read", "new messages cannot be read: \(failure.message)")
            }
            return try body(InboxStore(store.secrets))
        }
    }

    /// Puts messages into the vault that wait on this machine.
    ///
    /// - Parameters:
    ///   - store: The unlocked vault.
    ///   - isOnline: Whether the server may be asked to forget them, in a short time. It gives them out again otherwise.
    /// - Returns: Those that are new.
    /// - Throws: Why a message could not be decrypted or saved; it goes on waiting.
    func takeWaiting(
        into store: any SecureStore, online isOnline: Bool = true
    ) throws -> [InboxMessage] {
        guard let folder = try? folders.inbox else { return [] }
        let waiting = MessageSpool(folder)
        let messages = try waiting.all()
        if messages.isEmpty { return [] }
        var new: [InboxMessage] = []
        var done: [String] = []
        // Also after a failure: what is in the vault is not needed elsewhere.
        defer { if isOnline { acknowledge(done, store) } }
        try InboxStore(store).receive(messages) { message, receipt in
            if case .new(let message) = receipt { new.append(message) }
            done.append(message.id)
            try waiting.remove(message)
        }
        return new
    }

    /// Puts waiting messages into the vault that was just unlocked, without a failure.
    func takeWaiting(after agent: AgentClient, online isOnline: Bool) {
        do {
            let new = try takeWaiting(into: agent, online: isOnline)
            guard !new.isEmpty else { return }
            console.notices.remark(
                "\(counted(new.count, "new message")): \(folders.command("inbox list"))")
        } catch {
            console.notices.warn(
                "messages_not_read",
                "new messages cannot be read: \(about.failure(error).message)")
        }
    }

    /// Asks the server for messages and puts them into the vault, if the vault has an inbox there. An unreachable server is no failure.
    private func fetch(into store: any SecureStore) throws {
        let inbox = InboxStore(store)
        guard let place = try signIn.silentPlace(store, limitingAll: false),
            let tokens = try inbox.tokens(of: place.server)
        else { return }
        updateReceiver(place, tokens.receive)
        let server = InboxClient(place.client.issuer, place.http)
        var delivered: [SealedMessage] = []
        let end = ContinuousClock.now + Self.fetchLimits.1
        var size = 0
        var after: Int64 = 0
        var isComplete = false
        var failure: (any Error)?
        do {
            while !isComplete, size < Self.fetchLimits.0, ContinuousClock.now < end {
                let delivery = try server.messages(
                    after: after, wait: 0, tokens.receive, now: console.surroundings.now)
                delivered += delivery.messages
                // Small ones take memory, too.
                size += delivery.messages.reduce(0) { $0 + max($1.body.count, 4_096) }
                // A server that does not go on would keep this program here.
                isComplete = delivery.messages.isEmpty || delivery.next <= after
                after = delivery.next
            }
        } catch {
            failure = error
        }
        // What came before a failure counts. The vault is listed once, after the last answer: a sender of a message is in it by then.
        if !delivered.isEmpty {
            var done: [String] = []
            defer { acknowledge(done, store, limitingAll: false) }
            try inbox.receive(delivered) { message, _ in done.append(message.id) }
        }
        switch failure as? SignInError {
        case .some(.rejected):
            return console.notices.warn(
                "inbox_ended",
                "\(place.server) no longer has this inbox: \(folders.command("inbox enable"))")
        case .some(let error) where error.isOffline:
            console.notices.remark("offline: \(about.failure(error).message)")
        default:
            if let failure { throw failure }
        }
        if !isComplete, !delivered.isEmpty {
            console.notices.remark("more messages wait: \(folders.command("inbox list"))")
        }
    }

    /// Gives the service of this machine the settings of the sign-in as they are now. It works while the vault is locked, and cannot read them.
    private func updateReceiver(_ place: SignInPlace, _ token: borrowing SecretBytes) {
        do {
            try ReceiverFile(place, token).update(in: folders.inbox)
        } catch {
            console.notices.warn(
                "receiver_not_updated",
                "the service keeps its earlier settings: \(about.failure(error).message)")
        }
    }

    /// Has the server forget messages that are in the vault. Otherwise it gives them out again, and the vault has them already.
    private func acknowledge(
        _ ids: [String], _ store: any SecureStore, limitingAll isLimitingAll: Bool = true
    ) {
        guard !ids.isEmpty else { return }
        do {
            guard let place = try signIn.silentPlace(store, limitingAll: isLimitingAll),
                let tokens = try InboxStore(store).tokens(of: place.server)
            else { return }
            try InboxClient(place.client.issuer, place.http).acknowledge(ids, tokens.acknowledge)
        } catch {
            // The next program that reads messages does it.
        }
    }

    /// The message that an operand means: by a beginning of its id.
    func message(_ typed: String, in inbox: InboxStore) throws -> InboxMessage {
        try message(typed, of: inbox.messages())
    }

    private func message(_ typed: String, of messages: [InboxMessage]) throws -> InboxMessage {
        about.message = typed
        // Ids are in lower case.
        let beginning = typed.lowercased()
        let found = messages.filter { !beginning.isEmpty && $0.id.hasPrefix(beginning) }
        guard let message = found.first else { throw SecureStoreError.notFound }
        guard found.count == 1 else {
            throw CommandFailure.usage(
                "\(found.count) messages have an id that begins so",
                hint: folders.command("inbox list"))
        }
        return message
    }

    /// The messages that the operands mean, each once.
    func messages(in inbox: InboxStore) throws -> [InboxMessage] {
        let all = try inbox.messages()
        var found: [InboxMessage] = []
        for typed in invocation.texts(of: .messages) {
            let message = try message(typed, of: all)
            if !found.contains(where: { $0.id == message.id }) { found.append(message) }
        }
        return found
    }
}

extension InboxMessage {
    /// The beginning of the id that lists show.
    var shortID: String { String(id.prefix(8)) }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a message as an object.
    mutating func message(_ message: InboxMessage, _ content: MessageContent) throws {
        try beginObject()
        try member("id", message.id)
        try member("sender", message.sender)
        try member("received", milliseconds: message.received.milliseconds)
        try member("state", message.state.rawValue)
        try member("decided", milliseconds: message.decided?.milliseconds)
        try member("task", message.state == .accepted ? message.task : nil)
        try member("title", content.title)
        try member("body", content.body)
        try member("picture", content.picture?.description)
        try member("due", milliseconds: content.due?.milliseconds)
        try member("list", content.list)
        try texts("subtasks", content.subtasks)
        try texts("left_out", content.leftOut)
        try endObject()
    }

    /// Writes messages as an array.
    mutating func messages(
        _ messages: [(message: InboxMessage, content: MessageContent)]
    ) throws {
        try beginArray()
        for (message, content) in messages { try self.message(message, content) }
        try endArray()
    }
}

extension OperandDescription {
    /// Which message.
    static let message = OperandDescription("ID", "a beginning of the message's id")
    /// Which messages.
    static let messages = OperandDescription(
        "ID", "beginnings of the messages' ids", count: 1...1_000)
}

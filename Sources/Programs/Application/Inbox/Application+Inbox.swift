internal import HTTPClient
package import Inbox
internal import SecretMemory
package import SecureStorage
internal import SignIn
internal import Tasks
internal import TextCoding
package import VaultAgent

extension Application {
    /// The size of messages, and the time, after which an operation fetches no more: a server may never end.
    private static let fetchLimits: (Int, Duration) = (67_108_864, .seconds(60))

    /// Runs `body` with the inbox of the unlocked vault, after messages were put in that wait on this machine.
    ///
    /// - Parameters:
    ///   - isFetching: Whether the server is asked for messages, too.
    ///   - body: Gets the inbox.
    /// - Returns: The result of `body`.
    /// - Throws: Why the vault cannot be used; the error of `body`.
    package func withInbox<Result>(
        fetching isFetching: Bool = false, _ body: (InboxStore) throws -> Result
    ) throws -> Result {
        try vault.withStore(.changing) { store in
            do {
                _ = try takeWaiting(into: store.secrets)
                if isFetching { try fetch(into: store.secrets) }
            } catch {
                let failure = errors.failure(error)
                if failure.exitCode == .locked { throw error }
                owner.warn(
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
    package func takeWaiting(
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
    package func takeWaiting(after agent: AgentClient, online isOnline: Bool) {
        do {
            let new = try takeWaiting(into: agent, online: isOnline)
            guard !new.isEmpty else { return }
            owner.remark(
                "\(counted(new.count, "new message")): \(folders.command("inbox list"))")
        } catch {
            owner.warn(
                "messages_not_read",
                "new messages cannot be read: \(errors.failure(error).message)")
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
                    after: after, wait: 0, tokens.receive, now: options.now)
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
            return owner.warn(
                "inbox_ended",
                "\(place.server) no longer has this inbox: \(folders.command("inbox enable"))")
        case .some(let error) where error.isOffline:
            owner.remark("offline: \(errors.failure(error).message)")
        default:
            if let failure { throw failure }
        }
        if !isComplete, !delivered.isEmpty {
            owner.remark("more messages wait: \(folders.command("inbox list"))")
        }
    }

    /// Gives the service of this machine the settings of the sign-in as they are now. It works while the vault is locked, and cannot read them.
    private func updateReceiver(_ place: SignInPlace, _ token: borrowing SecretBytes) {
        do {
            try ReceiverFile(place, token).update(in: folders.inbox)
        } catch {
            owner.warn(
                "receiver_not_updated",
                "the service keeps its earlier settings: \(errors.failure(error).message)")
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
    package func message(_ typed: String, in inbox: InboxStore) throws -> InboxMessage {
        try message(typed, of: inbox.messages())
    }

    /// The message among these that a beginning of an id means.
    package func message(_ typed: String, of messages: [InboxMessage]) throws -> InboxMessage {
        errors.message = typed
        // Ids are in lower case.
        let beginning = typed.lowercased()
        let found = messages.filter { !beginning.isEmpty && $0.id.hasPrefix(beginning) }
        guard let message = found.first else { throw SecureStoreError.notFound }
        guard found.count == 1 else {
            throw Failure.usage(
                "\(found.count) messages have an id that begins so",
                hint: folders.command("inbox list"))
        }
        return message
    }

}

extension InboxMessage {
    /// The beginning of the id that lists show.
    package var shortID: String { String(id.prefix(8)) }
}

extension InboxMessage {
    /// The largest number of lines of a description in lists and notifications.
    package static let mostLines = 3
}

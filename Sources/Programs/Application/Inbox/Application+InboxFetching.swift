internal import HTTPClient
package import Inbox
internal import Platform
internal import SecretMemory
package import SecureStorage
internal import SignIn
internal import Tasks
internal import TextCoding
package import VaultAgent

extension Application {
    /// The limits of one fetch, in bytes and in time, because a server may send messages without
    /// end.
    private static let fetchLimits: (Int, Duration) = (67_108_864, .seconds(60))

    /// Runs `body` with the inbox of the unlocked vault, after saving the messages that wait on
    /// this machine.
    ///
    /// - Parameters:
    ///   - isFetching: Whether to fetch messages from the server as well.
    ///   - body: Receives the inbox.
    /// - Returns: The result of `body`.
    /// - Throws: The reason why the vault cannot be used; the error of `body`.
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

    /// Saves the messages that wait on this machine in the vault.
    ///
    /// - Parameters:
    ///   - store: The unlocked vault.
    ///   - isOnline: Whether to acknowledge them at the server, with a short time limit. Without
    ///     it, the server delivers them again.
    /// - Returns: The new messages.
    /// - Throws: The reason why a message could not be decrypted or saved; that message continues
    ///   to wait.
    package func takeWaiting(
        into store: any SecureStore, online isOnline: Bool = true
    ) throws -> [InboxMessage] {
        guard let folder = try? folders.inbox else { return [] }
        let waiting = MessageSpool(folder)
        let messages = try waiting.all()
        if messages.isEmpty { return [] }
        var new: [InboxMessage] = []
        var done: [String] = []
        // Runs after a failure too: the server need not keep messages that the vault has.
        defer { if isOnline { acknowledge(done, store) } }
        try InboxStore(store).receive(messages) { message, receipt in
            if case .new(let message) = receipt { new.append(message) }
            done.append(message.id)
            try waiting.remove(message)
        }
        return new
    }

    /// Saves waiting messages in the vault after an unlock, and ignores failures.
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

    /// Fetches messages into the vault if it has an inbox at the server. An unreachable server is
    /// no failure.
    private func fetch(into store: any SecureStore) throws {
        let inbox = InboxStore(store)
        guard let place = try signIn.silentPlace(store, limitingAll: false),
            let tokens = try inbox.tokens(of: place.server)
        else { return }
        updateReceiver(place, tokens.receive)
        let server = InboxClient(place.client.issuer, place.http)
        var delivered: [SealedMessage] = []
        let end = BootTime.now + Self.fetchLimits.1
        var size = 0
        var after: Int64 = 0
        var isComplete = false
        var failure: (any Error)?
        do {
            while !isComplete, size < Self.fetchLimits.0, BootTime.now < end {
                let delivery = try server.messages(
                    after: after, wait: 0, tokens.receive, now: options.now)
                delivered += delivery.messages
                // Small messages occupy memory too.
                size += delivery.messages.reduce(0) { $0 + max($1.body.count, 4_096) }
                // A server whose position does not advance would keep this loop running.
                isComplete = delivery.messages.isEmpty || delivery.next <= after
                after = delivery.next
            }
        } catch {
            failure = error
        }
        // Messages that arrived before a failure count. One listing of the vault, after the last
        // answer, contains the sender of each message.
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

    /// Updates the sign-in settings of this machine's service. The service runs while the vault is
    /// locked and cannot read them.
    private func updateReceiver(_ place: SignInPlace, _ token: borrowing SecretBytes) {
        do {
            try ServerTokenFile(place, .receiver, token).update(in: folders.inbox)
        } catch {
            owner.warn(
                "receiver_not_updated",
                "the service keeps its earlier settings: \(errors.failure(error).message)")
        }
    }

    /// Acknowledges messages that are in the vault. Without it the server delivers them again, and
    /// the vault drops the duplicates.
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
            // The next program that reads messages acknowledges them.
        }
    }

    /// The message whose id begins with the operand.
    package func message(_ typed: String, in inbox: InboxStore) throws -> InboxMessage {
        try message(typed, of: inbox.messages())
    }

    /// The message in a list whose id begins with the operand.
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
    /// The beginning of the id, for lists.
    package var shortID: String { String(id.prefix(8)) }
}

extension InboxMessage {
    /// The largest number of description lines in lists and notifications.
    package static let mostLines = 3
}

package import HTTPClient
package import SecretMemory
package import SecureStorage
internal import Sealing
package import TextCoding

/// A message as a server gave it out, encrypted.
package struct DeliveredMessage: Sendable, Hashable {
    /// The largest number that wait on this machine while the vault is locked.
    package static let mostWaiting = 2_000

    /// Its id at the server.
    package let id: String
    /// The id of the subscription.
    package let subscription: String
    /// When this machine got it.
    package let received: PointInTime
    /// The content with the coding `aes128gcm`.
    package let body: [UInt8]

    /// Makes a message.
    package init(id: String, subscription: String, received: PointInTime, body: [UInt8]) {
        self.id = id
        self.subscription = subscription
        self.received = received
        self.body = body
    }

    /// The id of the message in a vault.
    package var messageID: String { InboxStore.id(of: body) }
}

/// A message with its content.
package struct ReadMessage: Sendable, Hashable {
    /// All but the content.
    package let message: InboxMessage
    /// The content.
    package let content: MessageContent
}

/// The inbox of a vault: senders with their keys, and messages. Every call may throw `SecureStoreError`. Thread-safe.
///
/// All items are of the class `whileUnlocked`: a message comes at any time, and who could read the key of a sender could read the message.
package struct InboxStore: Sendable {
    /// The largest number of messages that could not be read and are remembered.
    private static let mostUnreadable = 1_000

    let store: any SecureStore

    /// Makes the inbox of a vault.
    package init(_ store: any SecureStore) {
        self.store = store
    }

    /// The id of a message, which depends on nothing but its bytes: so it is in the vault once.
    static func id(of body: [UInt8]) -> String {
        Hexadecimal.text(Array(SHA256.hash(body).prefix(16)))
    }
}

extension InboxStore {
    /// Saves a value with its label and attributes, or puts them in place of those of an earlier one.
    func put(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws {
        do {
            try store.save(value, as: name, attributes)
        } catch {
            guard error == .duplicate else { throw error }
            let edit = SecretEdit(label: attributes.label, extra: attributes.extra)
            try store.update(name, to: value, edit, expecting: nil)
        }
    }
}

// Senders.
extension InboxStore {
    /// All senders, by name.
    package func senders() throws -> [InboxSender] {
        try store.list().compactMap { InboxSender($0) }.sorted { left, right in
            (left.name, left.id) < (right.name, right.id)
        }
    }

    /// Keeps the keys of a new subscription.
    package func add(
        _ keys: borrowing SubscriptionKeys, subscription: String, name: String, server: String,
        endpoint: WebURL, vapidKey: String?
    ) throws {
        try store.save(
            keys.secrets, as: InboxSender.name(subscription),
            InboxSender.attributes(
                name: name, server: server, endpoint: endpoint.description, vapidKey: vapidKey))
    }

    /// Erases the keys of a sender, and what is left of messages that are gone. The others stay.
    package func remove(_ sender: InboxSender) throws {
        let rest = try store.list().compactMap { item -> SecretName? in
            guard let message = InboxMessage(item), message.subscription == sender.id,
                message.state == .removed || message.state == .unreadable
            else { return nil }
            return item.name
        }
        let names = [try InboxSender.name(sender.id)] + rest
        // A request to the agent has a largest size.
        for start in stride(from: 0, to: names.count, by: 1_000) {
            let part = names[start..<min(start + 1_000, names.count)]
            try store.change(
                part.map { SecretChange($0, expecting: nil, .remove(permanently: true)) })
        }
    }
}

// Messages.
extension InboxStore {
    /// What became of a delivered message.
    package enum Taken: Sendable, Hashable {
        /// It is in the vault now.
        case new(InboxMessage)
        /// It was there before.
        case known
        /// Its key is lost, or it is no message. That is counted.
        case unreadable
    }

    /// Decrypts delivered messages, and saves each once: another machine, or a server that repeats itself, changes nothing.
    ///
    /// - Parameters:
    ///   - delivered: The messages.
    ///   - done: Gets each, after it is durable.
    /// - Throws: ``PushError/libraryMissing``; `locked`, …; the error of `done`.
    package func take(
        _ delivered: [DeliveredMessage], _ done: (DeliveredMessage, Taken) throws -> Void
    ) throws {
        let items = try store.list()
        let senders = Dictionary(items.compactMap { InboxSender($0) }.map { ($0.id, $0) }) { $1 }
        var unreadable = items.lazy.filter { InboxMessage($0)?.state == .unreadable }.count
        for message in delivered {
            let taken = try take(
                message, senders[message.subscription],
                countsUnreadable: unreadable < Self.mostUnreadable)
            if taken == .unreadable { unreadable += 1 }
            try done(message, taken)
        }
    }

    private func take(
        _ message: DeliveredMessage, _ sender: InboxSender?, countsUnreadable: Bool
    ) throws -> Taken {
        do {
            guard let sender, let text = try open(message, of: sender) else {
                if countsUnreadable {
                    try save(
                        SecretBytes(count: 0), message.messageID,
                        InboxMessage.attributes(
                            sender: "", subscription: message.subscription,
                            received: message.received, state: .unreadable))
                }
                return .unreadable
            }
            return .new(
                try save(
                    text, message.messageID,
                    InboxMessage.attributes(
                        sender: sender.name, subscription: sender.id, received: message.received)))
        } catch SecureStoreError.duplicate {
            return .known
        }
    }

    /// The plaintext of a message; nil if it is none for the keys of its sender.
    private func open(_ message: DeliveredMessage, of sender: InboxSender) throws -> SecretBytes? {
        do {
            guard let keys = try keys(of: sender) else { return nil }
            let text = try keys.open(message.body)
            guard text.withBytes({ MessageContent($0) != nil }) else { return nil }
            return text
        } catch let error as PushError {
            guard error != .libraryMissing, error != .libraryFailed else { throw error }
            return nil
        }
    }

    /// The keys of a sender; nil if it was revoked in this moment.
    private func keys(of sender: InboxSender) throws -> SubscriptionKeys? {
        do {
            return try SubscriptionKeys(store.value(of: InboxSender.name(sender.id)))
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    @discardableResult
    private func save(
        _ text: borrowing SecretBytes, _ id: String, _ attributes: SecretAttributes
    ) throws -> InboxMessage {
        let item = try store.save(text, as: InboxMessage.name(id), attributes)
        guard let message = InboxMessage(item) else {
            preconditionFailure("it has the service of messages")
        }
        return message
    }

    /// Saves the message of a file.
    ///
    /// - Parameters:
    ///   - text: The file.
    ///   - name: Its name, in place of a sender's.
    ///   - received: The time.
    /// - Returns: The message; nil if the file is none.
    /// - Throws: `duplicate` if the vault has, or had, a message of these bytes.
    package func receive(
        _ text: borrowing SecretBytes, from name: String, at received: PointInTime
    ) throws -> InboxMessage? {
        guard text.withBytes({ MessageContent($0) != nil }) else { return nil }
        let bytes = text.withBytes { $0.array }
        return try save(
            text, Self.id(of: bytes),
            InboxMessage.attributes(sender: name, subscription: nil, received: received))
    }

    /// The messages, the newest first, without their contents and without those that are gone.
    package func messages() throws -> [InboxMessage] {
        try store.list().compactMap { InboxMessage($0) }
            .filter { $0.state != .removed && $0.state != .unreadable }
            .sorted { ($0.received, $0.id) > ($1.received, $1.id) }
    }

    /// The number of messages in each state.
    package func counts() throws -> [InboxMessage.State: Int] {
        try store.list().compactMap { InboxMessage($0)?.state }
            .reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Reads the contents of messages, in their order; those that are gone meanwhile are left out.
    package func read(_ messages: [InboxMessage]) throws -> [ReadMessage] {
        var read: [ReadMessage] = []
        try store.readEach(messages.map { try InboxMessage.name($0.id) }) { _, item, value in
            guard let content = value.withBytes({ MessageContent($0) }),
                let message = InboxMessage(item)
            else { return }
            read.append(ReadMessage(message: message, content: content))
        }
        return read
    }

    /// Marks a message; its content stays.
    ///
    /// - Throws: `conflict` if it was changed since it was read; `notFound`.
    package func mark(
        _ message: InboxMessage, _ state: InboxMessage.State, at decided: PointInTime? = nil,
        task: String? = nil
    ) throws -> InboxMessage {
        let attributes = InboxMessage.attributes(
            sender: message.sender, subscription: message.subscription,
            received: message.received, state: state, decided: decided, task: task)
        let item = try store.edit(
            InboxMessage.name(message.id), SecretEdit(extra: attributes.extra),
            expecting: message.revision)
        return InboxMessage(item) ?? message
    }

    /// Erases the content and the picture of a message. A repetition of it stays refused.
    package func remove(_ message: InboxMessage) throws {
        let attributes = InboxMessage.attributes(
            sender: "", subscription: message.subscription, received: message.received,
            state: .removed)
        try store.update(
            InboxMessage.name(message.id), to: SecretBytes(count: 0),
            SecretEdit(label: "", extra: attributes.extra), expecting: message.revision)
        try removePicture(of: message)
    }
}

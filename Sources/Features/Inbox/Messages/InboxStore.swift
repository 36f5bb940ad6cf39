package import HTTPClient
package import SecretMemory
package import SecureStorage
internal import Sealing
package import TextCoding

/// The inbox of a vault: senders with their keys, and messages. Each call may throw
/// `SecureStoreError`. Thread-safe.
///
/// All items have the class `whileUnlocked`, because a message can arrive at any time. Reading a
/// sender's key is enough to read the sender's messages.
package struct InboxStore: Sendable {
    /// The maximum number of stored ids of unreadable messages.
    private static let maximumUnreadable = 1_000

    let store: any SecureStore

    /// Makes the inbox of a vault.
    package init(_ store: any SecureStore) {
        self.store = store
    }

    /// The id of a message. It depends only on the bytes, so that a message is stored once.
    static func id(of body: [UInt8]) -> String {
        Hexadecimal.text(Array(SHA256.hash(body).prefix(16)))
    }
}

extension InboxStore {
    /// Saves a value with its label and attributes, or replaces those of the existing item.
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
    /// All senders, sorted by name.
    package func senders() throws -> [InboxSender] {
        try store.list().compactMap { InboxSender($0) }.sorted { left, right in
            (left.name, left.id) < (right.name, right.id)
        }
    }

    /// Stores the keys of a new subscription.
    package func add(
        _ keys: borrowing SubscriptionKeys, subscription: String, name: String, server: String,
        endpoint: WebURL, vapidKey: String?
    ) throws {
        try store.save(
            keys.secrets, as: InboxSender.name(subscription),
            InboxSender.attributes(
                name: name, server: server, endpoint: endpoint.description, vapidKey: vapidKey))
    }

    /// Erases the keys of a sender, and the remaining items of removed and unreadable messages.
    /// Other messages are kept.
    package func remove(_ sender: InboxSender) throws {
        let rest = try store.list().compactMap { item -> SecretName? in
            guard let message = InboxMessage(item), message.subscription == sender.id,
                message.state == .removed || message.state == .unreadable
            else { return nil }
            return item.name
        }
        let names = [try InboxSender.name(sender.id)] + rest
        // A request to the agent has a maximum size.
        for start in stride(from: 0, to: names.count, by: 1_000) {
            let part = names[start..<min(start + 1_000, names.count)]
            try store.change(
                part.map { SecretChange($0, expecting: nil, .remove(permanently: true)) })
        }
    }
}

// Messages.
extension InboxStore {
    /// The result of receiving a message.
    package enum Receipt: Sendable, Hashable {
        /// The message is now in the vault.
        case new(InboxMessage)
        /// The vault already had the message.
        case known
        /// The key is lost, or the message is malformed. The vault counts such messages.
        case unreadable
    }

    /// Decrypts messages and saves each one once. A repetition by the server or by another machine
    /// changes nothing.
    ///
    /// - Parameters:
    ///   - messages: The messages.
    ///   - completion: Called for each message after it is durable.
    /// - Throws: `LibCryptoError`; `locked`, …; an error of `completion`.
    package func receive(
        _ messages: [SealedMessage], _ completion: (SealedMessage, Receipt) throws -> Void
    ) throws {
        let items = try store.list()
        let senders = Dictionary(items.compactMap { InboxSender($0) }.map { ($0.id, $0) }) { $1 }
        var unreadable = items.lazy.filter { InboxMessage($0)?.state == .unreadable }.count
        for message in messages {
            let receipt = try receive(
                message, senders[message.subscription],
                recordsUnreadable: unreadable < Self.maximumUnreadable)
            if receipt == .unreadable { unreadable += 1 }
            try completion(message, receipt)
        }
    }

    private func receive(
        _ message: SealedMessage, _ sender: InboxSender?, recordsUnreadable: Bool
    ) throws -> Receipt {
        do {
            guard let sender, let text = try open(message, of: sender) else {
                if recordsUnreadable {
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

    /// The plaintext of a message; nil if it is not a message, or not for the keys of its sender.
    private func open(_ message: SealedMessage, of sender: InboxSender) throws -> SecretBytes? {
        do {
            guard let keys = try keys(of: sender) else { return nil }
            let text = try keys.open(message.body)
            guard text.withBytes({ MessageContent($0) != nil }) else { return nil }
            return text
        } catch is PushError {
            return nil
        }
    }

    /// The keys of a sender; nil if the sender was revoked in the meantime.
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
    ///   - text: The content of the file.
    ///   - name: The name of the file, used as the sender's name.
    ///   - received: The time of receipt.
    /// - Returns: The message; nil if the file is not a message.
    /// - Throws: `duplicate` if the vault has, or had, a message with these bytes.
    package func receive(
        _ text: borrowing SecretBytes, from name: String, at received: PointInTime
    ) throws -> InboxMessage? {
        guard text.withBytes({ MessageContent($0) != nil }) else { return nil }
        let bytes = text.withBytes { $0.array }
        return try save(
            text, Self.id(of: bytes),
            InboxMessage.attributes(sender: name, subscription: nil, received: received))
    }

    /// The messages, newest first, without removed and unreadable ones.
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

    /// Reads the contents of messages, in order. Messages that were removed in the meantime are
    /// omitted.
    package func read(_ messages: [InboxMessage]) throws -> [(
        message: InboxMessage, content: MessageContent
    )] {
        var read: [(message: InboxMessage, content: MessageContent)] = []
        try store.readEach(messages.map { try InboxMessage.name($0.id) }) { _, item, value in
            guard let content = value.withBytes({ MessageContent($0) }),
                let message = InboxMessage(item)
            else { return }
            read.append((message, content))
        }
        return read
    }

    /// Sets the state of a message. Its content is kept.
    ///
    /// - Throws: `conflict` if the message was changed since it was read; `notFound`.
    package func setState(
        of message: InboxMessage, to state: InboxMessage.State, at decided: PointInTime? = nil,
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

    /// Erases the content and the picture of a message. The id remains, so that a repetition is
    /// refused.
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

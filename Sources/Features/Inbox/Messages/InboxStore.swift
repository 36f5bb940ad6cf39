internal import SecretMemory
package import SecureStorage
internal import Sealing
package import TextCoding

/// The inbox of a vault: senders with their keys, and messages. Each call may throw
/// `SecureStoreError`. Thread-safe.
///
/// All items have the class `whileUnlocked`, because a message can arrive at any time. Reading a
/// sender's key is enough to read the sender's messages.
package struct InboxStore: Sendable {
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

// Messages in the vault.
extension InboxStore {
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

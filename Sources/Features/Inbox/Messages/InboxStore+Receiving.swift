package import SecretMemory
internal import SecureStorage
package import TextCoding

// Receiving: messages are decrypted and saved once.
extension InboxStore {
    /// The maximum number of stored ids of unreadable messages.
    private static let maximumUnreadable = 1_000

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
}

internal import SecureStorage
package import TextCoding

/// A message in the vault, without its content.
package struct InboxMessage: Sendable, Hashable {
    /// The state of a message.
    package enum State: String, Sendable, Hashable {
        case new, accepted, declined
        /// The content was erased. The remaining item prevents that the same message is stored
        /// again.
        case removed
        /// The message was encrypted for a lost key, or is malformed.
        case unreadable
    }

    /// The id: the first 16 bytes of the SHA-256 of the received message, in hexadecimal.
    package let id: String
    /// The id of the sender's subscription; nil for an imported file.
    package let subscription: String?
    /// The name of the sender or of the file.
    package let sender: String
    /// The time of receipt, by the clock of the receiving machine.
    package let received: PointInTime
    /// The state.
    package let state: State
    /// The time at which the message was accepted or declined.
    package let decided: PointInTime?
    /// The id of the task made from the message. An interrupted acceptance sets it as well.
    package let task: String?
    let revision: UInt64

    static let service = SecretName.messageService
    private static let subscriptionKey = "sender"
    private static let receivedKey = "received"
    private static let stateKey = "state"
    private static let decidedKey = "decided"
    private static let taskKey = "task"

    static func name(_ id: String) throws -> SecretName {
        try SecretName(service: service, account: id)
    }

    /// Reads an item; nil if it is not a message.
    init?(_ item: SecretItem) {
        guard item.name.service.hasSameBytes(as: Self.service) else { return nil }
        func time(_ key: String) -> PointInTime? {
            item.attributes[key].flatMap { Timestamp.milliseconds($0) }.map {
                PointInTime(milliseconds: $0)
            }
        }
        id = item.name.account
        subscription = item.attributes[Self.subscriptionKey]
        sender = item.attributes.label
        received = time(Self.receivedKey) ?? PointInTime(milliseconds: item.created)
        state = item.attributes[Self.stateKey].flatMap { State(rawValue: $0) } ?? .new
        decided = time(Self.decidedKey)
        task = item.attributes[Self.taskKey]
        revision = item.revision
    }

    /// The attributes of a message's item.
    static func attributes(
        sender: String, subscription: String?, received: PointInTime, state: State = .new,
        decided: PointInTime? = nil, task: String? = nil
    ) -> SecretAttributes {
        var attributes = SecretAttributes(label: sender)
        attributes[subscriptionKey] = subscription
        attributes[receivedKey] = Timestamp.text(received.milliseconds)
        attributes[stateKey] = state == .new ? nil : state.rawValue
        attributes[decidedKey] = decided.map { Timestamp.text($0.milliseconds) }
        attributes[taskKey] = task
        return attributes
    }
}

/// A sender: one subscription of the inbox, with the name that the owner gave it.
package struct InboxSender: Sendable, Hashable {
    /// The id of the subscription on the server.
    package let id: String
    /// The name.
    package let name: String
    /// The issuer URL of the server.
    package let server: String
    /// The sender's VAPID key (RFC 8292) in base64url; nil if any sender may use the subscription.
    package let vapidKey: String?
    /// The time at which the subscription was made.
    package let created: PointInTime

    static let service = SecretName.inboxService
    private static let serverKey = "server"
    private static let endpointKey = "endpoint"
    private static let keyKey = "vapid-key"

    static func name(_ id: String) throws -> SecretName {
        try SecretName(service: service, account: id)
    }

    /// Reads an item; nil if it is not a sender.
    init?(_ item: SecretItem) {
        guard item.name.service.hasSameBytes(as: Self.service) else { return nil }
        id = item.name.account
        name = item.attributes.label
        server = item.attributes[Self.serverKey] ?? ""
        vapidKey = item.attributes[Self.keyKey]
        created = PointInTime(milliseconds: item.created)
    }

    /// The attributes of a sender's item.
    static func attributes(
        name: String, server: String, endpoint: String, vapidKey: String?
    ) -> SecretAttributes {
        var attributes = SecretAttributes(label: name)
        attributes[serverKey] = server
        attributes[endpointKey] = endpoint
        attributes[keyKey] = vapidKey
        return attributes
    }
}

internal import SecureStorage
package import TextCoding

/// A message in the vault.
package struct InboxMessage: Sendable, Hashable {
    /// What became of a message.
    package enum State: String, Sendable, Hashable {
        case new, accepted, declined
        /// Its content is gone; what is left refuses a repetition.
        case removed
        /// It was for a lost key, or is no message.
        case unreadable
    }

    /// Its id: the first 16 bytes of SHA-256 of the message as it came, in hexadecimal.
    package let id: String
    /// The id of the sender's subscription; nil for a file.
    package let subscription: String?
    /// The name of the sender, or of the file.
    package let sender: String
    /// When it came, by the clock of the machine that received it.
    package let received: PointInTime
    /// What became of it.
    package let state: State
    /// When it was accepted or declined.
    package let decided: PointInTime?
    /// The id of the task that was made of it, or that an interrupted acceptance was making.
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

    /// The message of an item; nil for any other item.
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

    /// The attributes of the item of a message.
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

/// A sender: one subscription of the inbox, by the name that the owner gave.
package struct InboxSender: Sendable, Hashable {
    /// The id of the subscription at the server.
    package let id: String
    /// The name.
    package let name: String
    /// The issuer of the server.
    package let server: String
    /// The key to which the subscription is bound, in Base64 for URLs; nil for none.
    package let vapidKey: String?
    /// When it was made.
    package let created: PointInTime

    static let service = SecretName.inboxService
    private static let serverKey = "server"
    private static let endpointKey = "endpoint"
    private static let keyKey = "vapid-key"

    static func name(_ id: String) throws -> SecretName {
        try SecretName(service: service, account: id)
    }

    /// The sender of an item; nil for any other item.
    init?(_ item: SecretItem) {
        guard item.name.service.hasSameBytes(as: Self.service) else { return nil }
        id = item.name.account
        name = item.attributes.label
        server = item.attributes[Self.serverKey] ?? ""
        vapidKey = item.attributes[Self.keyKey]
        created = PointInTime(milliseconds: item.created)
    }

    /// The attributes of the item of a sender.
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

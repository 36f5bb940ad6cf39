public import SecretMemory
public import TextCoding

/// The inbox of one vault: where the messages of its senders wait until the vault has them.
public struct Inbox: Sendable, Hashable {
    /// Its id.
    public let id: PushID
    /// The account.
    public let account: AccountID
    /// The hash of the token that reads waiting messages, and nothing else.
    public let receiving: TokenHash
    /// The hash of the token that removes waiting messages, and nothing else.
    public let acknowledging: TokenHash
    /// When it was made.
    public let created: PointInTime
    /// The number of its last message; 0 before the first.
    public var last: Int64
    /// The theoretical arrival time of its next message; see ``PushLimits``.
    public var next: PointInTime
    /// An upper bound of its waiting messages: acknowledged and expired ones count until the next count.
    public var waiting: Int

    /// Makes an inbox.
    public init(
        id: PushID = PushID(), account: AccountID, receiving: TokenHash, acknowledging: TokenHash,
        created: PointInTime, last: Int64 = 0, next: PointInTime? = nil, waiting: Int = 0
    ) {
        self.id = id
        self.account = account
        self.receiving = receiving
        self.acknowledging = acknowledging
        self.created = created
        self.last = last
        self.next = next ?? created
        self.waiting = waiting
    }
}

/// The permission of one sender to push messages into an inbox (RFC 8030, section 4).
public struct PushSubscription: Sendable, Hashable {
    /// The size of a sender's key in bytes: an uncompressed point of P-256.
    public static let keySize = 65

    /// Its id.
    public let id: PushID
    /// The inbox.
    public let inbox: PushID
    /// The hash of the last part of its URL, which is the sender's credential.
    public let endpoint: TokenHash
    /// The key that must sign each push (RFC 8292, section 4); nil if the URL is enough.
    public let key: [UInt8]?
    /// When it was made.
    public let created: PointInTime
    /// When it was ended; nil while it is valid.
    public var ended: PointInTime?
    /// When the last message was accepted.
    public var pushed: PointInTime?
    /// The theoretical arrival time of its next message; see ``PushLimits``.
    public var next: PointInTime
    /// An upper bound of its waiting messages, as ``Inbox/waiting``.
    public var waiting: Int

    /// Makes a subscription.
    public init(
        id: PushID = PushID(), inbox: PushID, endpoint: TokenHash, key: [UInt8]? = nil,
        created: PointInTime, ended: PointInTime? = nil, pushed: PointInTime? = nil,
        next: PointInTime? = nil, waiting: Int = 0
    ) {
        self.id = id
        self.inbox = inbox
        self.endpoint = endpoint
        self.key = key
        self.created = created
        self.ended = ended
        self.pushed = pushed
        self.next = next ?? created
        self.waiting = waiting
    }
}

/// A message that waits. Its content is encrypted for the vault (RFC 8291).
public struct PushMessage: Sendable, Hashable {
    /// How soon the sender wants it to be read (RFC 8030, section 5.3).
    public enum Urgency: Int64, Sendable, CaseIterable {
        /// At any time.
        case veryLow
        /// Not soon.
        case low
        /// As other messages.
        case normal
        /// At once.
        case high

        /// The value of the header field.
        public var text: String {
            switch self {
            case .veryLow: "very-low"
            case .low: "low"
            case .normal: "normal"
            case .high: "high"
            }
        }
    }

    /// Its id.
    public let id: PushID
    /// The inbox.
    public let inbox: PushID
    /// Its number within the inbox, in the order of acceptance. A number is never given twice.
    public let number: Int64
    /// The subscription.
    public let subscription: PushID
    /// When it was accepted.
    public let received: PointInTime
    /// When it is removed, read or not.
    public let expires: PointInTime
    /// The urgency.
    public let urgency: Urgency
    /// The topic; a later message of the same subscription and topic replaces this one.
    public let topic: String?
    /// The encrypted content.
    public let body: [UInt8]

    /// Makes a message.
    public init(
        id: PushID = PushID(), inbox: PushID, number: Int64, subscription: PushID,
        received: PointInTime, expires: PointInTime, urgency: Urgency = .normal,
        topic: String? = nil, body: [UInt8]
    ) {
        self.id = id
        self.inbox = inbox
        self.number = number
        self.subscription = subscription
        self.received = received
        self.expires = expires
        self.urgency = urgency
        self.topic = topic
        self.body = body
    }
}

/// The id of an inbox, a subscription or a message, as ``AccountID``.
public struct PushID: Sendable, Hashable {
    /// The digits.
    public let text: String

    /// Makes a new id.
    public init(random: RandomSource = .system) {
        text = Hexadecimal.text(random.bytes(count: 16))
    }

    /// Reads an id; nil for anything else.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: 16) else { return nil }
        self.text = text
    }
}

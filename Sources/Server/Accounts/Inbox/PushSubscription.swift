public import TextCoding

/// The permission of one sender to push messages into an inbox (RFC 8030, section 4).
public struct PushSubscription: Sendable, Hashable {
    /// The size of a sender's key in bytes: an uncompressed point of P-256.
    public static let keySize = 65

    /// The id of the subscription.
    public let id: PushID
    /// The inbox.
    public let inbox: PushID
    /// The hash of the last part of its URL, which is the sender's credential.
    public let endpoint: TokenHash
    /// The key that must sign each push (RFC 8292, section 4); nil if the URL is enough.
    public let key: [UInt8]?
    /// The time of creation.
    public let created: PointInTime
    /// The time at which the subscription was ended; nil while it is valid.
    public var ended: PointInTime?
    /// The time at which the server accepted the last message.
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

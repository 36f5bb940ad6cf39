public import TextCoding

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

    /// The id of the message.
    public let id: PushID
    /// The inbox.
    public let inbox: PushID
    /// The number of the message within the inbox, in the order of acceptance. A number is never given twice.
    public let number: Int64
    /// The subscription.
    public let subscription: PushID
    /// The time at which the server accepted the message.
    public let received: PointInTime
    /// The time at which the server removes the message, read or not.
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

public import SecretMemory
public import TextCoding

/// The inbox of one vault: where the messages of its senders wait until the vault has them.
public struct Inbox: Sendable, Hashable {
    /// The id of the inbox.
    public let id: PushID
    /// The account that owns the inbox.
    public let account: AccountID
    /// The first session of the device that got the tokens of this inbox; nil if it is not known. The end of that session also ends the
    /// tokens.
    public let first: SessionID?
    /// The hash of the receiving token, which can only read waiting messages.
    public let receiving: TokenHash
    /// The hash of the acknowledging token, which can only remove waiting messages.
    public let acknowledging: TokenHash
    /// The time at which the inbox was created.
    public let created: PointInTime
    /// The number of the newest message that the inbox has received; 0 before the first message.
    public var last: Int64
    /// The theoretical arrival time of the next message, which limits their rate; see ``PushLimits``.
    public var next: PointInTime
    /// An upper bound for the number of waiting messages: acknowledged and expired ones are included until the next exact count.
    public var waiting: Int

    /// Creates an inbox.
    public init(
        id: PushID = PushID(), account: AccountID, first: SessionID? = nil, receiving: TokenHash,
        acknowledging: TokenHash, created: PointInTime, last: Int64 = 0, next: PointInTime? = nil,
        waiting: Int = 0
    ) {
        self.id = id
        self.account = account
        self.first = first
        self.receiving = receiving
        self.acknowledging = acknowledging
        self.created = created
        self.last = last
        self.next = next ?? created
        self.waiting = waiting
    }
}

/// The id of an inbox, a subscription or a message: 128 random bits as 32 hexadecimal digits in lower case.
public struct PushID: Sendable, Hashable {
    /// The digits.
    public let text: String

    /// Creates a random id.
    public init(random: RandomSource = .system) {
        text = Hexadecimal.text(random.bytes(count: 16))
    }

    /// Reads an id of 32 lower-case hexadecimal digits; nil for other text.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: 16) else { return nil }
        self.text = text
    }
}

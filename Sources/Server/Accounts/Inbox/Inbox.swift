public import SecretMemory
public import TextCoding

/// The inbox of one vault: where the messages of its senders wait until the vault has them.
public struct Inbox: Sendable, Hashable {
    /// Its id.
    public let id: PushID
    /// The account.
    public let account: AccountID
    /// The first session of the device that got the tokens; nil if it is not known. The end of that session ends them.
    public let first: SessionID?
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

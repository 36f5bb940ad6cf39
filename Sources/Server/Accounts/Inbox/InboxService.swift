public import SecretMemory
public import TextCoding

/// Why a request about inboxes is refused. An error of the database is thrown as it is.
public enum InboxError: Error, Sendable, Hashable {
    /// The token is unknown, or its account is disabled.
    case tokenRejected
    /// The inbox or the subscription does not exist, or belongs to another account.
    case missing
    /// The subscription was ended.
    case ended
    /// The account has too many inboxes.
    case tooManyInboxes
    /// The inbox has too many subscriptions.
    case tooManySubscriptions
    /// The subscription is bound to a key that did not sign the push.
    case unsigned
    /// Too many messages; the next one may be accepted after this time.
    case tooManyMessages(retryAfter: Duration)
}

/// Inboxes: their senders push encrypted messages (RFC 8030), and their vaults take them. Thread-safe.
public struct InboxService: Sendable {
    /// The largest number of messages that are read at once.
    public static let pageSize = 64

    let repository: AccountRepository
    let limits: PushLimits
    let random: RandomSource

    /// Makes the service.
    public init(
        repository: AccountRepository, limits: PushLimits = PushLimits(),
        random: RandomSource = .system
    ) {
        self.repository = repository
        self.limits = limits
        self.random = random
    }

    /// Makes an inbox, or new tokens of an inbox instead of the earlier ones.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - session: The session that gets the tokens. They end with it; see `AccountTransaction.endSessions`.
    ///   - id: The inbox that gets new tokens; nil for a new inbox.
    ///   - now: The time.
    /// - Returns: The inbox with its tokens, of which only the hashes are stored.
    /// - Throws: `missing`, `tooManyInboxes`; an error of the database.
    public func makeInbox(
        of account: AccountID, for session: SessionID? = nil, renewing id: PushID? = nil,
        at now: PointInTime
    ) throws -> IssuedInbox {
        let receiving = SecretToken(.receiving, random: random)
        let acknowledging = SecretToken(.acknowledging, random: random)
        let inbox = try repository.change { transaction -> Inbox in
            let first = try session.map { try transaction.device(of: $0)?.first ?? $0 }
            if let id {
                guard let inbox = try transaction.inbox(id), inbox.account == account else {
                    throw InboxError.missing
                }
                try transaction.setTokens(
                    of: id, receiving: receiving.hash, acknowledging: acknowledging.hash,
                    first: first)
                return inbox
            }
            let count = try transaction.inboxes(of: account).count
            guard limits.maximumInboxes == 0 || count < limits.maximumInboxes else {
                throw InboxError.tooManyInboxes
            }
            let inbox = Inbox(
                id: PushID(random: random), account: account, first: first,
                receiving: receiving.hash, acknowledging: acknowledging.hash, created: now)
            try transaction.insert(inbox)
            return inbox
        }
        return IssuedInbox(
            inbox: inbox, receiving: receiving.text, acknowledging: acknowledging.text)
    }

    /// The inboxes of an account with their subscriptions, the oldest first.
    ///
    /// - Throws: An error of the database.
    public func inboxes(of account: AccountID, at now: PointInTime) throws -> [InboxDetails] {
        try repository.read { transaction in
            try transaction.inboxes(of: account).map { inbox in
                let counts = try transaction.countMessagesBySubscription(of: inbox.id, at: now)
                let subscriptions = try transaction.subscriptions(of: inbox.id)
                return InboxDetails(
                    inbox: inbox, waiting: counts.values.reduce(0, +),
                    subscriptions: subscriptions.map { subscription in
                        (subscription: subscription, waiting: counts[subscription.id] ?? 0)
                    })
            }
        }
    }

    /// Removes an inbox with its messages, and ends its subscriptions.
    ///
    /// - Throws: `missing`; an error of the database.
    public func removeInbox(
        _ id: PushID, of account: AccountID, at now: PointInTime
    ) throws {
        try repository.change { transaction in
            guard try transaction.inbox(id)?.account == account else { throw InboxError.missing }
            try transaction.remove(id, at: now)
        }
    }

    /// Makes a subscription.
    ///
    /// - Parameters:
    ///   - inbox: The inbox.
    ///   - account: Its account.
    ///   - key: The key that must sign each push; nil if the URL is enough.
    ///   - now: The time.
    /// - Returns: The subscription with the last part of its URL, of which only the hash is stored.
    /// - Throws: `missing`, `tooManySubscriptions`; an error of the database.
    public func subscribe(
        to inbox: PushID, of account: AccountID, key: [UInt8]?, at now: PointInTime
    ) throws -> IssuedSubscription {
        let endpoint = SecretToken(.endpoint, random: random)
        let subscription = PushSubscription(
            id: PushID(random: random), inbox: inbox, endpoint: endpoint.hash, key: key,
            created: now)
        try repository.change { transaction in
            guard try transaction.inbox(inbox)?.account == account else { throw InboxError.missing }
            let count = try transaction.subscriptions(of: inbox).count
            guard limits.maximumSubscriptions == 0 || count < limits.maximumSubscriptions else {
                throw InboxError.tooManySubscriptions
            }
            try transaction.insert(subscription)
        }
        return IssuedSubscription(subscription: subscription, endpoint: endpoint.text)
    }

    /// Ends a subscription, and removes its messages.
    ///
    /// - Throws: `missing`, also if it was ended before; an error of the database.
    public func endSubscription(
        _ id: PushID, of account: AccountID, at now: PointInTime
    ) throws {
        try repository.change { transaction in
            guard let subscription = try transaction.subscription(id), subscription.ended == nil,
                try transaction.inbox(subscription.inbox)?.account == account
            else { throw InboxError.missing }
            try transaction.end(subscription, at: now)
        }
    }
}

/// An inbox with its tokens.
public struct IssuedInbox: Sendable {
    /// The stored inbox.
    public let inbox: Inbox
    /// The token that reads waiting messages.
    public let receiving: String
    /// The token that removes waiting messages.
    public let acknowledging: String
}

/// A subscription with the last part of its URL.
public struct IssuedSubscription: Sendable {
    /// The stored subscription.
    public let subscription: PushSubscription
    /// The last part of its URL.
    public let endpoint: String
}

/// An inbox as its owner sees it.
public struct InboxDetails: Sendable {
    /// The inbox.
    public let inbox: Inbox
    /// The number of waiting messages.
    public let waiting: Int
    /// The subscriptions that were not ended, the oldest first, each with the number of its waiting messages.
    public let subscriptions: [(subscription: PushSubscription, waiting: Int)]
}

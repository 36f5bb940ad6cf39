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

    /// Makes an inbox.
    ///
    /// - Returns: The inbox with its tokens, of which only the hashes are stored.
    /// - Throws: `tooManyInboxes`; an error of the database.
    public func makeInbox(of account: AccountID, at now: PointInTime) throws -> IssuedInbox {
        let receiving = SecretToken(.receiving, random: random)
        let acknowledging = SecretToken(.acknowledging, random: random)
        let inbox = Inbox(
            id: PushID(random: random), account: account, receiving: receiving.hash,
            acknowledging: acknowledging.hash, created: now)
        try repository.change { transaction in
            let count = try transaction.inboxes(of: account).count
            guard limits.maximumInboxes == 0 || count < limits.maximumInboxes else {
                throw InboxError.tooManyInboxes
            }
            try transaction.insert(inbox)
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

/// Pushing.
extension InboxService {
    /// A message that a sender asks to deliver.
    public struct Push: Sendable {
        /// The hash of the endpoint.
        public let endpoint: TokenHash
        /// How long it may wait, in seconds; from 0.
        public let life: Int64
        /// The urgency.
        public let urgency: PushMessage.Urgency
        /// The topic.
        public let topic: String?
        /// The encrypted content.
        public let body: [UInt8]
        /// The key whose signature was verified; nil if none was.
        public var signer: [UInt8]?

        /// Makes a request without a signature.
        public init(
            endpoint: TokenHash, life: Int64, urgency: PushMessage.Urgency, topic: String?,
            body: [UInt8]
        ) {
            self.endpoint = endpoint
            self.life = life
            self.urgency = urgency
            self.topic = topic
            self.body = body
        }
    }

    /// The hash of the last part of a URL.
    ///
    /// - Throws: `missing` if no subscription can have that URL.
    public static func endpoint(_ text: String) throws(InboxError) -> TokenHash {
        guard let sent = SecretToken(text), sent.kind == .endpoint else { throw .missing }
        return sent.hash
    }

    /// The key that must sign the pushes to an endpoint; nil if none must, or if there is no such subscription.
    ///
    /// - Throws: An error of the database.
    public func key(of endpoint: TokenHash) throws -> [UInt8]? {
        try repository.read { try $0.subscription(endpoint) }?.key
    }

    /// The lifetime of a message, in seconds: that of its sender, within the limit.
    public func granted(_ life: Int64) -> Int64 {
        limits.longestLife > .zero ? min(life, limits.longestLife.components.seconds) : life
    }

    /// Accepts messages in one transaction.
    ///
    /// - Returns: For each push the stored message, or why it is refused.
    /// - Throws: An error of the database: none was accepted.
    public func push(
        _ pushes: [Push], at now: PointInTime
    ) throws -> [Result<PushMessage, InboxError>] {
        let results = try repository.change { transaction in
            var batch = PushBatch(transaction, at: now)
            let results = try pushes.map { push -> Result<PushMessage, InboxError> in
                do {
                    return .success(try accept(push, &batch))
                } catch let error as InboxError {
                    // A refusal of one push must not roll back the others.
                    return .failure(error)
                }
            }
            try batch.finish()
            return results
        }
        let isAccepted = results.contains { if case .success = $0 { true } else { false } }
        if isAccepted { repository.signalInboxes() }
        return results
    }

    private func accept(_ push: Push, _ batch: inout PushBatch) throws -> PushMessage {
        guard var subscription = try batch.subscription(push.endpoint) else {
            throw InboxError.missing
        }
        guard subscription.ended == nil, var inbox = try batch.inbox(subscription.inbox) else {
            throw InboxError.ended
        }
        guard subscription.key == nil || subscription.key == push.signer else {
            throw InboxError.unsigned
        }
        let now = batch.now
        let ofSender = PushLimits.count(subscription.next, of: limits.hourlyOfSender, at: now)
        let ofInbox = PushLimits.count(inbox.next, of: limits.hourlyOfInbox, at: now)
        let wait = max(ofSender.wait, ofInbox.wait)
        guard wait == .zero else { throw InboxError.tooManyMessages(retryAfter: wait) }
        // A message that replaces another one needs no room.
        if try !batch.replaces(push.topic, of: subscription) {
            if limits.isFull(subscription, inbox) {
                try batch.count(&subscription, &inbox)
                guard !limits.isFull(subscription, inbox) else {
                    throw InboxError.tooManyMessages(retryAfter: PushLimits.pause)
                }
            }
            subscription.waiting += 1
            inbox.waiting += 1
        }
        let life = granted(push.life)
        inbox.last += 1
        inbox.next = ofInbox.next
        subscription.next = ofSender.next
        subscription.pushed = now
        let message = PushMessage(
            id: PushID(random: random), inbox: inbox.id, number: inbox.last,
            subscription: subscription.id, received: now,
            expires: now.advanced(by: life == 0 ? PushLimits.shortestLife : .seconds(life)),
            urgency: push.urgency, topic: push.topic, body: push.body)
        try batch.insert(message, inbox, subscription)
        return message
    }
}

/// The pushes of one transaction. Rows that several of them need are read once and written once.
private struct PushBatch {
    let now: PointInTime
    private let transaction: AccountTransaction
    private var subscriptions: [TokenHash: PushSubscription] = [:]
    private var inboxes: [PushID: Inbox] = [:]
    /// The changed rows; for an inbox, whether it got a message.
    private var changedSubscriptions: Set<TokenHash> = []
    private var changedInboxes: [PushID: Bool] = [:]

    init(_ transaction: AccountTransaction, at now: PointInTime) {
        self.transaction = transaction
        self.now = now
    }

    /// A subscription. Its time is bounded if the clock was set back.
    mutating func subscription(_ endpoint: TokenHash) throws -> PushSubscription? {
        if let known = subscriptions[endpoint] { return known }
        guard var found = try transaction.subscription(endpoint) else { return nil }
        if PushLimits.isTooFarAhead(found.next, at: now) {
            found.next = PushLimits.bounded(found.next, at: now)
            changedSubscriptions.insert(endpoint)
        }
        subscriptions[endpoint] = found
        return found
    }

    /// An inbox. Its time is bounded if the clock was set back.
    mutating func inbox(_ id: PushID) throws -> Inbox? {
        if let known = inboxes[id] { return known }
        guard var found = try transaction.inbox(id) else { return nil }
        if PushLimits.isTooFarAhead(found.next, at: now) {
            found.next = PushLimits.bounded(found.next, at: now)
            changedInboxes[id] = false
        }
        inboxes[id] = found
        return found
    }

    /// Removes the waiting message of a topic; whether there was one.
    func replaces(_ topic: String?, of subscription: PushSubscription) throws -> Bool {
        guard let topic else { return false }
        // An expired message is not counted, so it has no place to take.
        return try transaction.removeMessages(of: subscription, topic: topic, at: now) > 0
    }

    /// Counts the waiting messages. Few pushes need that.
    func count(_ subscription: inout PushSubscription, _ inbox: inout Inbox) throws {
        let counts = try transaction.countMessagesBySubscription(of: inbox.id, at: now)
        subscription.waiting = counts[subscription.id] ?? 0
        inbox.waiting = counts.values.reduce(0, +)
    }

    /// Adds a message, and remembers the changes of its inbox and its subscription.
    mutating func insert(
        _ message: PushMessage, _ inbox: Inbox, _ subscription: PushSubscription
    ) throws {
        try transaction.insert(message)
        inboxes[inbox.id] = inbox
        changedInboxes[inbox.id] = true
        subscriptions[subscription.endpoint] = subscription
        changedSubscriptions.insert(subscription.endpoint)
    }

    /// Writes the changed rows.
    func finish() throws {
        let count = changedInboxes.values.filter { $0 }.count
        // Each inbox needs its own number: inboxes with one number could be on two pages, and the second would never be read.
        var change = try count > 0 ? transaction.beginChanges(count) : 0
        for (id, hasMessage) in changedInboxes {
            guard let inbox = inboxes[id] else { continue }
            try transaction.update(inbox, change: hasMessage ? change : nil)
            if hasMessage { change -= 1 }
        }
        for endpoint in changedSubscriptions {
            guard let subscription = subscriptions[endpoint] else { continue }
            try transaction.update(subscription)
        }
    }
}

/// Taking messages.
extension InboxService {
    /// The inbox of a receiving token.
    ///
    /// - Throws: `tokenRejected`; an error of the database.
    public func inbox(receiving token: String) throws -> Inbox {
        guard let sent = SecretToken(token), sent.kind == .receiving,
            let inbox = try repository.read({ try $0.inbox(receiving: sent.hash) })
        else { throw InboxError.tokenRejected }
        try requireEnabled(inbox.account)
        return inbox
    }

    /// Checks that an account may take messages.
    ///
    /// - Throws: `tokenRejected` if it is disabled or removed; an error of the database.
    public func requireEnabled(_ account: AccountID) throws {
        let account = try repository.read { try $0.account(account) }
        guard let account, !account.isDisabled else { throw InboxError.tokenRejected }
    }

    /// The first waiting messages of an inbox with a larger number, the oldest first, at most ``pageSize``.
    ///
    /// - Throws: An error of the database.
    public func messages(
        of inbox: PushID, after number: Int64, at now: PointInTime
    ) throws -> [PushMessage] {
        try repository.read {
            try $0.messages(of: inbox, after: number, at: now, limit: Self.pageSize)
        }
    }

    /// Removes messages that the vault has stored.
    ///
    /// - Returns: The number of those that waited.
    /// - Throws: `tokenRejected`; an error of the database.
    public func acknowledge(_ ids: [PushID], with token: String) throws -> Int {
        guard let sent = SecretToken(token), sent.kind == .acknowledging,
            let inbox = try repository.read({ try $0.inbox(acknowledging: sent.hash) })
        else { throw InboxError.tokenRejected }
        try requireEnabled(inbox.account)
        return try repository.change { try $0.removeMessages(ids, of: inbox.id) }
    }

    /// The number of the last change of any inbox.
    ///
    /// - Throws: An error of the database.
    public func lastChange() throws -> Int64 { try repository.read { try $0.lastChange() } }

    /// The first inboxes that got messages after a change, in the order of the changes, at most ``pageSize``.
    ///
    /// - Throws: An error of the database.
    public func changedInboxes(after change: Int64) throws -> [(inbox: PushID, change: Int64)] {
        try repository.read { try $0.changedInboxes(after: change, limit: Self.pageSize) }
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

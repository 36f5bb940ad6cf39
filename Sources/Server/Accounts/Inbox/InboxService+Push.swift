public import TextCoding

// Pushing: senders deliver messages into inboxes.
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

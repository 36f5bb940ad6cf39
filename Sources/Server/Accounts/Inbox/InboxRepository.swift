public import TextCoding

/// Queries of inboxes.
public protocol InboxReader {
    /// An inbox by its id; nil if there is none.
    func inbox(_ id: PushID) throws -> Inbox?

    /// An inbox by its receiving token; nil if there is none.
    func inbox(receiving token: TokenHash) throws -> Inbox?

    /// An inbox by its acknowledging token; nil if there is none.
    func inbox(acknowledging token: TokenHash) throws -> Inbox?

    /// The inboxes of an account, the oldest first.
    func inboxes(of account: AccountID) throws -> [Inbox]

    /// A subscription by its endpoint, ended or not; nil if there is none.
    func subscription(_ endpoint: TokenHash) throws -> PushSubscription?

    /// A subscription by its id, ended or not; nil if there is none.
    func subscription(_ id: PushID) throws -> PushSubscription?

    /// The subscriptions of an inbox that were not ended, the oldest first.
    func subscriptions(of inbox: PushID) throws -> [PushSubscription]

    /// At most `limit` messages of an inbox with a larger number, in the order of the numbers, that have not expired at `now`.
    func messages(
        of inbox: PushID, after number: Int64, at now: PointInTime, limit: Int
    ) throws -> [PushMessage]

    /// The numbers of messages of an inbox that have not expired at `now`, by their subscriptions; those without messages are left out.
    func countMessagesBySubscription(
        of inbox: PushID, at now: PointInTime
    ) throws -> [PushID: Int]

    /// The number of the last change of any inbox; 0 before the first.
    func lastChange() throws -> Int64

    /// At most `limit` inboxes that got messages after a change, in the order of the changes, each with the number of its last change.
    func changedInboxes(after change: Int64, limit: Int) throws -> [(inbox: PushID, change: Int64)]
}

/// Changes of inboxes, inside one transaction.
public protocol InboxWriter: InboxReader {
    /// Adds an inbox.
    ///
    /// - Throws: ``AccountError/missing`` if the account does not exist; ``AccountError/alreadyExists``.
    func insert(_ inbox: Inbox) throws

    /// Removes an inbox, if it exists, with its messages, and ends its subscriptions.
    func remove(_ inbox: PushID, at time: PointInTime) throws

    /// Adds a subscription.
    ///
    /// - Throws: ``AccountError/missing`` if the inbox does not exist; ``AccountError/alreadyExists``.
    func insert(_ subscription: PushSubscription) throws

    /// Ends a subscription, if it exists, and removes its messages.
    func end(_ subscription: PushSubscription, at time: PointInTime) throws

    /// Adds a message.
    ///
    /// - Throws: ``AccountError/alreadyExists``.
    func insert(_ message: PushMessage) throws

    /// Stores the numbers of messages and the time of an inbox; with the number of a change, the inbox is one of those that changed. No two
    /// inboxes get the same number.
    func update(_ inbox: Inbox, change: Int64?) throws

    /// Stores the times of a subscription, and the number of its messages.
    func update(_ subscription: PushSubscription) throws

    /// Removes the messages of a subscription and a topic that have not expired at `now`.
    ///
    /// - Returns: Their number.
    func removeMessages(
        of subscription: PushSubscription, topic: String, at now: PointInTime
    ) throws -> Int

    /// Removes those messages of an inbox that are there.
    ///
    /// - Returns: Their number.
    func removeMessages(_ ids: [PushID], of inbox: PushID) throws -> Int

    /// The last of the numbers of so many new changes; at the commit, other servers of the database learn that there are some.
    func beginChanges(_ count: Int) throws -> Int64

    /// Removes messages that expired before `time`, and subscriptions that ended before `ended`.
    ///
    /// - Returns: The number of removed rows.
    func purgeInboxes(expiredBefore time: PointInTime, endedBefore ended: PointInTime) throws -> Int
}

internal import Database
public import TextCoding

/// Inboxes.
extension AccountTransaction {
    /// An inbox by its id; nil if there is none.
    public func inbox(_ id: PushID) throws -> Inbox? {
        try transaction.row(
            """
            SELECT id, account, first, receiving, acknowledging, created, last, next, waiting
            FROM inboxes WHERE id = $1
            """, [.text(id.text)], Inbox.init)
    }

    /// An inbox by its receiving token; nil if there is none.
    public func inbox(receiving token: TokenHash) throws -> Inbox? {
        try transaction.row(
            """
            SELECT id, account, first, receiving, acknowledging, created, last, next, waiting
            FROM inboxes WHERE receiving = $1
            """, [.bytes(token.bytes)], Inbox.init)
    }

    /// An inbox by its acknowledging token; nil if there is none.
    public func inbox(acknowledging token: TokenHash) throws -> Inbox? {
        try transaction.row(
            """
            SELECT id, account, first, receiving, acknowledging, created, last, next, waiting
            FROM inboxes WHERE acknowledging = $1
            """, [.bytes(token.bytes)], Inbox.init)
    }

    /// The inboxes of an account, the oldest first.
    public func inboxes(of account: AccountID) throws -> [Inbox] {
        try transaction.rows(
            """
            SELECT id, account, first, receiving, acknowledging, created, last, next, waiting
            FROM inboxes WHERE account = $1 ORDER BY created, id
            """, [.text(account.text)], Inbox.init)
    }

    /// Adds an inbox.
    ///
    /// - Throws: ``AccountError/missing`` if the account does not exist; ``AccountError/alreadyExists``.
    public func insert(_ inbox: Inbox) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO inboxes
                (id, account, first, receiving, acknowledging, created, last, next, waiting, changed)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, 0
            WHERE EXISTS (SELECT 1 FROM accounts WHERE id = $2) ON CONFLICT DO NOTHING
            """,
            [
                .text(inbox.id.text), .text(inbox.account.text), .text(inbox.first?.text),
                .bytes(inbox.receiving.bytes), .bytes(inbox.acknowledging.bytes),
                .time(inbox.created), .integer(inbox.last), .time(inbox.next),
                .count(inbox.waiting),
            ])
        guard inserted == 0 else { return }
        throw try account(inbox.account) == nil ? AccountError.missing : AccountError.alreadyExists
    }

    /// Replaces the tokens of an inbox.
    public func setTokens(
        of inbox: PushID, receiving: TokenHash, acknowledging: TokenHash, first: SessionID?
    ) throws {
        try transaction.change(
            "UPDATE inboxes SET receiving = $2, acknowledging = $3, first = $4 WHERE id = $1",
            [
                .text(inbox.text), .bytes(receiving.bytes), .bytes(acknowledging.bytes),
                .text(first?.text),
            ])
    }

    /// Stores the numbers of messages and the time of an inbox; with the number of a change, the inbox is one of those that changed. No two
    /// inboxes get the same number.
    public func update(_ inbox: Inbox, change: Int64?) throws {
        try transaction.change(
            """
            UPDATE inboxes SET last = $2, next = $3, waiting = $4, changed = coalesce($5, changed)
            WHERE id = $1
            """,
            [
                .text(inbox.id.text), .integer(inbox.last), .time(inbox.next),
                .count(inbox.waiting), .integer(change),
            ])
    }

    /// Removes an inbox, if it exists, with its messages, and ends its subscriptions.
    public func remove(_ inbox: PushID, at time: PointInTime) throws {
        try transaction.change("DELETE FROM messages WHERE inbox = $1", [.text(inbox.text)])
        try transaction.change(
            "UPDATE subscriptions SET ended = $2 WHERE inbox = $1 AND ended IS NULL",
            [.text(inbox.text), .time(time)])
        try transaction.change("DELETE FROM inboxes WHERE id = $1", [.text(inbox.text)])
    }

    /// Removes all inboxes of an account with everything in them.
    func removeInboxes(of account: AccountID) throws {
        for inbox in try inboxes(of: account) {
            let id = [DatabaseValue.text(inbox.id.text)]
            try transaction.change("DELETE FROM messages WHERE inbox = $1", id)
            try transaction.change("DELETE FROM subscriptions WHERE inbox = $1", id)
            try transaction.change("DELETE FROM inboxes WHERE id = $1", id)
        }
    }
}

/// The numbers of changes, by which servers find what waiting requests wait for.
extension AccountTransaction {
    /// The number of the last change of any inbox or group of sync; 0 before the first.
    public func lastChange() throws -> Int64 {
        try transaction.row("SELECT last FROM changes WHERE id = 0") { try $0.integer(0) } ?? 0
    }

    /// At most `limit` inboxes and groups of sync that got messages or blobs after a change, in the order of the changes, each with the number of
    /// its last change. The subject is the id of an inbox, or those of a group's account and of the group, which two accounts may share.
    public func changed(
        after change: Int64, limit: Int
    ) throws -> [(subject: String, change: Int64)] {
        // Up to the last change: a later commit between the two statements must not hide an earlier one.
        let range = [
            DatabaseValue.integer(change), .integer(try lastChange()), .count(limit),
        ]
        let inboxes = try transaction.rows(
            """
            SELECT id, changed FROM inboxes WHERE changed > $1 AND changed <= $2
            ORDER BY changed LIMIT $3
            """, range
        ) { row in (subject: try row.text(0), change: try row.integer(1)) }
        let groups = try transaction.rows(
            """
            SELECT account, id, changed FROM sync_groups WHERE changed > $1 AND changed <= $2
            ORDER BY changed LIMIT $3
            """, range
        ) { row in (subject: try row.text(0) + row.text(1), change: try row.integer(2)) }
        return Array((inboxes + groups).sorted { $0.change < $1.change }.prefix(limit))
    }

    /// Takes the numbers of new changes. A database server notifies its listeners at the commit; see also `AccountRepository.signalInboxes()`.
    ///
    /// - Returns: The last of `count` numbers.
    public func beginChanges(_ count: Int) throws -> Int64 {
        try transaction.change(
            """
            INSERT INTO changes (id, last) VALUES (0, $1)
            ON CONFLICT (id) DO UPDATE SET last = changes.last + $1
            """, [.count(count)])
        return try transaction.row(
            SQL(
                sqlite: "SELECT last FROM changes WHERE id = 0",
                postgreSQL: """
                    SELECT last, pg_notify('taskvault_inboxes', '') IS NULL FROM changes WHERE id = 0
                    """)
        ) { try $0.integer(0) } ?? 0
    }
}

/// Subscriptions.
extension AccountTransaction {
    /// A subscription by its endpoint, ended or not; nil if there is none.
    public func subscription(_ endpoint: TokenHash) throws -> PushSubscription? {
        try transaction.row(
            """
            SELECT id, inbox, endpoint, key, created, ended, pushed, next, waiting
            FROM subscriptions WHERE endpoint = $1
            """, [.bytes(endpoint.bytes)], PushSubscription.init)
    }

    /// A subscription by its id, ended or not; nil if there is none.
    public func subscription(_ id: PushID) throws -> PushSubscription? {
        try transaction.row(
            """
            SELECT id, inbox, endpoint, key, created, ended, pushed, next, waiting
            FROM subscriptions WHERE id = $1
            """, [.text(id.text)], PushSubscription.init)
    }

    /// The subscriptions of an inbox that were not ended, the oldest first.
    public func subscriptions(of inbox: PushID) throws -> [PushSubscription] {
        try transaction.rows(
            """
            SELECT id, inbox, endpoint, key, created, ended, pushed, next, waiting
            FROM subscriptions WHERE inbox = $1 AND ended IS NULL ORDER BY created, id
            """, [.text(inbox.text)], PushSubscription.init)
    }

    /// Adds a subscription.
    ///
    /// - Throws: ``AccountError/missing`` if the inbox does not exist; ``AccountError/alreadyExists``.
    public func insert(_ subscription: PushSubscription) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO subscriptions
                (id, inbox, endpoint, key, created, ended, pushed, next, waiting)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
            WHERE EXISTS (SELECT 1 FROM inboxes WHERE id = $2) ON CONFLICT DO NOTHING
            """,
            [
                .text(subscription.id.text), .text(subscription.inbox.text),
                .bytes(subscription.endpoint.bytes), .bytes(subscription.key),
                .time(subscription.created), .time(subscription.ended),
                .time(subscription.pushed), .time(subscription.next),
                .count(subscription.waiting),
            ])
        guard inserted == 0 else { return }
        throw try inbox(subscription.inbox) == nil
            ? AccountError.missing : AccountError.alreadyExists
    }

    /// Stores the times of a subscription, and the number of its messages.
    public func update(_ subscription: PushSubscription) throws {
        try transaction.change(
            "UPDATE subscriptions SET pushed = $2, next = $3, waiting = $4 WHERE id = $1",
            [
                .text(subscription.id.text), .time(subscription.pushed),
                .time(subscription.next), .count(subscription.waiting),
            ])
    }

    /// Ends a subscription, if it exists, and removes its messages.
    public func end(_ subscription: PushSubscription, at time: PointInTime) throws {
        let id = DatabaseValue.text(subscription.id.text)
        try transaction.change(
            "DELETE FROM messages WHERE inbox = $1 AND subscription = $2",
            [.text(subscription.inbox.text), id])
        try transaction.change(
            "UPDATE subscriptions SET ended = $2 WHERE id = $1 AND ended IS NULL",
            [id, .time(time)])
    }
}

/// Messages.
extension AccountTransaction {
    /// At most `limit` messages of an inbox with a larger number, in the order of the numbers, that have not expired at `now`.
    public func messages(
        of inbox: PushID, after number: Int64, at now: PointInTime, limit: Int
    ) throws -> [PushMessage] {
        try transaction.rows(
            """
            SELECT inbox, number, id, subscription, received, expires, urgency, topic, body
            FROM messages WHERE inbox = $1 AND number > $2 AND expires > $3
            ORDER BY number LIMIT $4
            """, [.text(inbox.text), .integer(number), .time(now), .count(limit)],
            PushMessage.init)
    }

    /// The numbers of messages of an inbox that have not expired at `now`, by their subscriptions; those without messages are left out.
    public func countMessagesBySubscription(
        of inbox: PushID, at now: PointInTime
    ) throws -> [PushID: Int] {
        let counts = try transaction.rows(
            """
            SELECT subscription, count(*) FROM messages
            WHERE inbox = $1 AND expires > $2 GROUP BY subscription
            """, [.text(inbox.text), .time(now)]
        ) { row in (try row.pushID(0), Int(try row.integer(1))) }
        return Dictionary(counts) { first, _ in first }
    }

    /// Adds a message.
    ///
    /// - Throws: ``AccountError/alreadyExists``.
    public func insert(_ message: PushMessage) throws {
        let inserted = try transaction.change(
            """
            INSERT INTO messages
                (inbox, number, id, subscription, received, expires, urgency, topic, body)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING
            """,
            [
                .text(message.inbox.text), .integer(message.number), .text(message.id.text),
                .text(message.subscription.text), .time(message.received),
                .time(message.expires), .integer(message.urgency.rawValue),
                .text(message.topic), .bytes(message.body),
            ])
        guard inserted == 1 else { throw AccountError.alreadyExists }
    }

    /// Removes the messages of a subscription and a topic that have not expired at `now`.
    ///
    /// - Returns: Their number.
    public func removeMessages(
        of subscription: PushSubscription, topic: String, at now: PointInTime
    ) throws -> Int {
        try transaction.change(
            """
            DELETE FROM messages
            WHERE inbox = $1 AND subscription = $2 AND topic = $3 AND expires > $4
            """,
            [
                .text(subscription.inbox.text), .text(subscription.id.text), .text(topic),
                .time(now),
            ])
    }

    /// Removes those messages of an inbox that are there.
    ///
    /// - Returns: Their number.
    public func removeMessages(_ ids: [PushID], of inbox: PushID) throws -> Int {
        let inbox = DatabaseValue.text(inbox.text)
        let wanted = Set(ids)
        // Few messages wait, and an index by id would slow down each push.
        let waiting = try transaction.rows(
            "SELECT id, number FROM messages WHERE inbox = $1", [inbox]
        ) { row in (id: try row.pushID(0), number: try row.integer(1)) }
        return try waiting.filter { wanted.contains($0.id) }.map { message in
            try transaction.change(
                "DELETE FROM messages WHERE inbox = $1 AND number = $2",
                [inbox, .integer(message.number)])
        }.reduce(0, +)
    }
}

extension Inbox {
    fileprivate init(_ row: any Row) throws {
        self.init(
            id: try row.pushID(0), account: try row.accountID(1),
            first: row.isNull(2) ? nil : try row.sessionID(2), receiving: try row.hash(3),
            acknowledging: try row.hash(4), created: try row.time(5), last: try row.integer(6),
            next: try row.time(7), waiting: try row.count(8))
    }
}

extension PushSubscription {
    fileprivate init(_ row: any Row) throws {
        let key = try row.optionalBytes(3)
        guard key.map({ $0.count == PushSubscription.keySize }) ?? true else {
            throw DatabaseError.invalidColumn
        }
        self.init(
            id: try row.pushID(0), inbox: try row.pushID(1), endpoint: try row.hash(2), key: key,
            created: try row.time(4), ended: try row.optionalTime(5),
            pushed: try row.optionalTime(6), next: try row.time(7), waiting: try row.count(8))
    }
}

extension PushMessage {
    fileprivate init(_ row: any Row) throws {
        self.init(
            id: try row.pushID(2), inbox: try row.pushID(0), number: try row.integer(1),
            subscription: try row.pushID(3), received: try row.time(4), expires: try row.time(5),
            urgency: try row.valid(Urgency(rawValue: row.integer(6))),
            topic: try row.optionalText(7), body: try row.bytes(8))
    }
}

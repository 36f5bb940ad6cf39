import Accounts
import Testing
import TextCoding

/// Inboxes, subscriptions and messages, by numbers.
enum InboxSamples {
    static func id(_ number: Int) -> PushID {
        let text = String(number, radix: 16)
        guard let id = PushID(String(repeating: "0", count: 32 - text.utf8.count) + text) else {
            preconditionFailure("these are digits")
        }
        return id
    }

    static func inbox(_ number: Int, of account: Int = 1, created: Int64 = 1_000) -> Inbox {
        Inbox(
            id: id(number), account: AccountSamples.accountID(account),
            receiving: TokenHash(of: "receiving \(number)"),
            acknowledging: TokenHash(of: "acknowledging \(number)"),
            created: AccountSamples.time(created))
    }

    static func subscription(
        _ number: Int, of inbox: Int = 1, key: [UInt8]? = nil, created: Int64 = 2_000
    ) -> PushSubscription {
        PushSubscription(
            id: id(100 + number), inbox: id(inbox), endpoint: TokenHash(of: "endpoint \(number)"),
            key: key, created: AccountSamples.time(created))
    }

    static func message(
        _ number: Int, of subscription: PushSubscription, expires: Int64 = 9_000,
        topic: String? = nil, size: Int = 3
    ) -> PushMessage {
        PushMessage(
            id: id(1_000 + number), inbox: subscription.inbox, number: Int64(number),
            subscription: subscription.id, received: AccountSamples.time(3_000),
            expires: AccountSamples.time(expires), urgency: .high, topic: topic,
            body: [UInt8](repeating: UInt8(number & 0xFF), count: size))
    }
}

extension AccountRepository {
    /// Adds account 1 with inbox 1 and subscriptions 1 and 2.
    fileprivate func fillInbox() throws {
        try fill(1)
        try change { writer in
            try writer.insert(InboxSamples.inbox(1))
            try writer.insert(InboxSamples.subscription(1))
            try writer.insert(InboxSamples.subscription(2))
        }
    }

    /// Adds messages of a subscription as one change.
    @discardableResult
    fileprivate func push(_ messages: [PushMessage], of number: Int = 1) throws -> Int64 {
        try change { writer in
            let change = try writer.beginChanges(1)
            for message in messages {
                var inbox = InboxSamples.inbox(1)
                inbox.last = message.number
                inbox.waiting = Int(message.number)
                var subscription = InboxSamples.subscription(number)
                subscription.pushed = message.received
                subscription.waiting = Int(message.number)
                try writer.insert(message)
                try writer.update(inbox, change: change)
                try writer.update(subscription)
            }
            return change
        }
    }

    fileprivate func numbers(after number: Int64 = 0, at time: Int64 = 0) throws -> [Int64] {
        try read {
            try $0.messages(
                of: InboxSamples.id(1), after: number, at: AccountSamples.time(time), limit: 99)
        }.map(\.number)
    }
}

extension AccountRepositoryContract {
    static let inboxRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("finds an inbox by its id, its tokens and its account") {
            subject in
            let repository = subject.repository
            try repository.fill(2)
            let inboxes = [
                InboxSamples.inbox(1, created: 5), InboxSamples.inbox(2, created: 3),
                InboxSamples.inbox(3, of: 2),
            ]
            try repository.change { writer in
                for inbox in inboxes { try writer.insert(inbox) }
            }
            for inbox in inboxes {
                #expect(try repository.read { try $0.inbox(inbox.id) } == inbox)
                #expect(try repository.read { try $0.inbox(receiving: inbox.receiving) } == inbox)
                #expect(
                    try repository.read { try $0.inbox(acknowledging: inbox.acknowledging) }
                        == inbox)
                // One token is not the other.
                #expect(try repository.read { try $0.inbox(receiving: inbox.acknowledging) } == nil)
                #expect(try repository.read { try $0.inbox(acknowledging: inbox.receiving) } == nil)
            }
            #expect(
                try repository.read { try $0.inboxes(of: AccountSamples.accountID(1)) }.map(\.id)
                    == [inboxes[1].id, inboxes[0].id])
            #expect(throws: AccountError.alreadyExists) {
                try repository.change { try $0.insert(inboxes[0]) }
            }
            #expect(throws: AccountError.missing) {
                try repository.change { try $0.insert(InboxSamples.inbox(4, of: 9)) }
            }
        },
        AccountRepositoryContract("finds a subscription, and remembers that it ended") { subject in
            let repository = subject.repository
            try repository.fillInbox()
            let key = [4] + [UInt8](repeating: 7, count: 64)
            let bound = InboxSamples.subscription(3, key: key, created: 1)
            try repository.change { try $0.insert(bound) }
            #expect(try repository.read { try $0.subscription(bound.endpoint) } == bound)
            #expect(try repository.read { try $0.subscription(bound.id) } == bound)
            #expect(
                try repository.read { try $0.subscriptions(of: InboxSamples.id(1)) }.map(\.id)
                    == [103, 101, 102].map(InboxSamples.id))
            #expect(throws: AccountError.missing) {
                try repository.change { try $0.insert(InboxSamples.subscription(4, of: 9)) }
            }
            #expect(throws: AccountError.alreadyExists) {
                try repository.change { try $0.insert(bound) }
            }
            try repository.push([InboxSamples.message(1, of: bound)], of: 3)
            try repository.push([InboxSamples.message(2, of: InboxSamples.subscription(2))], of: 2)
            let end = AccountSamples.time(4_000)
            try repository.change { try $0.end(bound, at: end) }
            // Only once.
            try repository.change { try $0.end(bound, at: AccountSamples.time(5_000)) }
            #expect(try repository.read { try $0.subscription(bound.endpoint) }?.ended == end)
            #expect(try repository.numbers() == [2])
            #expect(
                try repository.read { try $0.subscriptions(of: InboxSamples.id(1)) }.map(\.id)
                    == [101, 102].map(InboxSamples.id))
        },
        AccountRepositoryContract("gives messages in their order until they expire") { subject in
            let repository = subject.repository
            try repository.fillInbox()
            let subscription = InboxSamples.subscription(1)
            let messages = [
                InboxSamples.message(1, of: subscription, size: 4_096),
                InboxSamples.message(2, of: subscription, expires: 50, topic: "t"),
                InboxSamples.message(3, of: subscription),
            ]
            try repository.push(messages)
            let id = InboxSamples.id(1)
            let now = AccountSamples.time(49)
            #expect(
                try repository.read { try $0.messages(of: id, after: 0, at: now, limit: 9) }
                    == messages)
            #expect(
                try repository.read { try $0.messages(of: id, after: 1, at: now, limit: 1) } == [
                    messages[1]
                ])
            #expect(
                try repository.read { try $0.messages(of: id, after: 3, at: now, limit: 9) } == [])
            #expect(
                try repository.read {
                    try $0.messages(of: InboxSamples.id(2), after: 0, at: now, limit: 9)
                } == [])
            #expect(try repository.numbers(at: 50) == [1, 3])
            #expect(
                try repository.read {
                    try $0.countMessagesBySubscription(of: id, at: AccountSamples.time(50))
                }
                    == [subscription.id: 2])
            #expect(
                try repository.read {
                    try $0.countMessagesBySubscription(of: InboxSamples.id(2), at: now)
                } == [:])
            #expect(try repository.read { try $0.inbox(id) }?.last == 3)
            #expect(try repository.read { try $0.inbox(id) }?.waiting == 3)
            #expect(try repository.read { try $0.subscription(subscription.id) }?.waiting == 3)
            #expect(
                try repository.read { try $0.subscription(subscription.id) }?.pushed
                    == AccountSamples.time(3_000))
            #expect(throws: AccountError.alreadyExists) { try repository.push([messages[0]]) }
        },
        AccountRepositoryContract("removes messages by id, topic and age") { subject in
            let repository = subject.repository
            try repository.fillInbox()
            let (first, second) = (InboxSamples.subscription(1), InboxSamples.subscription(2))
            try repository.push([
                InboxSamples.message(1, of: first, topic: "a"),
                InboxSamples.message(2, of: first, topic: "b"),
                InboxSamples.message(3, of: second, expires: 99, topic: "a"),
                InboxSamples.message(4, of: second, expires: 100),
            ])
            try repository.change { writer throws in
                func remove(_ topic: String, of subscription: PushSubscription) throws -> Int {
                    try writer.removeMessages(
                        of: subscription, topic: topic, at: AccountSamples.time(99))
                }
                #expect(try remove("c", of: first) == 0)
                #expect(try remove("a", of: first) == 1)
                // One that has expired is not among those that wait.
                #expect(try remove("a", of: second) == 0)
                // An id of another inbox removes nothing.
                let ids = [InboxSamples.id(1_002), InboxSamples.id(999)]
                #expect(try writer.removeMessages(ids, of: InboxSamples.id(2)) == 0)
                #expect(try writer.removeMessages(ids, of: InboxSamples.id(1)) == 1)
                #expect(try writer.removeMessages(ids, of: InboxSamples.id(1)) == 0)
            }
            #expect(try repository.numbers() == [3, 4])
            try repository.change { try $0.end(first, at: AccountSamples.time(10)) }
            func purge(_ expired: Int64, _ ended: Int64) throws -> Int {
                try repository.change {
                    try $0.purgeInboxes(
                        expiredBefore: AccountSamples.time(expired),
                        endedBefore: AccountSamples.time(ended))
                }
            }
            #expect(try purge(99, 10) == 0)
            #expect(try purge(100, 11) == 2)
            #expect(try repository.numbers() == [4])
            #expect(try repository.read { try $0.subscription(first.endpoint) } == nil)
            #expect(try repository.read { try $0.subscription(second.endpoint) } != nil)
        },
        AccountRepositoryContract("tells which inboxes changed, and never gives a number twice") {
            subject in
            let repository = subject.repository
            try repository.fillInbox()
            #expect(try repository.read { try $0.lastChange() } == 0)
            #expect(try repository.read { try $0.changed(after: 0, limit: 9) }.isEmpty)
            let subscription = InboxSamples.subscription(1)
            let first = try repository.push([InboxSamples.message(1, of: subscription)])
            let second = try repository.push([InboxSamples.message(2, of: subscription)])
            #expect(first < second)
            #expect(try repository.read { try $0.lastChange() } == second)
            let changed = try repository.read { try $0.changed(after: first, limit: 9) }
            #expect(changed.map(\.subject) == [InboxSamples.id(1).text])
            #expect(changed.map(\.change) == [second])
            // Without the number of a change, an inbox is not one of those that changed.
            var inbox = try #require(try repository.read { try $0.inbox(InboxSamples.id(1)) })
            inbox.next = AccountSamples.time(4_711)
            try repository.change { try $0.update(inbox, change: nil) }
            #expect(try repository.read { try $0.inbox(inbox.id) } == inbox)
            #expect(try repository.read { try $0.changed(after: second, limit: 9) }.isEmpty)
            try repository.change {
                try $0.remove(InboxSamples.id(1), at: AccountSamples.time(5))
            }
            #expect(try repository.read { try $0.changed(after: 0, limit: 9) }.isEmpty)
            let third = try repository.change { try $0.beginChanges(3) }
            #expect(third == second + 3)
            let other = try subject.openAgain()
            #expect(try other.read { try $0.lastChange() } == third)
            subject.close(other)
        },
        AccountRepositoryContract("removes an inbox with its messages, and ends its senders") {
            subject in
            let repository = subject.repository
            try repository.fillInbox()
            try repository.push([InboxSamples.message(1, of: InboxSamples.subscription(1))])
            let time = AccountSamples.time(77)
            try repository.change { try $0.remove(InboxSamples.id(1), at: time) }
            #expect(try repository.read { try $0.inbox(InboxSamples.id(1)) } == nil)
            #expect(try repository.numbers() == [])
            for number in 1...2 {
                let endpoint = InboxSamples.subscription(number).endpoint
                #expect(try repository.read { try $0.subscription(endpoint) }?.ended == time)
            }
        },
        AccountRepositoryContract("removes an account with its inboxes") { subject in
            let repository = subject.repository
            try repository.fillInbox()
            try repository.push([InboxSamples.message(1, of: InboxSamples.subscription(1))])
            try repository.change { try $0.remove(AccountSamples.accountID(1)) }
            #expect(try repository.read { try $0.inbox(InboxSamples.id(1)) } == nil)
            #expect(
                try repository.read { try $0.subscription(InboxSamples.subscription(1).endpoint) }
                    == nil)
            #expect(try repository.numbers() == [])
        },
        AccountRepositoryContract("rolls messages back if the caller's function throws") {
            subject in
            let repository = subject.repository
            try repository.fillInbox()
            #expect(throws: AccountError.rejected) {
                try repository.change { writer in
                    let subscription = InboxSamples.subscription(1)
                    let change = try writer.beginChanges(1)
                    try writer.insert(InboxSamples.message(1, of: subscription))
                    try writer.update(InboxSamples.inbox(1), change: change)
                    throw AccountError.rejected
                }
            }
            #expect(try repository.numbers() == [])
            #expect(try repository.read { try $0.lastChange() } == 0)
        },
    ]

    static let checklistRules: [AccountRepositoryContract] = [
        AccountRepositoryContract("stores checklists by their ids, and lists them by title") {
            subject in
            let repository = subject.repository
            func checklist(_ id: String, _ title: String, revision: Int64 = 1) -> PublishedChecklist
            {
                PublishedChecklist(
                    id: id, revision: revision, published: AccountSamples.time(7), title: title,
                    summary: "s\nt", picture: id == "b" ? "https://example.org/p" : nil, count: 1,
                    items: #"[{"title":"é","details":""}]"#)
            }
            let (first, second) = (checklist("a", "Zebra"), checklist("b", "Ärger"))
            try repository.change { writer in
                try writer.put(first)
                try writer.put(second)
            }
            #expect(try repository.read { try $0.checklist("a") } == first)
            #expect(try repository.read { try $0.checklist("c") } == nil)
            func listed(_ checklist: PublishedChecklist) -> PublishedChecklist {
                PublishedChecklist(
                    id: checklist.id, revision: checklist.revision, published: checklist.published,
                    title: checklist.title, summary: checklist.summary, picture: checklist.picture,
                    count: checklist.count, items: "")
            }
            // By bytes, in both databases, and without the items.
            #expect(try repository.read { try $0.checklists() } == [first, second].map(listed))
            let again = checklist("a", "Apple", revision: 2)
            try repository.change { try $0.put(again) }
            #expect(try repository.read { try $0.checklists() } == [again, second].map(listed))
            #expect(try repository.read { try $0.checklist("a") } == again)
            try repository.change { writer throws in
                #expect(try writer.removeChecklist("a"))
                #expect(try !writer.removeChecklist("a"))
            }
            #expect(try repository.read { try $0.checklists() } == [listed(second)])
        }
    ]
}

internal import TextCoding

/// The limits of messages. 0 switches a limit off.
public struct PushLimits: Sendable, Hashable {
    /// The number of messages of one subscription at once, and again within an hour.
    public var hourlyOfSender: Int64 = 60
    /// The number of waiting messages of one subscription.
    public var waitingOfSender = 100
    /// The number of messages of one inbox at once, and again within an hour.
    public var hourlyOfInbox: Int64 = 600
    /// The number of waiting messages of one inbox.
    public var waitingOfInbox = 1_000
    /// The longest time that a message waits. ``InboxService/granted(_:)`` shortens longer ones.
    public var longestLife: Duration = .seconds(28 * 24 * 60 * 60)
    /// The number of inboxes of an account.
    public var maximumInboxes = 16
    /// The number of subscriptions of an inbox.
    public var maximumSubscriptions = 200

    /// The largest content, in bytes (RFC 8030, section 7.2).
    public static let maximumSize = 4_096
    /// How long a message without a life of its own waits: as long as a client is between two polls.
    static let shortestLife: Duration = .seconds(5)
    /// How long an ended subscription is remembered, so that its sender learns that it was ended.
    static let memoryOfEnded: Duration = .seconds(90 * 24 * 60 * 60)
    /// When to try again while too many messages wait.
    static let pause: Duration = .seconds(15 * 60)
    private static let period: Duration = .seconds(60 * 60)

    /// The default limits.
    public init() {}

    /// Whether the number of waiting messages of a sender or its inbox is at its limit.
    func isFull(_ subscription: PushSubscription, _ inbox: Inbox) -> Bool {
        (waitingOfSender > 0 && subscription.waiting >= waitingOfSender)
            || (waitingOfInbox > 0 && inbox.waiting >= waitingOfInbox)
    }

    /// Whether a time is too far ahead, because the clock was set back. Without a bound it would block the sender for as long.
    static func isTooFarAhead(_ next: PointInTime, at now: PointInTime) -> Bool {
        next > now.advanced(by: period)
    }

    /// The time, if it is not too far ahead, otherwise the latest that is not.
    static func bounded(_ next: PointInTime, at now: PointInTime) -> PointInTime {
        min(next, now.advanced(by: period))
    }

    /// Counts one more message: the generic cell rate algorithm (ITU-T I.371), as for the attempts of a network.
    ///
    /// - Parameters:
    ///   - next: The theoretical arrival time before.
    ///   - count: The number of messages in an hour.
    ///   - now: The time.
    /// - Returns: The theoretical arrival time afterwards, or the time to wait.
    static func count(
        _ next: PointInTime, of count: Int64, at now: PointInTime
    ) -> (next: PointInTime, wait: Duration) {
        guard count > 0 else { return (next, .zero) }
        let interval = period / Int(count)
        let after = max(now, bounded(next, at: now)).advanced(by: interval)
        let first = after.advanced(by: .zero - period)
        guard first > now else { return (after, .zero) }
        return (next, .milliseconds(first.milliseconds - now.milliseconds))
    }
}

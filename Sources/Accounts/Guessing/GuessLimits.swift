internal import TextCoding

/// Limits of password guesses. 0 switches a limit off.
public struct GuessLimits: Sendable, Hashable {
    /// The number of failures of one name, or of one name at a known place, before a delay.
    public var freeFailures: Int64 = 5
    /// The delay after the last free failure; each further failure doubles it.
    public var firstDelay: Duration = .seconds(30)
    /// The longest delay. It bounds how long an attacker can lock an owner out.
    public var maximumDelay: Duration = .seconds(15 * 60)
    /// The time after the last failure until the failures of a name are forgotten.
    public var memory: Duration = .seconds(24 * 60 * 60)
    /// The number of attempts of one network, at once and again within ``networkPeriod``.
    public var networkAttempts: Int64 = 15
    /// The time in which a network regains all its attempts, evenly.
    public var networkPeriod: Duration = .seconds(60)
    /// The number of names and networks with stored attempts; beyond it the oldest are forgotten.
    public var maximumKeys = 100_000
    /// How long a place is known after a sign-in; at least the lifetime of a session.
    public var knownPlaceLifetime: Duration = .seconds(180 * 24 * 60 * 60)
    /// The number of known places of an account; beyond it those used last stay.
    public var maximumKnownPlaces = 16

    /// The default limits.
    public init() {}
}

/// The failures of a name: some without a delay, then a delay that doubles.
extension GuessLimits {
    /// The delay after a number of failures.
    func delay(after failures: Int64) -> Duration {
        guard freeFailures > 0, firstDelay > .zero, failures >= freeFailures else { return .zero }
        let doublings = failures - freeFailures
        // 2^31 times a useful first delay exceeds the maximum.
        return doublings > 31 ? maximumDelay : min(firstDelay * (1 << doublings), maximumDelay)
    }

    /// The record of a name as it counts at `now`; nil if it has expired.
    ///
    /// Both times are bounded by the delay, so a clock that was set back locks no name for longer.
    func current(_ record: AttemptRecord?, at now: PointInTime) -> AttemptRecord? {
        guard var record, record.last.advanced(by: memory) > now else { return nil }
        record.last = min(record.last, now)
        record.next = min(record.next, now.advanced(by: delay(after: record.failures)))
        return record
    }

    /// The record of a name after one more failure.
    func failed(_ record: AttemptRecord?, of key: AttemptKey, at now: PointInTime) -> AttemptRecord
    {
        let failures = (record?.failures ?? 0) + 1
        return AttemptRecord(
            key: key, failures: failures, next: now.advanced(by: delay(after: failures)),
            last: now)
    }
}

/// The attempts of a network: the generic cell rate algorithm (ITU-T I.371). Its theoretical arrival time is ``AttemptRecord/next``.
extension GuessLimits {
    private var interval: Duration { networkPeriod / Int(networkAttempts) }

    /// The theoretical arrival time at `now`, bounded in case the clock was set back.
    private func refilled(_ record: AttemptRecord?, at now: PointInTime) -> PointInTime {
        max(now, min(record?.next ?? now, now.advanced(by: networkPeriod)))
    }

    /// When a network may try again; no later than `now` if it may.
    func nextOfNetwork(_ record: AttemptRecord?, at now: PointInTime) -> PointInTime {
        refilled(record, at: now).advanced(by: interval - networkPeriod)
    }

    /// The corrected record of a network whose time is too far ahead; nil for any other.
    func bounded(_ record: AttemptRecord, at now: PointInTime) -> AttemptRecord? {
        var bounded = record
        bounded.next = refilled(record, at: now)
        return bounded.next < record.next ? bounded : nil
    }

    /// The record of a network after one more attempt.
    func tried(_ record: AttemptRecord?, of key: AttemptKey, at now: PointInTime) -> AttemptRecord {
        AttemptRecord(
            key: key, failures: 1, next: refilled(record, at: now).advanced(by: interval),
            last: now)
    }

    /// The record of a network after one attempt is released; nil if it need not be stored.
    func released(_ record: AttemptRecord, at now: PointInTime) -> AttemptRecord? {
        var record = record
        record.next = refilled(record, at: now).advanced(by: .zero - interval)
        return record.next > now ? record : nil
    }
}

internal import TextCoding

/// How often passwords may be guessed. 0 switches a limit off.
public struct GuessLimits: Sendable, Hashable {
    /// How many failures of one name, or of one name at a place that it knows, have no consequence.
    public var freeFailures: Int64 = 5
    /// The delay after the last free failure; each further failure doubles it.
    public var firstDelay: Duration = .seconds(30)
    /// The longest delay. It bounds how long anybody can be kept out.
    public var maximumDelay: Duration = .seconds(15 * 60)
    /// How long after the last failure the failures of a name are forgotten.
    public var memory: Duration = .seconds(24 * 60 * 60)
    /// How many attempts of one network are possible at once, and again within ``networkPeriod``.
    public var networkAttempts: Int64 = 15
    /// The time in which a network gets all its attempts back, evenly.
    public var networkPeriod: Duration = .seconds(60)
    /// How many names and networks are remembered; beyond that the oldest are forgotten.
    public var maximumKeys = 100_000
    /// How long a place is known after a sign-in: as long as a session lasts, at the least.
    public var knownPlaceLifetime: Duration = .seconds(180 * 24 * 60 * 60)
    /// How many places an account knows; beyond that those used last stay.
    public var maximumKnownPlaces = 16

    /// The limits of a server that nobody configured.
    public init() {}
}

/// The failures of a name: free ones, then a delay that doubles.
extension GuessLimits {
    /// The delay after so many failures.
    func delay(after failures: Int64) -> Duration {
        guard freeFailures > 0, firstDelay > .zero, failures >= freeFailures else { return .zero }
        let doublings = failures - freeFailures
        // 2^31 times any delay worth setting is over the maximum.
        return doublings > 31 ? maximumDelay : min(firstDelay * (1 << doublings), maximumDelay)
    }

    /// What is remembered of a name as it counts at `now`; nil where nothing does.
    ///
    /// A clock that was set back must not keep anybody out for longer than the delay, so neither time lies farther ahead than that.
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

/// The attempts of a network: the generic cell rate algorithm (ITU-T I.371), whose one time, ``AttemptRecord/next``, says when all attempts
/// would be there again.
extension GuessLimits {
    private var interval: Duration { networkPeriod / Int(networkAttempts) }

    /// The time of the algorithm at `now`, which a clock that was set back does not move farther ahead than it can be.
    private func refilled(_ record: AttemptRecord?, at now: PointInTime) -> PointInTime {
        max(now, min(record?.next ?? now, now.advanced(by: networkPeriod)))
    }

    /// From when on a network may try again; no later than `now` if it may.
    func nextOfNetwork(_ record: AttemptRecord?, at now: PointInTime) -> PointInTime {
        refilled(record, at: now).advanced(by: interval - networkPeriod)
    }

    /// The record of a network whose time is farther ahead than it can be, put right; nil for any other.
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

    /// The record of a network after one attempt less; nil where nothing needs to be remembered.
    func takenBack(_ record: AttemptRecord, at now: PointInTime) -> AttemptRecord? {
        var record = record
        record.next = refilled(record, at: now).advanced(by: .zero - interval)
        return record.next > now ? record : nil
    }
}

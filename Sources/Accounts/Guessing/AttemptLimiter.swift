internal import Synchronization
internal import TextCoding

/// Counts attempts to sign in.
///
/// Each attempt counts as a failure before its password is verified, so concurrent attempts cannot pass together. It is released afterwards if
/// it was no failure.
struct AttemptLimiter: Sendable {
    let limits: GuessLimits

    /// A counted attempt.
    struct Reservation: Sendable {
        let name: EmailAddress
        /// The account at the time of the attempt; nil for a name without one.
        let account: Account?
        let network: String
        /// The counter of the name, before and after; nil if that limit is off.
        let counted: (before: AttemptRecord?, after: AttemptRecord)?
    }

    /// A counted attempt on a name, or of a network alone.
    enum Counted: Sendable {
        case name(Reservation)
        case network(String)
    }

    /// Whether an attempt may continue.
    enum Outcome: Sendable {
        case reserved(Reservation)
        /// Blocked for this time.
        case blocked(Duration)
    }

    /// Counts an attempt on a name, with or without an account, if it is allowed.
    func reserve(
        _ name: EmailAddress, from network: String, at now: PointInTime,
        in writer: any AccountWriter
    ) throws -> Outcome {
        // The network first: its refusals are unlimited in number, so their time must not depend on the name.
        let waitingOfNetwork = try networkWait(network, at: now, in: writer)
        guard waitingOfNetwork == .zero else { return .blocked(waitingOfNetwork) }
        let account = try writer.account(name)
        let key = try counter(of: name, account, from: network, at: now, in: writer)
        let stored = try writer.attempts(key)
        let record = limits.current(stored, at: now)
        let waiting = Self.time(until: limits.freeFailures > 0 ? record?.next : nil, from: now)
        guard waiting == .zero else {
            // Store the corrected time, or a clock that was set back would block the name again.
            if let record, record != stored { try writer.put(record) }
            return .blocked(waiting)
        }
        try countNetwork(network, at: now, in: writer)
        guard limits.freeFailures > 0 else {
            return .reserved(
                Reservation(name: name, account: account, network: network, counted: nil))
        }
        let after = limits.failed(record, of: key, at: now)
        try put(after, isNew: stored == nil, in: writer)
        return .reserved(
            Reservation(
                name: name, account: account, network: network, counted: (record, after)))
    }

    /// Counts an attempt of a network alone if it is allowed.
    ///
    /// - Returns: The time to wait; zero if the attempt was counted.
    func reserve(
        network: String, at now: PointInTime, in writer: any AccountWriter
    ) throws -> Duration {
        let waiting = try networkWait(network, at: now, in: writer)
        if waiting == .zero { try countNetwork(network, at: now, in: writer) }
        return waiting
    }

    /// Records a right password: forgets the failures, and remembers the place.
    func succeed(
        _ reservation: Reservation, of account: AccountID, at now: PointInTime,
        in writer: any AccountWriter
    ) throws {
        if let counted = reservation.counted { try writer.removeAttempts(counted.after.key) }
        try release(network: reservation.network, at: now, in: writer)
        guard limits.maximumKnownPlaces > 0 else { return }
        let key = AttemptKey(reservation.name, network: reservation.network)
        try writer.put(
            KnownPlace(account: account, key: key, last: now), keeping: limits.maximumKnownPlaces)
    }

    /// Releases an attempt for which nothing was verified: it does not count.
    func release(
        _ attempt: Counted, at now: PointInTime, in writer: any AccountWriter
    ) throws {
        switch attempt {
        case .name(let reservation): try release(reservation, at: now, in: writer)
        case .network(let network): try release(network: network, at: now, in: writer)
        }
    }

    private func release(
        _ reservation: Reservation, at now: PointInTime, in writer: any AccountWriter
    ) throws {
        try release(network: reservation.network, at: now, in: writer)
        guard let (before, after) = reservation.counted,
            var stored = try writer.attempts(after.key)
        else { return }
        if stored == after, let before {
            try writer.put(before)
        } else if stored.failures > 1 {
            stored.failures -= 1
            let next = stored.last.advanced(by: limits.delay(after: stored.failures))
            stored.next = min(stored.next, next)
            try writer.put(stored)
        } else {
            try writer.removeAttempts(after.key)
        }
    }

    private func release(
        network: String, at now: PointInTime, in writer: any AccountWriter
    ) throws {
        let key = AttemptKey(network: network)
        guard limits.networkAttempts > 0, let stored = try writer.attempts(key) else { return }
        if let record = limits.released(stored, at: now) {
            try writer.put(record)
        } else {
            try writer.removeAttempts(key)
        }
    }

    /// The counter for attempts on a name. A known place has its own, so that attackers elsewhere cannot lock the owner out.
    private func counter(
        of name: EmailAddress, _ account: Account?, from network: String, at now: PointInTime,
        in writer: any AccountWriter
    ) throws -> AttemptKey {
        let here = AttemptKey(name, network: network)
        // The same query without an account: the time of a refusal must not reveal one.
        let places = try writer.knownPlaces(of: account?.id ?? Self.noAccount)
        let isKnown = places.contains { place in
            place.key == here && place.last.advanced(by: limits.knownPlaceLifetime) > now
        }
        return isKnown ? here : AttemptKey(name)
    }

    private static let noAccount = AccountID()

    private func networkWait(
        _ network: String, at now: PointInTime, in writer: any AccountWriter
    ) throws -> Duration {
        guard limits.networkAttempts > 0 else { return .zero }
        let key = AttemptKey(network: network)
        guard let stored = try writer.attempts(key) else { return .zero }
        let next = limits.nextOfNetwork(stored, at: now)
        guard next > now else { return .zero }
        if let record = limits.bounded(stored, at: now) { try writer.put(record) }
        return Self.time(until: next, from: now)
    }

    private func countNetwork(
        _ network: String, at now: PointInTime, in writer: any AccountWriter
    ) throws {
        guard limits.networkAttempts > 0 else { return }
        let key = AttemptKey(network: network)
        let stored = try writer.attempts(key)
        try put(limits.tried(stored, of: key, at: now), isNew: stored == nil, in: writer)
    }

    /// Stores a record. Where there are too many, it removes the oldest ones, and 1 % more so that this is rare.
    private func put(
        _ record: AttemptRecord, isNew: Bool, in writer: any AccountWriter
    ) throws {
        if isNew, limits.maximumKeys > 0 {
            let surplus = try writer.countAttempts() + 1 - limits.maximumKeys
            if surplus > 0 { try writer.removeOldestAttempts(surplus + limits.maximumKeys / 100) }
        }
        try writer.put(record)
    }

    private static func time(until next: PointInTime?, from now: PointInTime) -> Duration {
        guard let next, next > now else { return .zero }
        return .milliseconds(next.milliseconds - now.milliseconds)
    }
}

/// Attempts to release in the next transaction, because the database could not be written before. They stay counted if the process ends first.
/// Thread-safe.
final class UnsettledAttempts: Sendable {
    /// The largest number of kept attempts; the oldest ones beyond it stay counted.
    static let maximumCount = 256

    private let attempts = Mutex<[AttemptLimiter.Counted]>([])

    /// Whether there are none.
    var isEmpty: Bool { attempts.withLock { $0.isEmpty } }

    /// Adds an attempt.
    func add(_ attempt: AttemptLimiter.Counted) {
        attempts.withLock { $0.append(attempt) }
    }

    /// Takes all attempts out, the newest first.
    func take() -> [AttemptLimiter.Counted] {
        attempts.withLock { attempts in
            defer { attempts = [] }
            return attempts.reversed()
        }
    }

    /// Puts attempts back after a transaction that certainly did not release them: otherwise a guess would be free.
    func keep(_ taken: [AttemptLimiter.Counted]) {
        let kept = Array(taken.reversed())
        attempts.withLock { $0 = (kept + $0).suffix(Self.maximumCount) }
    }
}

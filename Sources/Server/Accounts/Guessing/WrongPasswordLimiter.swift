internal import Platform
internal import Synchronization
internal import TextCoding

/// Limits the wrong passwords for a name, from a known device and of a session's owner, by counters in the database.
///
/// Each attempt counts as a wrong password before it is verified, so concurrent attempts cannot pass together. An attempt with the right
/// password is released afterwards.
struct WrongPasswordLimiter: Sendable {
    let limits: GuessLimits
    let pseudonyms: PseudonymKey
    let networks: NetworkLimiter
    let verifications = RunningVerifications()

    init(limits: GuessLimits, pseudonyms: PseudonymKey) {
        self.limits = limits
        self.pseudonyms = pseudonyms
        networks = NetworkLimiter(limits: limits)
    }

    /// The counters of an attempt.
    struct Counter: Sendable {
        let key: AttemptKey
        /// The network among those that guess at the name.
        let origin: UInt64
        /// The networks that count the attempt; none for a separate counter.
        let networks: [String]
        /// The known device.
        let device: KnownDevice?
        /// The account of the known device or of the used reset code; nil for a stranger and for a session.
        var account: AccountID?
        /// The reset code, which was used to set the password and now signs in once.
        var code: TokenHash?
    }

    /// A counted attempt.
    struct Reservation: Sendable {
        let key: AttemptKey
        let guess: Guess
        /// The number of guesses of the key, with this one.
        var count = 0
    }

    /// Whether an attempt may continue.
    enum Outcome: Sendable {
        /// The attempt may continue and is counted; nil if wrong passwords are not limited.
        case reserved(Reservation?)
        /// The attempt is refused for this time.
        case blocked(Duration)
    }

    /// The counter of a name. Of the networks, the narrowest first, the widest one is the unit in which the name is guessed.
    func counter(of name: EmailAddress, from networks: [String]) -> Counter {
        Counter(
            key: pseudonyms.key(of: name), origin: pseudonyms.origin(networks.last ?? ""),
            networks: networks, device: nil)
    }

    /// The separate counter of a known device, or of a session's owner. An attacker who has neither cannot exhaust it.
    func separateCounter(
        _ key: AttemptKey, _ device: KnownDevice? = nil, isCode: Bool = false
    ) -> Counter {
        // A code proves less than a device: it gets a place, and nothing else that a known device has.
        Counter(
            key: key, origin: 0, networks: [], device: isCode ? nil : device,
            account: device?.account, code: isCode ? device?.hash : nil)
    }

    /// How long an attempt has to wait, without counting it.
    func wait(
        of counter: Counter, at now: PointInTime, in transaction: AccountTransaction
    ) throws -> Duration {
        guard limits.freeFailures > 0 else { return .zero }
        let record = try record(counter.key, at: now, in: transaction)
        let guesses = limits.recent(record?.guesses ?? [], at: now)
        return limits.wait(of: counter.origin, guesses, at: now)
    }

    /// Counts an attempt, if it is allowed.
    func reserve(
        _ counter: Counter, at now: PointInTime, in transaction: AccountTransaction
    ) throws -> Outcome {
        guard limits.freeFailures > 0 else { return .reserved(nil) }
        let stored = try record(counter.key, at: now, in: transaction)
        let guesses = limits.recent(stored?.guesses ?? [], at: now)
        let waiting = limits.wait(of: counter.origin, guesses, at: now)
        guard waiting == .zero else { return .blocked(waiting) }
        let key = try stored?.key ?? newKey(counter.key, at: now, in: transaction)
        let guess = Guess(origin: counter.origin, time: now)
        if let record = limits.record(guesses + [guess], of: key) { try transaction.put(record) }
        return .reserved(Reservation(key: key, guess: guess, count: guesses.count + 1))
    }

    /// Forgets the wrong passwords of a network, after the right one.
    func succeed(_ reservation: Reservation, in transaction: AccountTransaction) throws {
        try update(reservation, in: transaction) { guesses in
            guesses.filter { $0.origin != reservation.guess.origin }
        }
    }

    /// Releases an attempt for which nothing was verified: it does not count.
    func release(_ reservation: Reservation, in transaction: AccountTransaction) throws {
        try update(reservation, in: transaction) { guesses in
            var guesses = guesses
            if let place = guesses.firstIndex(of: reservation.guess) { guesses.remove(at: place) }
            return guesses
        }
    }

    private func update(
        _ reservation: Reservation, in transaction: AccountTransaction,
        _ body: ([Guess]) -> [Guess]
    ) throws {
        guard let stored = try transaction.attempts(reservation.key) else { return }
        if let left = limits.record(body(stored.guesses), of: stored.key) {
            try transaction.put(left)
        } else {
            try transaction.removeAttempts(stored.key)
        }
    }

    /// The record of a key, or the shared one if that has not expired.
    private func record(
        _ key: AttemptKey, at now: PointInTime, in transaction: AccountTransaction
    ) throws -> AttemptRecord? {
        if let record = try transaction.attempts(key) { return record }
        guard let shared = try transaction.attempts(pseudonyms.sharedKey(of: key)),
            now < shared.expires
        else { return nil }
        return shared
    }

    /// The key of a new record. Only expired records are removed: while there are too many others, further names share keys.
    private func newKey(
        _ key: AttemptKey, at now: PointInTime, in transaction: AccountTransaction
    ) throws -> AttemptKey {
        guard limits.maximumKeys > 0, try transaction.countAttempts() >= limits.maximumKeys
        else { return key }
        try transaction.removeAttempts(expiredAt: now)
        return try transaction.countAttempts() >= limits.maximumKeys
            ? pseudonyms.sharedKey(of: key) : key
    }
}

/// Attempts that the next transaction releases, because the database could not be written before. They stay counted if the process ends first.
/// Thread-safe.
final class UnsettledAttempts: Sendable {
    /// The largest number of kept attempts; the oldest ones beyond it stay counted.
    static let maximumCount = 256

    private let attempts = Mutex<[WrongPasswordLimiter.Reservation]>([])

    /// Whether there are none.
    var isEmpty: Bool { attempts.withLock { $0.isEmpty } }

    /// Adds an attempt.
    func add(_ attempt: WrongPasswordLimiter.Reservation) {
        attempts.withLock { $0.append(attempt) }
    }

    /// Takes all attempts out.
    func take() -> [WrongPasswordLimiter.Reservation] {
        attempts.withLock { attempts in
            defer { attempts = [] }
            return attempts
        }
    }

    /// Puts attempts back after a transaction that certainly did not release them: otherwise a right password would count as a guess.
    func keep(_ taken: [WrongPasswordLimiter.Reservation]) {
        attempts.withLock { $0 = (taken + $0).suffix(Self.maximumCount) }
    }
}

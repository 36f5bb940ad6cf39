internal import TextCoding

/// Counts attempts to sign in. Each is counted as a failure before anything is verified, so that attempts that run at once cannot pass
/// together, and taken back afterwards if it was none.
struct AttemptLimiter: Sendable {
    let limits: GuessLimits

    /// An attempt that was counted.
    struct Reservation: Sendable {
        let name: EmailAddress
        /// The account as it was when the attempt was counted; nil where there is none.
        let account: Account?
        let network: String
        /// The counter of the name, before and after; nil where that limit is off.
        let counted: (before: AttemptRecord?, after: AttemptRecord)?
    }

    /// What was counted: an attempt on a name, or of a network alone.
    enum Counted: Sendable {
        case name(Reservation)
        case network(String)
    }

    /// Whether an attempt may go on.
    enum Outcome: Sendable {
        case reserved(Reservation)
        /// Not before this time has passed.
        case blocked(Duration)
    }

    /// Counts an attempt on the account of a name, or on a name without one, if it is allowed.
    func reserve(
        _ name: EmailAddress, from network: String, at now: PointInTime,
        in writer: any AccountWriter
    ) throws(AccountRepositoryError) -> Outcome {
        // First what has nothing to do with the name: the refusal of a network, of which there can be any number, takes the same time whether
        // there is an account or not.
        let waitingOfNetwork = try networkWait(network, at: now, in: writer)
        guard waitingOfNetwork == .zero else { return .blocked(waitingOfNetwork) }
        let account = try writer.account(name)
        let key = try counter(of: name, account, from: network, at: now, in: writer)
        let stored = try writer.attempts(key)
        let record = limits.current(stored, at: now)
        let waiting = Self.time(until: limits.freeFailures > 0 ? record?.next : nil, from: now)
        guard waiting == .zero else {
            // What a clock set back left too far ahead would be as far ahead the next time.
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
    /// - Returns: How long to wait; zero if it was counted.
    func reserve(
        network: String, at now: PointInTime, in writer: any AccountWriter
    ) throws(AccountRepositoryError) -> Duration {
        let waiting = try networkWait(network, at: now, in: writer)
        if waiting == .zero { try countNetwork(network, at: now, in: writer) }
        return waiting
    }

    /// The password was right: its failures are forgotten, and the place is known from now on.
    func succeed(
        _ reservation: Reservation, of account: AccountID, at now: PointInTime,
        in writer: any AccountWriter
    ) throws(AccountRepositoryError) {
        if let counted = reservation.counted { try writer.removeAttempts(counted.after.key) }
        try takeBack(network: reservation.network, at: now, in: writer)
        guard limits.maximumKnownPlaces > 0 else { return }
        let key = AttemptKey(reservation.name, network: reservation.network)
        try writer.put(
            KnownPlace(account: account, key: key, last: now), keeping: limits.maximumKnownPlaces)
    }

    /// Nothing was verified or done: the attempt does not count.
    func takeBack(
        _ attempt: Counted, at now: PointInTime, in writer: any AccountWriter
    ) throws(AccountRepositoryError) {
        switch attempt {
        case .name(let reservation): try takeBack(reservation, at: now, in: writer)
        case .network(let network): try takeBack(network: network, at: now, in: writer)
        }
    }

    private func takeBack(
        _ reservation: Reservation, at now: PointInTime, in writer: any AccountWriter
    ) throws(AccountRepositoryError) {
        try takeBack(network: reservation.network, at: now, in: writer)
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

    private func takeBack(
        network: String, at now: PointInTime, in writer: any AccountWriter
    ) throws(AccountRepositoryError) {
        let key = AttemptKey(network: network)
        guard limits.networkAttempts > 0, let stored = try writer.attempts(key) else { return }
        if let record = limits.takenBack(stored, at: now) {
            try writer.put(record)
        } else {
            try writer.removeAttempts(key)
        }
    }

    /// Where the attempts on a name are counted: from a place that it knows, apart from all others.
    private func counter(
        of name: EmailAddress, _ account: Account?, from network: String, at now: PointInTime,
        in writer: any AccountWriter
    ) throws(AccountRepositoryError) -> AttemptKey {
        let here = AttemptKey(name, network: network)
        // Asked for nobody too: how long a refusal takes must not tell whether there is an account.
        let places = try writer.knownPlaces(of: account?.id ?? Self.nobody)
        let isKnown = places.contains { place in
            place.key == here && place.last.advanced(by: limits.knownPlaceLifetime) > now
        }
        return isKnown ? here : AttemptKey(name)
    }

    private static let nobody = AccountID()

    private func networkWait(
        _ network: String, at now: PointInTime, in writer: any AccountWriter
    ) throws(AccountRepositoryError) -> Duration {
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
    ) throws(AccountRepositoryError) {
        guard limits.networkAttempts > 0 else { return }
        let key = AttemptKey(network: network)
        let stored = try writer.attempts(key)
        try put(limits.tried(stored, of: key, at: now), isNew: stored == nil, in: writer)
    }

    /// Remembers a record, and forgets old ones where there are too many: a few more than needed, so that it is not done each time.
    private func put(
        _ record: AttemptRecord, isNew: Bool, in writer: any AccountWriter
    ) throws(AccountRepositoryError) {
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

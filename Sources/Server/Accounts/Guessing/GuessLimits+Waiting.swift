internal import TextCoding

/// The guesses of a name: a sliding window, shared by the networks.
extension GuessLimits {
    /// How far the clocks of servers with one database may be apart.
    private static let tolerance = Duration.seconds(60)

    /// The guesses of the last ``period``, the oldest first. Those of the future do not count, because the clock was set back: a right password would
    /// wait for them longer than for any guess.
    func recent(_ guesses: [Guess], at now: PointInTime) -> [Guess] {
        guesses.filter {
            $0.time.advanced(by: period) > now && $0.time <= now.advanced(by: Self.tolerance)
        }.sorted { $0.time < $1.time }
    }

    /// The time until a network's next guess; zero if it may guess now. The guesses are the recent ones, the oldest first.
    func wait(of origin: UInt64, _ guesses: [Guess], at now: PointInTime) -> Duration {
        var own = guesses.count { $0.origin == origin }
        var all = guesses.count
        var waiting = Duration.zero
        for guess in guesses where all >= share(own) {
            all -= 1
            if guess.origin == origin { own -= 1 }
            let end = guess.time.advanced(by: period)
            waiting = .milliseconds(end.milliseconds - now.milliseconds)
        }
        return waiting
    }

    /// A network with `own` guesses waits if all networks together have this number of guesses.
    ///
    /// The number falls with the network's own guesses, so networks that guess leave room for one that does not.
    private func share(_ own: Int) -> Int {
        guard own < freeFailures else { return own }
        let all = max(nameFailures, freeFailures)
        return min(all, max(own + 1, all - own * (all / (freeFailures + 1))))
    }

    /// A record of guesses; nil without one.
    func record(_ guesses: [Guess], of key: AttemptKey) -> AttemptRecord? {
        guard let last = guesses.map(\.time).max() else { return nil }
        return AttemptRecord(key: key, guesses: guesses, expires: last.advanced(by: period))
    }
}

/// The attempts of a network: the generic cell rate algorithm (ITU-T I.371), by its theoretical arrival time.
extension GuessLimits {
    /// The attempts of a wider network for each one of a single network.
    static let multiples: [Int] = [1, 4, 16]

    /// The emission interval: the time for which one attempt counts. Level 0 is the narrowest network.
    private func interval(_ level: Int) -> Duration {
        networkPeriod / (Int(networkAttempts) * Self.multiples[min(level, 2)])
    }

    /// The theoretical arrival time, at least `now`. A limit applies if the clock was set back.
    private func bounded(_ arrival: PointInTime?, at now: PointInTime) -> PointInTime {
        max(now, min(arrival ?? now, now.advanced(by: networkPeriod * 2)))
    }

    /// The time of a network's next attempt; `now` or earlier if it may try now.
    func nextAttempt(_ arrival: PointInTime?, level: Int, at now: PointInTime) -> PointInTime {
        bounded(arrival, at: now).advanced(by: interval(level) - networkPeriod)
    }

    /// The arrival time after an attempt. A refused attempt counts too: a network that continues stays refused, until two periods after its
    /// last attempt at most.
    func arrival(afterAttempt arrival: PointInTime?, level: Int, at now: PointInTime) -> PointInTime
    {
        bounded(bounded(arrival, at: now).advanced(by: interval(level)), at: now)
    }

    /// The arrival time without an attempt that was counted and then released.
    func arrival(afterRelease arrival: PointInTime, level: Int, at now: PointInTime) -> PointInTime
    {
        bounded(arrival, at: now).advanced(by: .zero - interval(level))
    }
}

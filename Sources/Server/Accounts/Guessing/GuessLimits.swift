internal import TextCoding

/// Limits of password guesses. 0 switches a limit off.
public struct GuessLimits: Sendable, Hashable {
    /// The number of wrong passwords within ``period`` for one name from one network, or from a known device.
    public var freeFailures = 5
    /// The number of wrong passwords within ``period`` for one name from all networks; at least ``freeFailures`` applies.
    public var nameFailures = 20
    /// How long a wrong password counts.
    public var period: Duration = .seconds(15 * 60)
    /// The number of attempts of one network, at once and again within ``networkPeriod``.
    public var networkAttempts: Int64 = 15
    /// The time in which a network regains all its attempts, evenly.
    public var networkPeriod: Duration = .seconds(60)
    /// The number of names and of networks that are counted each for itself. Further ones share counters until others rest.
    public var maximumKeys = 100_000
    /// How long a device is known after a sign-in; at least the lifetime of a session.
    public var knownDeviceLifetime: Duration = .seconds(180 * 24 * 60 * 60)
    /// The number of known devices of an account; beyond it those used last stay.
    public var maximumKnownDevices = 16

    /// The default limits.
    public init() {}
}

/// The guesses of a name: a window that slides, shared by the networks.
extension GuessLimits {
    /// The guesses that count at `now`, the oldest first. After a clock was set back, those of the far future do not.
    func counting(_ guesses: [Guess], at now: PointInTime) -> [Guess] {
        guesses.filter {
            $0.time.advanced(by: period) > now && $0.time < now.advanced(by: period)
        }.sorted { $0.time < $1.time }
    }

    /// How long a network waits for its next guess; zero if it may guess now. The guesses are those that count, the oldest first.
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

    /// The number of guesses of all networks from which on a network with `own` guesses waits.
    ///
    /// The more a network guessed, the smaller it is: some networks that guess leave room for one that did not.
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

    /// The time of one attempt; level 0 is the narrowest network.
    private func interval(_ level: Int) -> Duration {
        networkPeriod / (Int(networkAttempts) * Self.multiples[min(level, 2)])
    }

    /// The theoretical arrival time at `now`, bounded in case the clock was set back.
    private func refilled(_ arrival: PointInTime?, at now: PointInTime) -> PointInTime {
        max(now, min(arrival ?? now, now.advanced(by: networkPeriod * 2)))
    }

    /// When a network may try again; no later than `now` if it may.
    func next(_ arrival: PointInTime?, level: Int, at now: PointInTime) -> PointInTime {
        refilled(arrival, at: now).advanced(by: interval(level) - networkPeriod)
    }

    /// The arrival time after one more attempt. A refused attempt counts, too: a network that goes on is refused on, and for two periods at most
    /// after it stopped.
    func tried(_ arrival: PointInTime?, level: Int, at now: PointInTime) -> PointInTime {
        refilled(refilled(arrival, at: now).advanced(by: interval(level)), at: now)
    }

    /// The arrival time after one attempt is released.
    func released(_ arrival: PointInTime, level: Int, at now: PointInTime) -> PointInTime {
        refilled(arrival, at: now).advanced(by: .zero - interval(level))
    }
}

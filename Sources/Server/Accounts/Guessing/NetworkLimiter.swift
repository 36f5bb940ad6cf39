internal import Synchronization
internal import TextCoding

/// Counts the attempts of networks, in memory: a refusal costs no query, and no address is stored. Each server counts for itself. Thread-safe.
final class NetworkLimiter: Sendable {
    private struct State {
        /// The theoretical arrival times.
        var arrivals: [String: PointInTime] = [:]
        /// The time of the last removal of arrivals that are over.
        var lastSweep: PointInTime?
        /// The latest time that a caller gave.
        var latest: PointInTime?

        /// Lets all times step back with a clock that was set back: attempts of the last minute do not become attempts of the next hour. Callers on
        /// several threads give slightly earlier times, too.
        mutating func follow(_ now: PointInTime) {
            guard let latest, now.advanced(by: NetworkLimiter.tolerance) < latest else {
                self.latest = max(now, self.latest ?? now)
                return
            }
            let (step, overflow) = now.milliseconds.subtractingReportingOverflow(
                latest.milliseconds)
            arrivals = overflow ? [:] : arrivals.mapValues { $0.advanced(by: .milliseconds(step)) }
            lastSweep = nil
            self.latest = now
        }
    }

    /// A smaller step back is not taken for a change of the clock.
    private static let tolerance = Duration.seconds(1)

    /// The number of shared counters. While the table is full, each further network uses one of them.
    private static let sharedCounters = 4_096

    private let limits: GuessLimits
    private let state = Mutex(State())

    init(limits: GuessLimits) {
        self.limits = limits
    }

    /// The number of counters.
    var count: Int { state.withLock { $0.arrivals.count } }

    /// Counts an attempt in the networks of a client, the narrowest first.
    ///
    /// - Returns: The time to wait; zero if the attempt may continue. A refused attempt counts against the networks that refuse it.
    func attempt(_ networks: [String], at now: PointInTime) -> Duration {
        guard limits.networkAttempts > 0 else { return .zero }
        return state.withLock { state in
            state.follow(now)
            let keys = networks.map { key($0, at: now, &state) }
            let isRefused = keys.enumerated().map { level, key in
                limits.nextAttempt(state.arrivals[key], level: level, at: now) > now
            }
            let isFree = !isRefused.contains(true)
            var waiting = Duration.zero
            for (level, key) in keys.enumerated() where isFree || isRefused[level] {
                let arrival = limits.arrival(
                    afterAttempt: state.arrivals[key], level: level, at: now)
                state.arrivals[key] = arrival
                let next = limits.nextAttempt(arrival, level: level, at: now)
                guard !isFree, next > now else { continue }
                waiting = max(waiting, .milliseconds(next.milliseconds - now.milliseconds))
            }
            return waiting
        }
    }

    /// Releases an attempt: it does not count.
    func release(_ networks: [String], at now: PointInTime) {
        guard limits.networkAttempts > 0 else { return }
        state.withLock { state in
            state.follow(now)
            for (level, network) in networks.enumerated() {
                let key = key(network, at: now, &state)
                guard let arrival = state.arrivals[key] else { continue }
                let released = limits.arrival(afterRelease: arrival, level: level, at: now)
                state.arrivals[key] = released > now ? released : nil
            }
        }
    }

    /// The counter of a network. Only counters that are over are removed: while there are too many others, further networks share some.
    private func key(_ network: String, at now: PointInTime, _ state: inout State) -> String {
        guard limits.maximumKeys > 0, state.arrivals[network] == nil else { return network }
        // `Hasher` has a random seed in each process, so that a collision cannot be chosen.
        let shared = "shared \(UInt(bitPattern: network.hashValue) % UInt(Self.sharedCounters))"
        if let arrival = state.arrivals[shared], arrival > now { return shared }
        guard state.arrivals.count >= limits.maximumKeys else { return network }
        // At most once a second, because it visits all.
        if state.lastSweep.map({ now < $0 || now >= $0.advanced(by: .seconds(1)) }) ?? true {
            state.arrivals = state.arrivals.filter { $0.value > now }
            state.lastSweep = now
        }
        return state.arrivals.count >= limits.maximumKeys ? shared : network
    }
}

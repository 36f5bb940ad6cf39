internal import Platform

/// The time by `clock_gettime`, unaffected by changes to the wall clock.
enum Clock {
    /// Nanoseconds since some moment.
    static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// How long one of `count` operations takes that `body` does, in nanoseconds.
    static func time<Failure: Error>(
        per count: Int = 1, _ body: () throws(Failure) -> Void
    ) throws(Failure) -> Double {
        let start = now
        try body()
        return (now - start) / Double(count)
    }
}

/// Times of two things that were done in turns, so that a busy moment of the machine hits both.
struct PairedTimes {
    private(set) var first: [Double] = []
    private(set) var second: [Double] = []

    mutating func add(_ first: Double, _ second: Double) {
        self.first.append(first)
        self.second.append(second)
    }

    /// Takes `rounds` pairs after one that does not count; every other round in the opposite order.
    static func measure(
        rounds: Int, _ first: () throws -> Double, _ second: () throws -> Double
    ) rethrows -> PairedTimes {
        var times = PairedTimes()
        _ = try (first(), second())
        for round in 0..<rounds {
            if round.isMultiple(of: 2) {
                let one = try first()
                times.add(one, try second())
            } else {
                let two = try second()
                times.add(try first(), two)
            }
        }
        return times
    }

    /// The median of the ratios of the pairs.
    var ratio: Double { zip(first, second).map { $0 / $1 }.median }
    /// The ratio of the sums, which the rare expensive round takes part in.
    var ratioOfSums: Double { first.reduce(0, +) / second.reduce(0, +) }
}

extension [Double] {
    var median: Double {
        let ordered = sorted()
        let middle = ordered.count / 2
        return ordered.count.isMultiple(of: 2)
            ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
    }

    var mean: Double { reduce(0, +) / Double(count) }
}

internal import Platform
internal import Synchronization

/// A number of operations that some threads share, each taking the next one when it is done with its last.
enum SharedWork {
    /// The result.
    struct Outcome {
        /// Operations a second.
        let rate: Double
        /// How long each took, in nanoseconds.
        let times: [Double]
    }

    /// Does it. Before the time is taken, `prepare` makes for each thread what does an operation, told its number.
    static func run(
        _ count: Int, threads: Int, _ prepare: (_ thread: Int) throws -> (Int) throws -> Void
    ) throws -> Outcome {
        let bodies = try (0..<threads).map(prepare)
        let next = Atomic(0)
        let state = Mutex<(times: [Double], failure: String?)>(([], nil))
        let start = Clock.now
        let running = bodies.map { body in
            Thread {
                var times: [Double] = []
                var failure: String?
                while failure == nil {
                    let number = next.add(1, ordering: .relaxed).oldValue
                    guard number < count else { break }
                    do {
                        times.append(try Clock.time { try body(number) })
                    } catch {
                        failure = "\(error)"
                    }
                }
                let (own, ownFailure) = (times, failure)
                state.withLock {
                    $0.times += own
                    $0.failure = $0.failure ?? ownFailure
                }
            }
        }
        for thread in running { thread.join() }
        let time = Clock.now - start
        let (times, failure) = state.withLock { ($0.times, $0.failure) }
        if let failure { throw BenchmarkFailure(failure) }
        return Outcome(rate: Double(count) / (time / 1e9), times: times)
    }
}

extension [Double] {
    /// The value that so many of a hundred do not exceed.
    func percentile(_ number: Int) -> Double {
        let ordered = sorted()
        guard !ordered.isEmpty else { return .nan }
        return ordered[Swift.min(ordered.count - 1, ordered.count * number / 100)]
    }
}

internal import Synchronization

/// The secrets that are on their way to clients; a lock ends them, too. Thread-safe.
final class OpenViews: Sendable {
    /// How long a lock waits for clients that take what they asked for.
    private static let patience: Duration = .milliseconds(100)
    /// How long it takes at most until a view that was ended is gone.
    private static let longestEnd: Duration = .seconds(2)

    private struct State {
        /// Counts the locks.
        var epoch = 0
        var last = 0
        /// How each view is ended.
        var ends: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Which lock was the last one.
    var epoch: Int { state.withLock { $0.epoch } }

    /// Runs `body`, which shows something that was read since the lock `epoch`; `end` makes it return soon.
    ///
    /// Where there was another lock, `body` is not run, and nil is returned.
    func show<Result, Failure: Error>(
        since epoch: Int, end: @escaping @Sendable () -> Void,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let number = state.withLock { state -> Int? in
            guard state.epoch == epoch else { return nil }
            state.last += 1
            state.ends[state.last] = end
            return state.last
        }
        guard let number else { return nil }
        defer { state.withLock { $0.ends[number] = nil } }
        return try body()
    }

    /// Waits a moment for what is on its way, ends the rest, and returns when all of it is gone.
    func end() {
        let last = state.withLock { state in
            state.epoch += 1
            return state.last
        }
        wait(Self.patience, last)
        let ends = state.withLock { state in state.ends.filter { $0.key <= last }.map(\.value) }
        guard !ends.isEmpty else { return }
        for end in ends { end() }
        wait(Self.longestEnd, last)
    }

    private func wait(_ limit: Duration, _ last: Int) {
        let deadline = ContinuousClock.now + limit
        while state.withLock({ $0.ends.keys.contains { $0 <= last } }), .now < deadline {
            SystemSleep.sleep(.milliseconds(1))
        }
    }
}

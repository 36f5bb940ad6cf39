internal import Platform

/// The secrets that are being sent to clients. Locking the vault ends the sending. Thread-safe.
final class SecretDeliveries: Sendable {
    /// The time that a lock waits for clients to receive their secrets.
    private static let timeLimit: Duration = .milliseconds(100)
    /// The time limit for the end of a cancelled delivery.
    private static let longestEnd: Duration = .seconds(2)

    private struct State {
        /// The number of locks.
        var epoch = 0
        var last = 0
        /// The function that cancels each delivery.
        var ends: [Int: @Sendable () -> Void] = [:]
    }

    private let state = LockedValue(State())

    /// The number of locks so far.
    var epoch: Int { state.withLock { $0.epoch } }

    /// Runs `body`, which sends a secret that was read since the lock `epoch`; `end` makes it return soon.
    ///
    /// After a later lock, returns nil without running `body`.
    func deliver<Result>(
        since epoch: Int, end: @escaping @Sendable () -> Void,
        _ body: () throws -> Result
    ) throws -> Result? {
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

    /// Waits briefly for the secrets that are being sent, cancels the rest, and returns when all
    /// have ended.
    func end() {
        let last = state.withLock { state in
            state.epoch += 1
            return state.last
        }
        wait(Self.timeLimit, last)
        let ends = state.withLock { state in state.ends.filter { $0.key <= last }.map(\.value) }
        guard !ends.isEmpty else { return }
        for end in ends { end() }
        wait(Self.longestEnd, last)
    }

    private func wait(_ limit: Duration, _ last: Int) {
        let deadline = BootTime.now + limit
        while state.withLock({ $0.ends.keys.contains { $0 <= last } }), .now < deadline {
            SystemSleep.sleep(.milliseconds(1))
        }
    }
}

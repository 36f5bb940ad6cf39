internal import Platform

/// A thread that closes overdue connections at regular intervals.
final class ConnectionWatcher: Sendable {
    private enum State {
        case idle
        case running
        case stopping
    }

    private static let longestInterval = Duration.milliseconds(250)

    private let interval: Duration
    private let state = Monitor(State.idle)

    /// Makes a watcher for connections with this timeout. The interval is a twentieth of the
    /// timeout, and at most 250 ms.
    init(timeout: Duration) {
        interval =
            timeout > .zero
            ? min(max(timeout / 20, .milliseconds(10)), Self.longestInterval) : Self.longestInterval
    }

    /// Calls `check` at each interval, in its own thread, until `stop`.
    func start(_ check: @escaping @Sendable () -> Void) throws {
        state.update { $0 = .running }
        let isRunning = DetachedThread.start { [self] in
            while wait() { check() }
            state.update { $0 = .idle }
        }
        guard isRunning else {
            state.update { $0 = .idle }
            throw HTTPServerError.outOfResources
        }
    }

    /// Stops the thread and waits for its end.
    func stop() {
        state.update { if $0 == .running { $0 = .stopping } }
        _ = state.wait { $0 == .idle ? true : nil }
    }

    /// Waits for the interval; false after `stop`.
    private func wait() -> Bool {
        state.wait(until: .now + interval) { $0 == .stopping ? true : nil } == nil
    }
}

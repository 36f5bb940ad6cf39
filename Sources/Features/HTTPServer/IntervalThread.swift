internal import Platform

/// A thread that calls a closure at regular intervals. The server closes overdue connections with it. Thread-safe.
final class IntervalThread: Sendable {
    private enum State {
        case idle
        case running
        case stopping
    }

    private let interval: Duration
    private let state = Monitor(State.idle)

    /// Makes a thread without starting it.
    init(every interval: Duration) {
        self.interval = interval
    }

    /// Calls `body` at each interval, in its own thread, until `stop`.
    ///
    /// - Throws: `HTTPServerError.outOfResources`.
    func start(_ body: @escaping @Sendable () -> Void) throws {
        state.update { $0 = .running }
        let isRunning = DetachedThread.start { [self] in
            while wait() { body() }
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

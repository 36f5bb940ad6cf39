/// A thread that looks for connections whose time is over.
final class ConnectionWatcher: Sendable {
    private enum State {
        case idle
        case running
        case stopping
    }

    private static let longestInterval = Duration.milliseconds(250)

    private let interval: Duration
    private let state = Monitor(State.idle)

    /// For connections that have so much time: how much longer they get at most is a twentieth of it, or a quarter of a second.
    init(timeout: Duration) {
        interval =
            timeout > .zero
            ? min(max(timeout / 20, .milliseconds(10)), Self.longestInterval) : Self.longestInterval
    }

    /// Calls `look` again and again, in a thread, until `stop`.
    func start(_ look: @escaping @Sendable () -> Void) throws(HTTPServerError) {
        state.update { $0 = .running }
        let isRunning = ServerThread.start { [self] in
            while wait() { look() }
            state.update { $0 = .idle }
        }
        guard isRunning else {
            state.update { $0 = .idle }
            throw .outOfResources
        }
    }

    /// Ends the thread, and waits for that.
    func stop() {
        state.update { if $0 == .running { $0 = .stopping } }
        _ = state.wait { $0 == .idle ? true : nil }
    }

    /// False at the end.
    private func wait() -> Bool {
        state.wait(until: .now + interval) { $0 == .stopping ? true : nil } == nil
    }
}

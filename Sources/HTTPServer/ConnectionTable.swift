internal import Platform
internal import Synchronization

/// One connection, from its acceptance until its descriptor is closed.
final class ClientConnection: Sendable {
    let descriptor: Int32
    let address: ClientAddress
    /// The number of the daemon that serves it.
    let daemon: Int
    private let due: Atomic<Int64>
    private let current = Atomic<UInt8>(Phase.idle.rawValue)
    private let served = Atomic<Bool>(false)

    /// The phase of a connection.
    enum Phase: UInt8, Comparable {
        /// No request.
        case idle
        /// A request is being read.
        case reading
        /// The request waits for another thread's answer.
        case waiting
        /// The answer is being sent.
        case answering

        static func < (left: Phase, right: Phase) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    init(descriptor: Int32, address: ClientAddress, daemon: Int, end: MonotonicTime) {
        self.daemon = daemon
        self.descriptor = descriptor
        self.address = address
        due = Atomic(end.nanoseconds)
    }

    /// When it is closed.
    var end: MonotonicTime { MonotonicTime(nanoseconds: due.load(ordering: .relaxed)) }

    /// The current phase.
    var phase: Phase { Phase(rawValue: current.load(ordering: .acquiring)) ?? .idle }

    /// Whether it had a request before.
    var hadRequest: Bool { served.load(ordering: .relaxed) }

    /// Enters another phase, with a new deadline.
    func turn(to phase: Phase, until end: MonotonicTime) {
        due.store(end.nanoseconds, ordering: .relaxed)
        if phase == .reading { served.store(true, ordering: .relaxed) }
        current.store(phase.rawValue, ordering: .releasing)
    }

    /// Removes the deadline, after it was shut down.
    func forgetEnd() {
        due.store(MonotonicTime.never.nanoseconds, ordering: .relaxed)
    }
}

/// The open connections of a server. Counts them, and shuts them down. Thread-safe.
///
/// The table has each descriptor from its acceptance until just before it is closed. Shutting it down under the same lock cannot hit a reused
/// descriptor.
final class ConnectionTable: Sendable {
    private struct State {
        var connections: [Int32: ClientConnection] = [:]
        var started: Set<Int32> = []
        var countOfNetwork: [String: Int] = [:]
        var refused = 0
        var timedOut = 0
    }

    private let maximum: Int
    private let maximumOfNetwork: Int
    private let state = Monitor(State())

    /// Creates a table. 0 is no limit.
    init(maximum: Int, maximumOfNetwork: Int) {
        self.maximum = maximum == 0 ? .max : maximum
        self.maximumOfNetwork = maximumOfNetwork == 0 ? .max : maximumOfNetwork
    }

    var count: Int { state.read { $0.connections.count } }

    /// Whether a daemon has connections.
    func isBusy(_ daemon: Int) -> Bool {
        state.read { $0.connections.values.contains { $0.daemon == daemon } }
    }

    /// The numbers of connections refused by a limit, and closed by a deadline.
    var cutOff: (refused: Int, timedOut: Int) { state.read { ($0.refused, $0.timedOut) } }

    /// Adds an accepted connection; nil if too many are open. A trusted proxy is exempt from the limit of one network.
    func admit(
        _ descriptor: Int32, of address: ClientAddress, isProxy: Bool = false, at daemon: Int,
        until end: MonotonicTime
    ) -> ClientConnection? {
        state.update { state in
            // libmicrohttpd drops a connection silently if memory is exhausted; the reused number shows that.
            if let lost = state.connections[descriptor] { Self.remove(lost, from: &state) }
            let ofNetwork = state.countOfNetwork[address.network, default: 0]
            guard state.connections.count < maximum, isProxy || ofNetwork < maximumOfNetwork else {
                state.refused += 1
                return nil
            }
            let connection = ClientConnection(
                descriptor: descriptor, address: address, daemon: daemon, end: end)
            state.connections[descriptor] = connection
            state.countOfNetwork[address.network] = ofNetwork + 1
            return connection
        }
    }

    /// Marks a connection as served. `remove` is called before its descriptor is closed.
    func start(_ descriptor: Int32) -> ClientConnection? {
        state.update { state in
            if state.connections[descriptor] != nil { state.started.insert(descriptor) }
            return state.connections[descriptor]
        }
    }

    /// Removes a connection whose descriptor is about to be closed.
    func remove(_ connection: ClientConnection) {
        state.update { Self.remove(connection, from: &$0) }
    }

    /// Removes connections that a stopped daemon never began to serve.
    func removeAll() {
        state.update { state in
            state.connections = [:]
            state.started = []
            state.countOfNetwork = [:]
        }
    }

    private static func remove(_ connection: ClientConnection, from state: inout State) {
        guard state.connections[connection.descriptor] === connection else { return }
        state.connections[connection.descriptor] = nil
        state.started.remove(connection.descriptor)
        let network = connection.address.network
        let left = state.countOfNetwork[network, default: 1] - 1
        state.countOfNetwork[network] = left == 0 ? nil : left
    }

    /// Shuts down overdue connections, and those whose client is gone; the library does not always notice that.
    func cutOverdue(at now: MonotonicTime) {
        state.update { state in
            for descriptor in state.started {
                guard let connection = state.connections[descriptor] else { continue }
                let isOverdue = connection.end <= now
                let hasGone =
                    connection.phase <= .reading && platform_has_ended(descriptor) != 0
                guard isOverdue || hasGone else { continue }
                if isOverdue { state.timedOut += 1 }
                connection.forgetEnd()
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Shuts down connections without a request and without unread bytes.
    func cutIdle() {
        state.update { state in
            for descriptor in state.started
            where state.connections[descriptor]?.phase == .idle && !Self.hasUnread(descriptor) {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    private static func hasUnread(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Waits until all connections are closed; false if the time ends first.
    func waitUntilEmpty(_ end: MonotonicTime) -> Bool {
        state.wait(until: end) { $0.connections.isEmpty ? true : nil } ?? false
    }
}

/// A thread that regularly closes overdue connections.
final class ConnectionWatcher: Sendable {
    private enum State {
        case idle
        case running
        case stopping
    }

    private static let longestInterval = Duration.milliseconds(250)

    private let interval: Duration
    private let state = Monitor(State.idle)

    /// Creates a watcher for connections with this timeout. Its interval is a twentieth of the timeout, at most a quarter of a second.
    init(timeout: Duration) {
        interval =
            timeout > .zero
            ? min(max(timeout / 20, .milliseconds(10)), Self.longestInterval) : Self.longestInterval
    }

    /// Calls `look` at each interval, in a thread, until `stop`.
    func start(_ look: @escaping @Sendable () -> Void) throws {
        state.update { $0 = .running }
        let isRunning = DetachedThread.start { [self] in
            while wait() { look() }
            state.update { $0 = .idle }
        }
        guard isRunning else {
            state.update { $0 = .idle }
            throw HTTPServerError.outOfResources
        }
    }

    /// Ends the thread, and waits for its end.
    func stop() {
        state.update { if $0 == .running { $0 = .stopping } }
        _ = state.wait { $0 == .idle ? true : nil }
    }

    /// Waits for the interval; false after `stop`.
    private func wait() -> Bool {
        state.wait(until: .now + interval) { $0 == .stopping ? true : nil } == nil
    }
}

internal import Platform

/// The connections of a server: counts them, and cuts them off.
///
/// A descriptor is in here from its acceptance until just before it is closed. To shut it down under the same lock never touches one that is
/// closed, or another file that has got its number.
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

    /// A limit of 0 is none.
    init(maximum: Int, maximumOfNetwork: Int) {
        self.maximum = maximum == 0 ? .max : maximum
        self.maximumOfNetwork = maximumOfNetwork == 0 ? .max : maximumOfNetwork
    }

    var count: Int { state.read { $0.connections.count } }

    /// Whether a daemon has connections.
    func isBusy(_ daemon: Int) -> Bool {
        state.read { $0.connections.values.contains { $0.daemon == daemon } }
    }

    /// How many were refused by a limit, and cut off by a deadline.
    var cutOff: (refused: Int, timedOut: Int) { state.read { ($0.refused, $0.timedOut) } }

    /// Counts a connection that was accepted; nil if there are too many. A proxy has connections for many.
    func admit(
        _ descriptor: Int32, of address: ClientAddress, isProxy: Bool = false, at daemon: Int,
        until end: MonotonicTime
    ) -> ClientConnection? {
        state.update { state in
            // One that was lost without a word, for lack of memory: its number would not be free otherwise.
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

    /// The connection is served from now on, and `remove` will be called before its descriptor is closed.
    func start(_ descriptor: Int32) -> ClientConnection? {
        state.update { state in
            if state.connections[descriptor] != nil { state.started.insert(descriptor) }
            return state.connections[descriptor]
        }
    }

    /// Forgets a connection whose descriptor is about to be closed.
    func remove(_ connection: ClientConnection) {
        state.update { Self.remove(connection, from: &$0) }
    }

    /// Forgets those that were handed to a daemon which was stopped before it began to serve them.
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

    /// Cuts off those whose time is over, and those whose client has gone while it was its turn: the library does not always notice.
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

    /// Cuts off those that have no request, and whose client has not sent anything that was not read.
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

    /// Waits until there are no more connections; false when the time is over before.
    func waitUntilEmpty(_ end: MonotonicTime) -> Bool {
        state.wait(until: end) { $0.connections.isEmpty ? true : nil } ?? false
    }
}

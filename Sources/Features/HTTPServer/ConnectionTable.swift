internal import Platform

/// The open connections of a server, with their limits in number and time. Thread-safe.
///
/// The table holds each descriptor from its acceptance until just before it is closed. `shutdown`
/// runs under the same lock, so it cannot hit a reused descriptor.
///
/// If the table is full, a new connection displaces the one that has been without a complete
/// request for the longest.
///
/// A network within its reserved places keeps them as long as another network has more. Trusted
/// proxies are displaced last. If all connections have complete requests, a few more places remain
/// for the reserved path.
final class ConnectionTable: Sendable {
    /// The maximum number of connections that were shut down and are not closed yet.
    static let maximumClosing = 64
    /// How long a new connection waits for those to close.
    private static let closingTimeout = Duration.milliseconds(200)

    struct State {
        var connections: [Int32: ClientConnection] = [:]
        var started: Set<Int32> = []
        /// The counted connections, by network.
        var byNetwork: [String: Set<Int32>] = [:]
        /// The numbers of connections in the table and in the reserve.
        var count = 0
        var reserveCount = 0
        /// The connections that were shut down to make room.
        var closing: Set<Int32> = []
        /// The connections to displace next, in reverse order.
        var next: [(connection: ClientConnection, completion: MonotonicTime)] = []
        var refused = 0
        var displaced = 0
        var timedOut = 0
    }

    let maximum: Int
    let maximumPerNetwork: Int
    let reservedPerNetwork: Int
    let reserve: Int
    let state = Monitor(State())

    /// Makes a table with `reserve` additional places for the reserved path. A maximum of 0 means
    /// no limit.
    ///
    /// Each network has 1/256 of all places reserved.
    init(maximum: Int, maximumPerNetwork: Int, reserve: Int = 0) {
        self.reserve = reserve
        self.maximum = maximum == 0 ? .max : maximum
        self.maximumPerNetwork = maximumPerNetwork == 0 ? .max : maximumPerNetwork
        reservedPerNetwork = max(1, self.maximum / 256)
    }

    var count: Int { state.read { $0.connections.count } }

    /// Whether a daemon has open connections.
    func isBusy(_ daemon: Int) -> Bool {
        state.read { $0.connections.values.contains { $0.daemon == daemon } }
    }

    /// The numbers of connections refused because all others had requests, displaced by another
    /// one, and closed at a deadline.
    var closures: (refused: Int, displaced: Int, timedOut: Int) {
        state.read { ($0.refused, $0.displaced, $0.timedOut) }
    }

    /// Adds an accepted connection; nil if there is no place. The limit per network does not apply
    /// to a trusted proxy.
    func admit(
        _ descriptor: Int32, of address: ClientAddress, isProxy: Bool = false, at daemon: Int,
        until end: MonotonicTime
    ) -> ClientConnection? {
        // Displaced connections still use descriptors, so their number is limited as well.
        _ = state.wait(until: .now + Self.closingTimeout) {
            $0.closing.count < Self.maximumClosing ? true : nil
        }
        return state.update { state in
            // libmicrohttpd drops a connection silently if memory is exhausted. A reused descriptor
            // shows that.
            if let lost = state.connections[descriptor] { Self.remove(lost, from: &state) }
            guard let isReserve = findPlace(for: address, isProxy: isProxy, &state) else {
                state.refused += 1
                return nil
            }
            let connection = ClientConnection(
                descriptor: descriptor, address: address, daemon: daemon, isReserve: isReserve,
                isProxy: isProxy, end: end)
            state.connections[descriptor] = connection
            if isReserve {
                state.reserveCount += 1
            } else {
                state.count += 1
                state.byNetwork[address.network, default: []].insert(descriptor)
            }
            return connection
        }
    }

    /// Marks a connection as started. ``remove(_:)`` must be called before its descriptor is
    /// closed.
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

    /// Removes the connections that a stopped daemon never started.
    func removeAll() {
        state.update { state in
            let cut = (state.refused, state.displaced, state.timedOut)
            state = State()
            (state.refused, state.displaced, state.timedOut) = cut
        }
    }

    private static func remove(_ connection: ClientConnection, from state: inout State) {
        guard state.connections[connection.descriptor] === connection else { return }
        if state.closing.remove(connection.descriptor) == nil { vacate(connection, &state) }
        state.connections[connection.descriptor] = nil
        state.started.remove(connection.descriptor)
    }

    /// Frees the place of a connection.
    static func vacate(_ connection: ClientConnection, _ state: inout State) {
        if connection.isReserve {
            state.reserveCount -= 1
            return
        }
        state.count -= 1
        let network = connection.address.network
        state.byNetwork[network]?.remove(connection.descriptor)
        if state.byNetwork[network]?.isEmpty == true { state.byNetwork[network] = nil }
    }

    /// Waits until all connections are closed; false at the time limit.
    func waitUntilEmpty(_ end: MonotonicTime) -> Bool {
        state.wait(until: end) { $0.connections.isEmpty ? true : nil } ?? false
    }
}

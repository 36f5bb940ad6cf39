internal import Platform

/// The open connections of a server. Counts them, and shuts them down. Thread-safe.
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
    /// The number of connections that one search returns.
    private static let batch = 32

    private struct State {
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

    private let maximum: Int
    private let maximumPerNetwork: Int
    private let reservedPerNetwork: Int
    private let reserve: Int
    private let state = Monitor(State())

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

    /// Finds or frees a place: false for the table, true for the reserve.
    private func findPlace(
        for address: ClientAddress, isProxy: Bool, _ state: inout State
    ) -> Bool? {
        guard state.closing.count < Self.maximumClosing else { return nil }
        let own = state.byNetwork[address.network] ?? []
        if !isProxy, own.count >= maximumPerNetwork {
            return displace(oldest(among: own, state), &state) ? false : nil
        }
        if state.count < maximum || displace(nextToDisplace(&state), &state) { return false }
        if state.reserveCount < reserve { return true }
        let inReserve = state.started.filter { state.connections[$0]?.isReserve == true }
        return displace(oldest(among: inReserve, state), &state) ? true : nil
    }

    /// Shuts a connection down to make room; returns false for nil.
    private func displace(_ connection: ClientConnection?, _ state: inout State) -> Bool {
        guard let connection else { return false }
        Self.vacate(connection, &state)
        state.closing.insert(connection.descriptor)
        state.displaced += 1
        connection.clearDeadline()
        shutdown(connection.descriptor, Int32(SHUT_RDWR))
        return true
    }

    /// The next connection to displace; nil if all have a complete request.
    private func nextToDisplace(_ state: inout State) -> ClientConnection? {
        for isSecond in [false, true] {
            while let (connection, completion) = state.next.popLast() {
                if connection.lastCompletion == completion, isDisplaceable(connection, state) {
                    return connection
                }
            }
            if !isSecond { state.next = search(state) }
        }
        return nil
    }

    /// The connections to displace, in reverse order. One search serves several new connections.
    private func search(
        _ state: State
    ) -> [(connection: ClientConnection, completion: MonotonicTime)] {
        let all = state.started.lazy.compactMap { state.connections[$0] }
            .filter { !$0.isReserve && self.isDisplaceable($0, state) }
            .map { (connection: $0, completion: $0.lastCompletion) }
            .sorted { $0.completion < $1.completion }
        var left = state.byNetwork.mapValues(\.count)
        var found: [(connection: ClientConnection, completion: MonotonicTime)] = []
        for entry in all where found.count < Self.batch && !entry.connection.isProxy {
            let network = entry.connection.address.network
            guard let count = left[network], count > reservedPerNetwork else { continue }
            left[network] = count - 1
            found.append(entry)
        }
        // No network exceeds its reserved places.
        if found.isEmpty {
            found = Array(all.filter { !$0.connection.isProxy }.prefix(Self.batch))
        }
        if found.isEmpty { found = Array(all.prefix(Self.batch)) }
        return found.reversed()
    }

    private func oldest(
        among descriptors: Set<Int32>, _ state: State
    ) -> ClientConnection? {
        descriptors.lazy.compactMap { state.connections[$0] }.filter {
            self.isDisplaceable($0, state)
        }
        .min { $0.lastCompletion < $1.lastCompletion }
    }

    /// Whether a connection can be displaced: it has no complete request. Before its start,
    /// libmicrohttpd may already have closed its descriptor.
    private func isDisplaceable(_ connection: ClientConnection, _ state: State) -> Bool {
        let descriptor = connection.descriptor
        return state.connections[descriptor] === connection && state.started.contains(descriptor)
            && !state.closing.contains(descriptor) && connection.phase <= .reading
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
    private static func vacate(_ connection: ClientConnection, _ state: inout State) {
        if connection.isReserve {
            state.reserveCount -= 1
            return
        }
        state.count -= 1
        let network = connection.address.network
        state.byNetwork[network]?.remove(connection.descriptor)
        if state.byNetwork[network]?.isEmpty == true { state.byNetwork[network] = nil }
    }

    /// Shuts down overdue connections, and those whose client has gone. libmicrohttpd does not
    /// always notice the latter.
    func shutDownOverdue(at now: MonotonicTime) {
        state.update { state in
            for descriptor in state.started {
                guard let connection = state.connections[descriptor] else { continue }
                let isOverdue = connection.end <= now
                let hasGone =
                    connection.phase <= .reading && platform_has_ended(descriptor) != 0
                guard isOverdue || hasGone else { continue }
                if isOverdue { state.timedOut += 1 }
                connection.clearDeadline()
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Shuts down connections without a request and without unread bytes.
    func shutDownIdle() {
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

    /// Waits until all connections are closed; false at the time limit.
    func waitUntilEmpty(_ end: MonotonicTime) -> Bool {
        state.wait(until: end) { $0.connections.isEmpty ? true : nil } ?? false
    }
}

internal import Platform

/// The open connections of a server. Counts them, and shuts them down. Thread-safe.
///
/// The table has each descriptor from its acceptance until just before it is closed. Shutting it down under the same lock cannot hit a reused
/// descriptor.
///
/// A connection for which there is no place takes that of the connection that has been without a complete request for the longest. A network that
/// has no more than its reserved places loses none of them while another one has more; trusted proxies lose theirs last. Where every connection
/// has a complete request, a few more places remain, for the reserved path.
final class ConnectionTable: Sendable {
    /// The largest number of connections that were shut down and are not closed yet.
    static let maximumLeaving = 64
    /// How long a new connection waits for those.
    private static let patience = Duration.milliseconds(200)
    /// How many connections one search finds.
    private static let batch = 32

    private struct State {
        var connections: [Int32: ClientConnection] = [:]
        var started: Set<Int32> = []
        /// Those with a place, by network.
        var ofNetwork: [String: Set<Int32>] = [:]
        /// Those with a place in the table and in the reserve.
        var count = 0
        var reserveCount = 0
        /// Those that were shut down to make room.
        var leaving: Set<Int32> = []
        /// Those that go next, the first one last.
        var next: [(connection: ClientConnection, completion: MonotonicTime)] = []
        var refused = 0
        var displaced = 0
        var timedOut = 0
    }

    private let maximum: Int
    private let maximumOfNetwork: Int
    private let reservedOfNetwork: Int
    private let reserve: Int
    private let state = Monitor(State())

    /// Creates a table with `reserve` more places for the reserved path. A maximum of 0 is no limit. Each network has a 256th of all places
    /// reserved.
    init(maximum: Int, maximumOfNetwork: Int, reserve: Int = 0) {
        self.reserve = reserve
        self.maximum = maximum == 0 ? .max : maximum
        self.maximumOfNetwork = maximumOfNetwork == 0 ? .max : maximumOfNetwork
        reservedOfNetwork = max(1, self.maximum / 256)
    }

    var count: Int { state.read { $0.connections.count } }

    /// Whether a daemon has connections.
    func isBusy(_ daemon: Int) -> Bool {
        state.read { $0.connections.values.contains { $0.daemon == daemon } }
    }

    /// The numbers of connections refused because all others had requests, closed for another one, and closed by a deadline.
    var cutOff: (refused: Int, displaced: Int, timedOut: Int) {
        state.read { ($0.refused, $0.displaced, $0.timedOut) }
    }

    /// Adds an accepted connection; nil if there is no place. A trusted proxy is exempt from the limit of one network.
    func admit(
        _ descriptor: Int32, of address: ClientAddress, isProxy: Bool = false, at daemon: Int,
        until end: MonotonicTime
    ) -> ClientConnection? {
        // Descriptors are limited, too: the threads of the library must keep up.
        _ = state.wait(until: .now + Self.patience) {
            $0.leaving.count < Self.maximumLeaving ? true : nil
        }
        return state.update { state in
            // libmicrohttpd drops a connection silently if memory is exhausted; the reused number shows that.
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
                state.ofNetwork[address.network, default: []].insert(descriptor)
            }
            return connection
        }
    }

    /// Finds or makes a place: false in the table, true in the reserve.
    private func findPlace(
        for address: ClientAddress, isProxy: Bool, _ state: inout State
    ) -> Bool? {
        guard state.leaving.count < Self.maximumLeaving else { return nil }
        let own = state.ofNetwork[address.network] ?? []
        if !isProxy, own.count >= maximumOfNetwork {
            return displace(oldest(among: own, state), &state) ? false : nil
        }
        if state.count < maximum || displace(nextToGo(&state), &state) { return false }
        if state.reserveCount < reserve { return true }
        let inReserve = state.started.filter { state.connections[$0]?.isReserve == true }
        return displace(oldest(among: inReserve, state), &state) ? true : nil
    }

    /// Shuts a connection down to make room; false for nil.
    private func displace(_ connection: ClientConnection?, _ state: inout State) -> Bool {
        guard let connection else { return false }
        Self.vacate(connection, &state)
        state.leaving.insert(connection.descriptor)
        state.displaced += 1
        connection.forgetEnd()
        shutdown(connection.descriptor, Int32(SHUT_RDWR))
        return true
    }

    /// The connection that goes next; nil if all have a complete request.
    private func nextToGo(_ state: inout State) -> ClientConnection? {
        for isSecond in [false, true] {
            while let (connection, completion) = state.next.popLast() {
                if connection.lastCompletion == completion, mayGo(connection, state) {
                    return connection
                }
            }
            if !isSecond { state.next = search(state) }
        }
        return nil
    }

    /// The connections to close, the one that goes first last. One search serves several new connections.
    private func search(
        _ state: State
    ) -> [(connection: ClientConnection, completion: MonotonicTime)] {
        let all = state.started.lazy.compactMap { state.connections[$0] }
            .filter { !$0.isReserve && self.mayGo($0, state) }
            .map { (connection: $0, completion: $0.lastCompletion) }
            .sorted { $0.completion < $1.completion }
        var left = state.ofNetwork.mapValues(\.count)
        var found: [(connection: ClientConnection, completion: MonotonicTime)] = []
        for entry in all where found.count < Self.batch && !entry.connection.isProxy {
            let network = entry.connection.address.network
            guard let count = left[network], count > reservedOfNetwork else { continue }
            left[network] = count - 1
            found.append(entry)
        }
        // No network has more than its reserved places.
        if found.isEmpty {
            found = Array(all.filter { !$0.connection.isProxy }.prefix(Self.batch))
        }
        if found.isEmpty { found = Array(all.prefix(Self.batch)) }
        return found.reversed()
    }

    private func oldest(
        among descriptors: Set<Int32>, _ state: State
    ) -> ClientConnection? {
        descriptors.lazy.compactMap { state.connections[$0] }.filter { self.mayGo($0, state) }
            .min { $0.lastCompletion < $1.lastCompletion }
    }

    /// Whether a connection has no complete request. One that the library did not start yet may have lost its descriptor.
    private func mayGo(_ connection: ClientConnection, _ state: State) -> Bool {
        let descriptor = connection.descriptor
        return state.connections[descriptor] === connection && state.started.contains(descriptor)
            && !state.leaving.contains(descriptor) && connection.phase <= .reading
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
            let cut = (state.refused, state.displaced, state.timedOut)
            state = State()
            (state.refused, state.displaced, state.timedOut) = cut
        }
    }

    private static func remove(_ connection: ClientConnection, from state: inout State) {
        guard state.connections[connection.descriptor] === connection else { return }
        if state.leaving.remove(connection.descriptor) == nil { vacate(connection, &state) }
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
        state.ofNetwork[network]?.remove(connection.descriptor)
        if state.ofNetwork[network]?.isEmpty == true { state.ofNetwork[network] = nil }
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

internal import Platform

// Limits on the number of connections: which one gives its place to a new one.
extension ConnectionTable {
    /// The number of connections that one search returns.
    private static let batch = 32

    /// Finds or frees a place: false for the table, true for the reserve.
    func findPlace(
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
}

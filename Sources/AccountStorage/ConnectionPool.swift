internal import Synchronization
internal import VaultStorage

/// A connection that takes one call at a time and lets others wait.
protocol PooledConnection: Sendable {
    func close()
}

extension SafeDatabaseFile: PooledConnection where Kind == AccountSchema {}
extension PostgreSQLClient: PooledConnection where Kind == PostgreSQLAccountSchema {}

/// Connections of which each caller gets one that nobody else uses, as long as there is one. They are opened when they are needed.
final class ConnectionPool<Connection: PooledConnection>: Sendable {
    private struct State: Sendable {
        var connections: [Connection] = []
        /// How many use each connection, or wait for it.
        var users: [Int] = []
        /// How many are being opened.
        var opening = 0
        var isClosed = false

        func leastUsed() -> (index: Int, users: Int)? {
            users.indices.min { users[$0] < users[$1] }.map { ($0, users[$0]) }
        }

        mutating func lend(_ index: Int) -> (Connection, Int) {
            users[index] += 1
            return (connections[index], index)
        }
    }

    private let state: Mutex<State>
    private let limit: Int
    private let open: @Sendable () throws(DatabaseError) -> Connection

    /// Makes a pool.
    ///
    /// - Parameters:
    ///   - first: A connection that is there already.
    ///   - limit: The most connections there may be; at least one is.
    ///   - open: Opens another one.
    init(
        first: Connection? = nil, limit: Int,
        open: @escaping @Sendable () throws(DatabaseError) -> Connection
    ) {
        let connections = first.map { [$0] } ?? []
        state = Mutex(
            State(connections: connections, users: connections.map { _ in 0 }))
        self.limit = max(limit, 1)
        self.open = open
    }

    /// Runs `body` with a connection.
    ///
    /// - Throws: ``DatabaseError/closed``; what `open` throws while there is no connection at all; what `body` throws.
    func use<Value>(
        _ body: (Connection) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        let (connection, index) = try take()
        defer { state.withLock { state in if !state.isClosed { state.users[index] -= 1 } } }
        return try body(connection)
    }

    /// Closes all connections, for good.
    func close() {
        let connections = state.withLock { state in
            state.isClosed = true
            defer { state.connections = [] }
            return state.connections
        }
        for connection in connections { connection.close() }
    }

    /// The connection with the fewest users, or a new one where all have some.
    private func take() throws(DatabaseError) -> (Connection, Int) {
        let found = try state.withLock { (state) throws(DatabaseError) -> (Connection, Int)? in
            if state.isClosed { throw .closed }
            let isFull = state.connections.count + state.opening >= limit
            if let found = state.leastUsed(), isFull || found.users == 0 {
                return state.lend(found.index)
            }
            state.opening += 1
            return nil
        }
        if let found { return found }
        let opened: Connection
        do throws(DatabaseError) {
            opened = try open()
        } catch {
            // A server may have no room for one more; then those that there are have to do.
            let rest = state.withLock { state in
                state.opening -= 1
                return state.leastUsed().map { state.lend($0.index) }
            }
            guard let rest else { throw error }
            return rest
        }
        let isClosed = state.withLock { state in
            state.opening -= 1
            if !state.isClosed {
                state.connections.append(opened)
                state.users.append(0)
            }
            return state.isClosed
        }
        guard !isClosed else {
            opened.close()
            throw .closed
        }
        return try take()
    }
}

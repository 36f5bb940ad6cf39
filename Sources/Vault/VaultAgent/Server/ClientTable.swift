internal import Platform

/// The clients of an agent, busy or idle, and the choice of the client to disconnect. Thread-safe.
final class ClientTable: Sendable {
    /// A connected client.
    struct Client: Sendable {
        fileprivate let number: UInt64
        let channel: FrameChannel
    }

    private struct Entry {
        let client: Client
        var isBusy = false
        /// The number of its last event, a connection or a request.
        var lastEvent: UInt64
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var events: UInt64 = 0
        var lastRequest: Duration = .zero
        /// The client that asked the agent to exit.
        var ender: UInt64?
    }

    private let state = LockedValue(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds a client; if there are too many, disconnects the client with the longest idle time.
    func add(_ channel: FrameChannel) -> Client {
        let (client, surplus) = state.withLock { state -> (Client, Client?) in
            let surplus = state.entries.count >= limit ? Self.idlest(&state) : nil
            state.events += 1
            let client = Client(number: state.events, channel: channel)
            state.entries[client.number] = Entry(client: client, lastEvent: state.events)
            return (client, surplus)
        }
        surplus?.channel.hangUp()
        return client
    }

    func remove(_ client: Client) {
        state.withLock { $0.entries[client.number] = nil }
    }

    /// Records that a request of a client has begun to arrive.
    func begin(_ client: Client, at now: Duration) { note(client, isBusy: true, now) }

    /// Records that the request was answered.
    func finish(_ client: Client, at now: Duration) { note(client, isBusy: false, now) }

    private func note(_ client: Client, isBusy: Bool, _ now: Duration) {
        state.withLock { state in
            state.events += 1
            state.lastRequest = max(state.lastRequest, now)
            state.entries[client.number]?.isBusy = isBusy
            state.entries[client.number]?.lastEvent = state.events
        }
    }

    var lastRequest: Duration { state.withLock { $0.lastRequest } }
    var isEndAsked: Bool { state.withLock { $0.ender != nil } }
    func askForEnd(_ client: Client) { state.withLock { $0.ender = client.number } }

    /// Disconnects a client when no descriptors are left.
    func hangUpIdlest() {
        state.withLock { Self.idlest(&$0) }?.channel.hangUp()
    }

    /// Disconnects all clients. The client that asked for the exit is last, so that its disconnection implies all others.
    func hangUpAll() {
        let (clients, ender) = state.withLock { ($0.entries.values.map(\.client), $0.ender) }
        for client in clients where client.number != ender { client.channel.hangUp() }
        for client in clients where client.number == ender { client.channel.hangUp() }
    }

    /// Removes the client with the longest idle time; a busy one only if all are busy.
    private static func idlest(_ state: inout State) -> Client? {
        let entry = state.entries.values.min {
            ($0.isBusy ? 1 : 0, $0.lastEvent) < ($1.isBusy ? 1 : 0, $1.lastEvent)
        }
        if let entry { state.entries[entry.client.number] = nil }
        return entry?.client
    }
}

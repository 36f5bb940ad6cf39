internal import Synchronization

/// The clients of an agent: who is at work, who is idle, and who has to go when there are too many. Thread-safe.
final class ClientTable: Sendable {
    /// A connected client.
    struct Client: Sendable {
        fileprivate let number: UInt64
        let channel: FrameChannel
    }

    private struct Entry {
        let client: Client
        var isBusy = false
        /// When it came or asked for something the last time, as a count of such events.
        var lastEvent: UInt64
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var events: UInt64 = 0
        var lastRequest: Duration = .zero
        /// Who asked the agent to end.
        var ender: UInt64?
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a client in; where there are too many, the idlest of the others goes.
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

    /// Notes that a request of a client has begun to come in.
    func begin(_ client: Client, at now: Duration) { note(client, isBusy: true, now) }

    /// Notes that it was answered.
    func rest(_ client: Client, at now: Duration) { note(client, isBusy: false, now) }

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

    /// Makes room where descriptors are used up.
    func hangUpIdlest() {
        state.withLock { Self.idlest(&$0) }?.channel.hangUp()
    }

    /// Hangs up on everybody; on who asked for the end at last, so that everybody knows when that one does.
    func hangUpAll() {
        let (clients, ender) = state.withLock { ($0.entries.values.map(\.client), $0.ender) }
        for client in clients where client.number != ender { client.channel.hangUp() }
        for client in clients where client.number == ender { client.channel.hangUp() }
    }

    /// Takes out the client that has been idle for the longest time; one at work only where all are.
    private static func idlest(_ state: inout State) -> Client? {
        let entry = state.entries.values.min {
            ($0.isBusy ? 1 : 0, $0.lastEvent) < ($1.isBusy ? 1 : 0, $1.lastEvent)
        }
        if let entry { state.entries[entry.client.number] = nil }
        return entry?.client
    }
}

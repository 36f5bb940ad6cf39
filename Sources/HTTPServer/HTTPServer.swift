internal import Synchronization

/// An HTTP/1.1 server.
///
/// A few threads read and write, and call the handler. A few workers do what takes long. One thread accepts connections, and one cuts off those
/// that are too slow. It listens from its creation until it is stopped.
public final class HTTPServer: Sendable {
    /// Which daemons there are. Connections are handed over under the same lock, so that none gets to a daemon that is stopped.
    private struct Daemons {
        var current: Daemon?
        var older: [Daemon] = []
        var isStopped = false
    }

    /// How often is looked for connections that became idle while the server stops.
    private static let pause = Duration.milliseconds(50)

    private let core: ServerCore
    private let listener: ListeningSocket
    private let watcher: ConnectionWatcher
    private let daemons: Monitor<Daemons>
    private let isEncrypted: Bool
    private let numbers = Atomic<Int>(0)

    /// Listens.
    public init(_ options: HTTPServerOptions, _ handler: any HTTPHandler) throws(HTTPServerError) {
        listener = try ListeningSocket(address: options.address, port: options.port)
        core = ServerCore(options, handler)
        isEncrypted = options.identity != nil
        let first = try Daemon(core, number: 0, identity: options.identity)
        daemons = Monitor(Daemons(current: first))
        watcher = ConnectionWatcher(timeout: options.timeout)
        do {
            try core.lanes.start()
            try core.lingering.start()
            try watcher.start { [core, daemons] in
                core.connections.cutOverdue(at: .now)
                Self.stopOlder(daemons, core.connections)
            }
            try listener.start { [core, daemons] descriptor, address in
                Self.accept(descriptor, address, core, daemons)
            }
        } catch {
            core.lanes.stop()
            core.lingering.stop()
            watcher.stop()
            first.stop()
            throw error
        }
    }

    deinit {
        stop(within: .zero)
    }

    /// The port, also where the system chose it.
    public var port: UInt16 { listener.port }

    /// What there is to do.
    public var counters: HTTPServerCounters {
        let loads = HTTPLane.allCases.map { core.lanes.load(of: $0) }
        let (refused, timedOut) = core.connections.cutOff
        return HTTPServerCounters(
            connections: core.connections.count, refusedConnections: refused,
            timedOutConnections: timedOut, waitingForWorkers: loads.map(\.waiting).reduce(0, +),
            busyWorkers: loads.map(\.busy).reduce(0, +),
            overloads: loads.map(\.overloads).reduce(0, +))
    }

    /// How many daemons have an older certificate.
    var olderDaemons: Int { daemons.read { $0.older.count } }

    /// Takes another certificate for connections to come. Those that are open keep theirs; one that cannot be used changes nothing.
    public func reload(_ identity: TLSIdentity) throws(HTTPServerError) {
        guard isEncrypted else { throw .notEncrypted }
        let number = numbers.add(1, ordering: .relaxed).newValue
        let next = try Daemon(core, number: number, identity: identity)
        let isTaken = daemons.update { daemons in
            guard let current = daemons.current else { return false }
            daemons.older.append(current)
            daemons.current = next
            return true
        }
        if !isTaken {
            next.stop()
            throw .stopped
        }
    }

    /// Stops listening, lets requests that have begun come to their end for so long, and then closes what is left. Work that a worker is doing
    /// at that time goes on without anybody to get its answer.
    public func stop(within duration: Duration) {
        let isFirst = daemons.update { daemons in
            defer { daemons.isStopped = true }
            return !daemons.isStopped
        }
        guard isFirst else { return }
        let end = MonotonicTime.now + duration
        core.isStopping.store(true, ordering: .sequentiallyConsistent)
        listener.stop()
        repeat {
            core.connections.cutIdle()
            // Some become idle meanwhile.
        } while !core.connections.waitUntilEmpty(min(end, .now + Self.pause)) && .now < end
        core.lanes.stop()
        watcher.stop()
        core.lingering.stop()
        let left = daemons.update { daemons in
            defer {
                daemons.current = nil
                daemons.older = []
            }
            return daemons.older + (daemons.current.map { [$0] } ?? [])
        }
        for daemon in left { daemon.stop() }
        core.connections.removeAll()
    }

    private static func accept(
        _ descriptor: Int32, _ address: SocketAddress, _ core: ServerCore,
        _ daemons: Monitor<Daemons>
    ) {
        daemons.update { daemons in
            let peer = ClientAddress(bytes: address.bytes)
            guard let daemon = daemons.current,
                let connection = core.connections.admit(
                    descriptor, of: peer, isProxy: core.proxies.contain(peer), at: daemon.number,
                    until: core.deadline)
            else {
                ListeningSocket.refuse(descriptor)
                return
            }
            if !daemon.serve(connection, from: address) { core.connections.remove(connection) }
        }
    }

    /// Ends daemons whose last connection has ended.
    private static func stopOlder(_ daemons: Monitor<Daemons>, _ connections: ConnectionTable) {
        let ended = daemons.update { daemons in
            let ended = daemons.older.filter { !connections.isBusy($0.number) }
            daemons.older.removeAll { daemon in ended.contains { $0 === daemon } }
            return ended
        }
        for daemon in ended { daemon.stop() }
    }
}

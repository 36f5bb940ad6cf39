internal import CMicroHTTPD
internal import Synchronization
internal import Platform

/// An HTTP/1.1 server.
///
/// I/O threads read, write, and call the handler. Workers do slow work. One thread accepts
/// connections, and one closes overdue connections. The server listens from its creation until it
/// is stopped. Thread-safe.
public final class HTTPServer: Sendable {
    /// The daemons. Connections are added under the same lock, so that none reaches a stopped
    /// daemon.
    private struct Daemons {
        var current: Daemon?
        var older: [Daemon] = []
        var isStopped = false
    }

    /// The interval of searches for idle connections while the server stops.
    private static let pause = Duration.milliseconds(50)

    private let core: ServerCore
    private let listener: ListeningSocket
    private let overdueCheck: IntervalThread
    private let daemons: Monitor<Daemons>
    private let isEncrypted: Bool
    private let numbers = Atomic<Int>(0)

    /// Starts to listen.
    ///
    /// - Throws: `HTTPServerError`.
    public init(_ options: HTTPServerOptions, _ handler: any HTTPHandler) throws {
        listener = try ListeningSocket(address: options.address, port: options.port)
        core = ServerCore(options, handler)
        isEncrypted = options.identity != nil
        let first = try Daemon(core, number: 0, identity: options.identity)
        daemons = Monitor(Daemons(current: first))
        overdueCheck = IntervalThread(
            every: ConnectionTable.overdueInterval(timeout: options.timeout))
        do {
            try core.lanes.start()
            try core.lingering.start()
            try overdueCheck.start { [core, daemons] in
                core.connections.shutDownOverdue(at: core.options.now())
                Self.stopOlder(daemons, core.connections)
            }
            try listener.start { [core, daemons] descriptor, address in
                Self.accept(descriptor, address, core, daemons)
            }
        } catch {
            core.lanes.stop()
            core.lingering.stop()
            overdueCheck.stop()
            first.stop()
            throw error
        }
    }

    deinit {
        stop(within: .zero)
    }

    /// Checks whether a server could listen, without listening.
    ///
    /// - Throws: `HTTPServerError.addressNotNumeric`, `HTTPServerError.cannotListen`.
    public static func checkAddress(_ options: HTTPServerOptions) throws {
        try ListeningSocket.check(address: options.address, port: options.port)
    }

    /// A port of a numeric address that is free at the moment, the system's choice.
    ///
    /// - Throws: `HTTPServerError.addressNotNumeric`, `HTTPServerError.cannotListen`.
    package static func freePort(at address: String) throws -> UInt16 {
        try ListeningSocket(address: address, port: 0).port
    }

    /// The port; if the options have 0, the system's choice.
    public var port: UInt16 { listener.port }

    /// The current load, and the refusals so far.
    public var counters: HTTPServerCounters {
        let loads = HTTPLane.allCases.map { core.lanes.load(of: $0) }
        let cut = core.connections.closures
        return HTTPServerCounters(
            connections: core.connections.count, refusedConnections: cut.refused,
            displacedConnections: cut.displaced, timedOutConnections: cut.timedOut,
            waitingForWorkers: loads.map(\.waiting).reduce(0, +),
            busyWorkers: loads.map(\.busy).reduce(0, +),
            deferredResponses: core.lanes.deferred.count,
            overloads: loads.map(\.overloads).reduce(0, +))
    }

    /// The number of daemons with an older certificate.
    var olderDaemons: Int { daemons.read { $0.older.count } }

    /// Replaces the certificate for new connections. Open connections keep theirs. An invalid
    /// certificate changes nothing.
    ///
    /// - Throws: `HTTPServerError`.
    public func reload(_ identity: TLSIdentity) throws {
        guard isEncrypted else { throw HTTPServerError.notEncrypted }
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
            throw HTTPServerError.stopped
        }
    }

    /// Stops listening, waits for requests in progress up to this duration, and closes the
    /// remaining connections.
    ///
    /// Running work continues, but its response is dropped.
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
            core.connections.shutDownIdle()
            // More connections may become idle in the meantime.
        } while !core.connections.waitUntilEmpty(min(end, .now + Self.pause)) && .now < end
        core.lanes.stop()
        overdueCheck.stop()
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
        guard core.options.admits(descriptor) else { return ListeningSocket.refuse(descriptor) }
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

    /// Stops older daemons that have no connections.
    private static func stopOlder(_ daemons: Monitor<Daemons>, _ connections: ConnectionTable) {
        let ended = daemons.update { daemons in
            let ended = daemons.older.filter { !connections.isBusy($0.number) }
            daemons.older.removeAll { daemon in ended.contains { $0 === daemon } }
            return ended
        }
        for daemon in ended { daemon.stop() }
    }
}

/// The reason why a server cannot start, or cannot use a certificate.
public enum HTTPServerError: Error, Hashable {
    /// The address is not a numeric IPv4 or IPv6 address.
    case addressNotNumeric
    /// The system refuses to listen; `code` is the `errno`, such as `EADDRINUSE` or `EACCES`.
    case cannotListen(code: Int32)
    /// The certificate or key cannot be parsed, or they do not match.
    case identityRefused
    /// The server runs without TLS, so it has no certificate to replace.
    case notEncrypted
    /// Threads or descriptors are exhausted.
    case outOfResources
    /// The server was stopped.
    case stopped
    /// libmicrohttpd is not installed.
    case libraryMissing
}

/// The current load of a server and its refusals so far, for metrics.
public struct HTTPServerCounters: Sendable, Hashable {
    /// The number of open connections.
    public var connections: Int
    /// The number of connections that were refused because too many others, in total or from one network, had complete
    /// requests.
    public var refusedConnections: Int
    /// The number of connections without a complete request that were closed to make room for others.
    public var displacedConnections: Int
    /// The number of connections that were closed by a timeout, including idle ones.
    public var timedOutConnections: Int
    /// The number of requests that wait for a worker.
    public var waitingForWorkers: Int
    /// The number of busy workers.
    public var busyWorkers: Int
    /// The number of requests with a deferred response.
    public var deferredResponses: Int
    /// The number of requests that were refused because too many waited.
    public var overloads: Int
}

/// The libmicrohttpd library of this process. It is loaded on first use and never unloaded.
public enum HTTPServerLibrary {
    /// The Debian package of the library.
    package static let debianPackage = "libmicrohttpd12"

    #if os(macOS)
        private static let names = [
            "/opt/homebrew/lib/libmicrohttpd.12.dylib", "/usr/local/lib/libmicrohttpd.12.dylib",
        ]
    #else
        private static let names = ["libmicrohttpd.so.12"]
    #endif

    static let isLoaded = names.contains { unsafe cmicrohttpd_load($0) }

    /// The name and version of libmicrohttpd, from `MHD_get_version`; without a version if it is not installed.
    public static var title: String {
        "libmicrohttpd " + (isLoaded ? unsafe String(cString: cmicrohttpd_version()) : "(missing)")
    }
}

import Foundation
import Platform
import Synchronization

/// Stands between a client and an auth server at a port of its own, which stays the same when the server restarts.
///
/// Of plain HTTP it reads each exchange, and can break one; of TLS it counts connections.
final class Relay: Sendable {
    /// How far an exchange comes that is broken.
    enum Moment: Sendable, CaseIterable {
        /// The server does not get the request.
        case beforeTheRequest
        /// The server has answered, and the client gets nothing of it.
        case beforeTheAnswer
        /// The client gets half of the answer.
        case withinTheAnswer
    }

    private struct State {
        var target: UInt16?
        var broken: (moment: Moment, request: String, isHeld: Bool)?
        /// How many exchanges pass before one is broken, whether all later ones are held with it, and how many are.
        var passing = 0
        var holdsAll = false
        var holding = 0
        var isStopped = false
        var isUnbroken = false
        var endsWithBreak = false
        var connections = 0
        var requests: [String] = []
        var refreshes: [String] = []
    }

    private let state = Mutex(State())
    private let held = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)
    private let listener: Int32
    /// Where clients connect.
    let port: UInt16

    /// Listens. Where no server is behind it, connections are closed at once.
    init() throws {
        (listener, port) = try Self.makeListener()
        Thread { [self] in accept() }.start()
    }

    /// A socket that listens at a port that the system chooses.
    static func makeListener() throws -> (Int32, UInt16) {
        let listener = socket(AF_INET, platform_stream_socket(), 0)
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        guard unsafe withAddress(0, { unsafe bind(listener, $0, $1) }) == 0,
            listen(listener, 64) == 0
        else { throw HarnessFailure("listen") }
        var bound = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &bound) {
            unsafe getsockname(
                listener, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self), &size)
        }
        guard code == 0 else { throw HarnessFailure("getsockname") }
        return (listener, UInt16(bigEndian: bound.sin_port))
    }

    /// Ends it; connections that there are go on.
    func stop() {
        state.withLock { state in
            // Once: another file may get its number.
            if !state.isStopped { shutdown(listener, Int32(SHUT_RDWR)) }
            state.isStopped = true
        }
    }

    /// Passes connections on to a port, or drops them.
    func connect(to port: UInt16?) {
        state.withLock { $0.target = port }
    }

    /// How many connections there were.
    var connections: Int { state.withLock { $0.connections } }

    /// The first lines of all requests in the clear, without the version; for tokens with the first word of the grant.
    var requests: [String] { state.withLock { $0.requests } }

    /// The credentials that were sent to get tokens for one, each time.
    var refreshes: [String] { state.withLock { $0.refreshes } }

    /// How many requests could change something.
    var posts: Int { requests.count { $0.hasPrefix("POST") } }

    /// How often a password was sent to sign in.
    var passwordsTried: Int { requests.count { $0 == "POST /oauth/token password" } }

    /// Breaks the next exchange that begins so; with `forGood` all later ones, too.
    func breakNext(_ request: String, _ moment: Moment, forGood: Bool = false) {
        state.withLock { state in
            state.broken = (moment, request, false)
            state.endsWithBreak = forGood
        }
    }

    /// Stops in the next exchange that begins so, until ``release()``, and breaks it then.
    func holdNext(_ request: String, _ moment: Moment) {
        state.withLock { $0.broken = (moment, request, true) }
    }

    /// Stops in all exchanges that begin so, but for the first ones, until ``release()``.
    func holdAll(_ request: String, _ moment: Moment, after others: Int) {
        state.withLock { state in
            state.broken = (moment, request, true)
            state.holdsAll = true
            state.passing = others
        }
    }

    /// Waits until an exchange is stopped.
    func waitUntilHeld() throws {
        guard held.wait(timeout: .now() + 60) == .success else { throw HarnessFailure("hold") }
    }

    /// Breaks the exchange that is stopped, or lets it go on.
    func release(unbroken: Bool = false) {
        let count = state.withLock { state in
            state.isUnbroken = unbroken
            if state.holdsAll { state.broken = nil }
            defer { state.holding = 0 }
            return max(1, state.holding)
        }
        for _ in 0..<count { released.signal() }
    }

    private static func withAddress(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) {
            unsafe body(
                UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else {
                if state.withLock({ $0.isStopped }) { break }
                continue
            }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let target = state.withLock { state in
                state.connections += 1
                return state.target
            }
            let server = socket(AF_INET, platform_stream_socket(), 0)
            _ = fcntl(server, F_SETFD, FD_CLOEXEC)
            let isConnected =
                target.map { port in
                    unsafe Self.withAddress(port) {
                        unsafe Foundation.connect(server, $0, $1)
                    } == 0
                } ?? false
            guard isConnected else {
                close(client)
                close(server)
                continue
            }
            Thread { [self] in
                pass(client, server)
                close(server)
                close(client)
            }.start()
        }
        close(listener)
    }

    private func pass(_ client: Int32, _ server: Int32) {
        var first: UInt8 = 0
        // What TLS begins with.
        if unsafe recv(client, &first, 1, Int32(MSG_PEEK)) == 1, first == 22 {
            return passBytes(client, server)
        }
        while Self.awaitRequest(of: client, server),
            let request = HTTPMessage.read(from: client)
        {
            let name = request.name
            let broken = state.withLock { state in
                state.requests.append(name)
                if name == "POST /oauth/token refresh" { state.refreshes.append(request.content) }
                guard let broken = state.broken, name.hasPrefix(broken.request) else {
                    return (moment: Moment, request: String, isHeld: Bool)?.none
                }
                guard state.passing == 0 else {
                    state.passing -= 1
                    return nil
                }
                if !state.holdsAll { state.broken = nil }
                if broken.isHeld { state.holding += 1 }
                return broken
            }
            if let broken, broken.moment == .beforeTheRequest, !goesOn(broken.isHeld) { return }
            guard HTTPMessage.write(request.bytes, to: server),
                let answer = HTTPMessage.read(from: server)
            else { return }
            var rest = answer.bytes[...]
            if let broken, broken.moment != .beforeTheRequest {
                if broken.moment == .withinTheAnswer {
                    _ = HTTPMessage.write(rest.dropLast(20), to: client)
                    rest = rest.suffix(20)
                }
                guard goesOn(broken.isHeld) else { return }
            }
            guard HTTPMessage.write(rest, to: client) else { return }
        }
    }

    /// Waits until the client sends something; false if the server has ended the connection before: then the client's ends, too.
    private static func awaitRequest(of client: Int32, _ server: Int32) -> Bool {
        var polled = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while unsafe poll(&polled, 2, -1) < 0, errno == EINTR {}
        return polled[1].revents == 0
    }

    /// Whether an exchange goes on that was to be broken.
    private func goesOn(_ isHeld: Bool) -> Bool {
        guard isHeld else {
            state.withLock { if $0.endsWithBreak { $0.target = nil } }
            return false
        }
        held.signal()
        released.wait()
        return state.withLock { $0.isUnbroken }
    }

    private func passBytes(_ client: Int32, _ server: Int32) {
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            var polled = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&polled, 2, -1) > 0 else { continue }
            for (source, other) in [(0, server), (1, client)] where polled[source].revents != 0 {
                let count = unsafe recv(polled[source].fd, &piece, piece.count, 0)
                guard count > 0, HTTPMessage.write(piece.prefix(count), to: other) else { return }
            }
        }
    }
}

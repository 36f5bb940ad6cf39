#if os(Linux)
    internal import Foundation
    internal import Glibc
    internal import Synchronization
    internal import Testing

    /// A proxy between clients and a server, on a socket of its own, that breaks connections at a commit.
    package final class PostgreSQLProxy: Sendable {
        /// The treatment of connections.
        package enum Behaviour: Sendable {
            /// All data is forwarded.
            case pass
            /// The next commit does not reach the server.
            case cutBeforeCommit
            /// The next commit reaches the server; its answer does not reach the client.
            case cutAfterCommit
            /// As before, and new connections are refused from then on.
            case cutAfterCommitForGood
            /// The next commit is held back; the client gets no answer until its timeout.
            case holdCommit
            /// As before, but the commit reaches the server shortly after the client's timeout.
            case delayCommit
        }

        private struct State {
            var behaviour = Behaviour.pass
            var isRefusing = false
            var atCut: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())
        private let folder: String
        private let target: String
        private let listener: Int32

        /// Creates a proxy in `folder`, for a server whose socket is in the folder `server`.
        package init(in folder: String, for server: String) throws {
            self.folder = folder
            self.target = server + "/.s.PGSQL.5432"
            listener = socket(
                AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            let path = folder + "/.s.PGSQL.5432"
            guard unsafe Self.withAddress(path, { unsafe bind(listener, $0, $1) }) == 0,
                listen(listener, 16) == 0
            else { throw PostgreSQLServerFailure(reason: "no socket: \(errno)") }
            Thread { [self] in accept() }.start()
        }

        /// The address of a database through the proxy.
        package func address(of database: String) -> String {
            let host = folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let user = PostgreSQLServer.processUser
            return "postgresql://vault@\(host)/\(database)?requirepeer=\(user)"
        }

        /// Sets the treatment of connections from now on.
        ///
        /// - Parameters:
        ///   - behaviour: The treatment.
        ///   - atCut: Called after a connection was broken, before the client can notice.
        package func set(_ behaviour: Behaviour, atCut: (@Sendable () -> Void)? = nil) {
            state.withLock { $0 = State(behaviour: behaviour, atCut: atCut) }
        }

        /// Ends the proxy; existing connections continue.
        package func close() {
            shutdown(listener, Int32(SHUT_RDWR))
        }

        private static func withAddress(
            _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
        ) -> Int32 {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) {
                unsafe $0.copyBytes(from: path.utf8)
            }
            return unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }

        private func accept() {
            while true {
                let client = Glibc.accept(listener, nil, nil)
                guard client >= 0 else { break }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                let server = socket(
                    AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
                let isRefusing = state.withLock { $0.isRefusing }
                guard !isRefusing,
                    unsafe Self.withAddress(target, { unsafe connect(server, $0, $1) }) == 0
                else {
                    Glibc.close(client)
                    Glibc.close(server)
                    continue
                }
                Thread { [self] in relay(client, server) }.start()
            }
            Glibc.close(listener)
        }

        /// Forwards data in both directions until one side ends, or a commit is to be broken.
        private func relay(_ client: Int32, _ server: Int32) {
            let wasCut = relayUntilCut(client, server)
            Glibc.close(server)
            if wasCut { state.withLock { $0.atCut }?() }
            Glibc.close(client)
        }

        /// - Returns: Whether a commit was broken.
        private func relayUntilCut(_ client: Int32, _ server: Int32) -> Bool {
            var isCutting = false
            var delayed: [UInt8]?
            while true {
                var polled = [
                    pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: server, events: Int16(POLLIN), revents: 0),
                ]
                guard unsafe poll(&polled, 2, -1) > 0 else { continue }
                if polled[0].revents != 0 {
                    guard let bytes = Self.receive(client) else {
                        deliver(delayed, to: server)
                        return false
                    }
                    // A simple query: 'Q', length, text, zero.
                    let isCommit =
                        bytes.first == UInt8(ascii: "Q")
                        && bytes.dropFirst(5).elementsEqual(Array("COMMIT\0".utf8))
                    if isCommit {
                        let behaviour = state.withLock { state in
                            defer { state.behaviour = .pass }
                            if state.behaviour == .cutAfterCommitForGood { state.isRefusing = true }
                            return state.behaviour
                        }
                        switch behaviour {
                        case .pass: break
                        case .cutBeforeCommit: return true
                        case .cutAfterCommit, .cutAfterCommitForGood: isCutting = true
                        case .holdCommit: continue
                        case .delayCommit:
                            delayed = bytes
                            continue
                        }
                    }
                    // The client's termination message would overtake the commit.
                    if delayed != nil { continue }
                    guard Self.send(bytes, server) else { return false }
                }
                if polled[1].revents != 0 {
                    guard let bytes = Self.receive(server) else { return false }
                    if isCutting { return true }
                    guard Self.send(bytes, client) else { return false }
                }
            }
        }

        /// Simulates a slow network.
        private func deliver(_ delayed: [UInt8]?, to server: Int32) {
            guard let delayed else { return }
            usleep(300_000)
            _ = Self.send(delayed, server)
            _ = Self.receive(server)
        }

        private static func receive(_ descriptor: Int32) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(descriptor, &bytes, bytes.count)
            return count > 0 ? Array(bytes[..<count]) : nil
        }

        private static func send(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes.withUnsafeBytes {
                    unsafe Glibc.send(
                        descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
                        Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    /// Runs `body` with the direct address of a new database, its address through a proxy, and the proxy.
    package func withPostgreSQLProxy(
        _ body: (_ direct: String, _ through: String, PostgreSQLProxy) throws -> Void
    ) throws {
        try withPostgreSQLDatabase { direct in
            try withTemporaryFolder { folder in
                let server = try PostgreSQLServer.shared.get()
                let proxy = try PostgreSQLProxy(in: folder, for: server.folder)
                defer { proxy.close() }
                try body(direct, proxy.address(of: databaseName(in: direct)), proxy)
            }
        }
    }
#endif

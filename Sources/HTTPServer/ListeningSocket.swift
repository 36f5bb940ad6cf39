internal import Platform

/// A socket that listens, and a thread that accepts.
final class ListeningSocket: Sendable {
    /// The port, also where the system chose it.
    let port: UInt16
    private let descriptor: Int32
    /// Written to, to end the thread.
    private let wakeUp: (reader: Int32, writer: Int32)
    private let state = Monitor(State.idle)

    private enum State {
        case idle
        case running
        case ended
    }

    /// How long to wait when there is no descriptor for the next connection, in milliseconds.
    private static let pause: Int32 = 50

    /// Listens at a numeric address.
    init(address: String, port: UInt16) throws(HTTPServerError) {
        var found: UnsafeMutablePointer<addrinfo>?
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        unsafe hints.ai_socktype = platform_stream_socket()
        guard unsafe getaddrinfo(address, String(port), &hints, &found) == 0,
            let first = unsafe found
        else { throw .addressNotNumeric }
        defer { unsafe freeaddrinfo(first) }
        let descriptor = unsafe platform_listen_at(
            first.pointee.ai_addr, first.pointee.ai_addrlen, SOMAXCONN)
        guard descriptor >= 0 else { throw .cannotListen(code: errno) }
        var ends: [Int32] = [-1, -1]
        guard unsafe platform_pipe(&ends) == 0 else {
            close(descriptor)
            throw .outOfResources
        }
        self.descriptor = descriptor
        self.wakeUp = (ends[0], ends[1])
        self.port = SocketAddress(boundTo: descriptor)?.port ?? port
    }

    deinit {
        close(wakeUp.reader)
        close(wakeUp.writer)
        if state.read({ $0 == .idle }) { close(descriptor) }
    }

    /// Hands each connection to `body`, in a thread, until `stop`.
    func start(_ body: @escaping @Sendable (Int32, SocketAddress) -> Void) throws(HTTPServerError) {
        state.update { $0 = .running }
        let isRunning = ServerThread.start { [self] in
            run(body)
            close(descriptor)
            state.update { $0 = .ended }
        }
        guard isRunning else {
            state.update { $0 = .idle }
            throw .outOfResources
        }
    }

    /// Accepts nothing more, and gives the port back.
    func stop() {
        var byte: UInt8 = 0
        unsafe write(wakeUp.writer, &byte, 1)
        _ = state.wait { $0 == .running ? nil : true }
    }

    /// Closes a connection that was accepted, before anything is read.
    static func refuse(_ descriptor: Int32) {
        close(descriptor)
    }

    private func run(_ body: (Int32, SocketAddress) -> Void) {
        var pause: Int32 = -1
        while true {
            var events = [
                pollfd(fd: wakeUp.reader, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            // While there is no descriptor to be had, only the end is waited for.
            let count: nfds_t = pause < 0 ? 2 : 1
            if unsafe poll(&events, count, pause) < 0 { continue }
            if events[0].revents != 0 { return }
            pause = acceptAll(body) ? -1 : Self.pause
        }
    }

    /// Accepts until nobody waits; false if one waits who cannot be accepted.
    private func acceptAll(_ body: (Int32, SocketAddress) -> Void) -> Bool {
        while true {
            let client = platform_accept(descriptor)
            if client < 0 {
                let isOutOfResources = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
                if errno == ECONNABORTED || errno == EINTR { continue }
                return !isOutOfResources
            }
            if let address = SocketAddress(peerOf: client) {
                body(client, address)
            } else {
                close(client)
            }
        }
    }
}

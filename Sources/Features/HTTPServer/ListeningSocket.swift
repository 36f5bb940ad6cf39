internal import Platform

/// A listening socket, and the thread that accepts connections.
final class ListeningSocket: Sendable {
    /// The port; if 0 was requested, the system's choice.
    let port: UInt16
    private let descriptor: Int32
    /// A pipe that stops the thread.
    private let wakeUp: (reader: Int32, writer: Int32)
    private let state = Monitor(State.idle)

    private enum State {
        case idle
        case running
        case ended
    }

    /// The pause while descriptors are exhausted, in milliseconds.
    private static let pause: Int32 = 50

    /// Checks whether this process may listen at a numeric address, without listening.
    static func check(address: String, port: UInt16) throws {
        close(try bound(address, port, backlog: -1))
    }

    /// A socket bound to a numeric address. It listens unless the backlog is negative.
    ///
    /// The corresponding C functions are `getaddrinfo`, `bind` and `listen`.
    private static func bound(_ address: String, _ port: UInt16, backlog: Int32) throws -> Int32 {
        var found: UnsafeMutablePointer<addrinfo>?
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        unsafe hints.ai_socktype = platform_stream_socket()
        guard unsafe getaddrinfo(address, String(port), &hints, &found) == 0,
            let first = unsafe found
        else { throw HTTPServerError.addressNotNumeric }
        defer { unsafe freeaddrinfo(first) }
        let descriptor = unsafe platform_listen_at(
            first.pointee.ai_addr, first.pointee.ai_addrlen, backlog)
        guard descriptor >= 0 else { throw HTTPServerError.cannotListen(code: errno) }
        return descriptor
    }

    /// Listens at a numeric address.
    init(address: String, port: UInt16) throws {
        let descriptor = try Self.bound(address, port, backlog: SOMAXCONN)
        var ends: [Int32] = [-1, -1]
        guard unsafe platform_pipe(&ends) == 0 else {
            close(descriptor)
            throw HTTPServerError.outOfResources
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

    /// Calls `body` for each connection, in its own thread, until `stop`.
    func start(_ body: @escaping @Sendable (Int32, SocketAddress) -> Void) throws {
        state.update { $0 = .running }
        let isRunning = DetachedThread.start { [self] in
            run(body)
            close(descriptor)
            state.update { $0 = .ended }
        }
        guard isRunning else {
            state.update { $0 = .idle }
            throw HTTPServerError.outOfResources
        }
    }

    /// Stops accepting, and frees the port.
    func stop() {
        var byte: UInt8 = 0
        unsafe write(wakeUp.writer, &byte, 1)
        _ = state.wait { $0 == .running ? nil : true }
    }

    /// Closes an accepted connection without reading from it.
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
            // If descriptors are exhausted, poll only the stop pipe for a while.
            let count: nfds_t = pause < 0 ? 2 : 1
            if unsafe poll(&events, count, pause) < 0 { continue }
            if events[0].revents != 0 { return }
            pause = acceptAll(body) ? -1 : Self.pause
        }
    }

    /// Accepts all pending connections; false if descriptors or memory are exhausted.
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

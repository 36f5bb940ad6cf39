internal import Platform

/// Connections that were refused before all of their content was read. Thread-safe.
///
/// Closing a socket with unread bytes resets the connection, and the client may lose the response.
/// The rest is therefore read and discarded for a short time.
///
/// This uses a second descriptor, after libmicrohttpd has closed its own.
final class LingeringSockets: Sendable {
    private struct State {
        var sockets: [Int32: MonotonicTime] = [:]
        var isStopping = false
        var hasEnded = true
    }

    /// The maximum number of sockets. Further ones are closed immediately.
    private static let maximum = 64
    /// The time for which a socket is read.
    private static let time = Duration.seconds(2)
    /// The timeout of one `poll`, in milliseconds. A new socket waits up to this time.
    private static let pause: Int32 = 20

    private let state = Monitor(State())

    /// Starts the thread, which reads until `stop`.
    func start() throws {
        state.update { $0.hasEnded = false }
        let isRunning = DetachedThread.start { [self] in
            while let sockets = next() { read(sockets) }
            state.update { $0.hasEnded = true }
        }
        guard isRunning else {
            state.update { $0.hasEnded = true }
            throw HTTPServerError.outOfResources
        }
    }

    /// Closes all sockets and waits for the thread.
    func stop() {
        state.update { $0.isStopping = true }
        _ = state.wait { $0.hasEnded ? true : nil }
        state.update { state in
            for socket in state.sockets.keys { close(socket) }
            state.sockets = [:]
        }
    }

    /// Adds a socket that will be closed.
    func add(_ descriptor: Int32) {
        state.update { state in
            guard !state.isStopping, state.sockets.count < Self.maximum else { return }
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            if copy >= 0 { state.sockets[copy] = .now + Self.time }
        }
    }

    /// Waits for sockets to read; nil after `stop`.
    private func next() -> [Int32: MonotonicTime]? {
        let sockets = state.wait { state -> [Int32: MonotonicTime]? in
            state.isStopping ? [:] : state.sockets.isEmpty ? nil : state.sockets
        }
        return sockets.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func read(_ sockets: [Int32: MonotonicTime]) {
        var events = sockets.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&events, nfds_t(events.count), Self.pause)
        let now = MonotonicTime.now
        let ended = events.filter { event in
            sockets[event.fd, default: now] <= now || event.revents != 0 && !skip(event.fd)
        }
        state.update { state in
            for event in ended {
                close(event.fd)
                state.sockets[event.fd] = nil
            }
        }
    }

    /// Discards received bytes; false at the end.
    private func skip(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe platform_receive(descriptor, &buffer, buffer.count)
        return count > 0 || count < 0 && errno == EAGAIN
    }
}

import Foundation
import Platform
import Synchronization

/// One connection of a server.
final class TestConnection: Sendable {
    private struct State {
        var descriptor: Int32
        var received: [UInt8] = []
        var read = 0
        var isDone = false
    }

    private let state: Mutex<State>

    init(_ descriptor: Int32) {
        state = Mutex(State(descriptor: descriptor))
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Whether the connection is no longer in use.
    var isDone: Bool { state.withLock { $0.isDone } }

    func finish() {
        state.withLock { $0.isDone = true }
    }

    func pause(milliseconds: Int) {
        usleep(UInt32(milliseconds) * 1_000)
    }

    /// Forwards both directions until one side ends. `change` returns the forwarded bytes of the client (`true`) or the server (`false`), or nil
    /// to end the connection.
    func relay(
        to port: UInt16, _ change: (Bool, [UInt8]) -> [UInt8]? = { _, bytes in bytes }
    ) {
        let client = state.withLock { $0.descriptor }
        let server = socket(AF_INET, platform_stream_socket(), 0)
        _ = fcntl(server, F_SETFD, FD_CLOEXEC)
        defer { Foundation.close(server) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let code = unsafe withUnsafePointer(to: &address) {
            unsafe connect(
                server, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        guard code == 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var polled = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&polled, 2, 120_000) > 0 else { return }
            for (index, (from, to)) in [(client, server), (server, client)].enumerated()
            where polled[index].revents != 0 {
                let count = unsafe read(from, &buffer, buffer.count)
                guard count > 0, let bytes = change(index == 0, Array(buffer[..<count])),
                    unsafe platform_send(to, bytes, bytes.count) == bytes.count
                else { return }
            }
        }
    }

    /// All received bytes.
    var received: String { state.withLock { String(decoding: $0.received, as: UTF8.self) } }

    /// The next request with its content; nil at the end.
    func request() -> String? {
        while true {
            let rest = state.withLock { Array($0.received[$0.read...]) }
            if let size = Self.size(of: rest) {
                state.withLock { $0.read += size }
                return String(decoding: rest[..<size], as: UTF8.self)
            }
            guard receive() else { return nil }
        }
    }

    /// Whether the other end closed the connection.
    func isClosed() -> Bool {
        while receive() {}
        return errno != EAGAIN
    }

    private func receive() -> Bool {
        let descriptor = state.withLock { $0.descriptor }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var count: Int
        repeat {
            count = unsafe buffer.withUnsafeMutableBytes {
                unsafe platform_receive(descriptor, $0.baseAddress, $0.count)
            }
            // With a limit of time, a machine that was stopped and goes on interrupts it.
        } while count < 0 && errno == EINTR
        guard count > 0 else { return false }
        state.withLock { $0.received += buffer[..<count] }
        return true
    }

    private static func size(of bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.upperBound]
        let field = head.components(separatedBy: "\r\n").first {
            $0.lowercased().hasPrefix("content-length:")
        }
        let content = field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        let size = head.utf8.count + (content ?? 0)
        return bytes.count >= size ? size : nil
    }

    /// Sends text; false if the other end accepts no more.
    @discardableResult
    func send(_ text: String) -> Bool {
        let descriptor = state.withLock { $0.descriptor }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe platform_send(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Closes the connection; with a reset if `resetting`.
    func close(resetting: Bool = false) {
        let descriptor = state.withLock { state in
            defer { state.descriptor = -1 }
            return state.descriptor
        }
        guard descriptor >= 0 else { return }
        if resetting {
            var value = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        }
        shutdown(descriptor, resetting ? Int32(SHUT_RD) : Int32(SHUT_RDWR))
        Foundation.close(descriptor)
    }
}

import Foundation
import Platform

/// A raw TCP connection, for requests that no library would send.
final class TestClient: @unchecked Sendable {
    private(set) var descriptor: Int32

    /// Makes an unconnected socket with a receive buffer of `receiveBuffer` bytes.
    init(receiveBuffer: Int32 = 0) throws {
        descriptor = socket(AF_INET, platform_stream_socket(), 0)
        guard descriptor >= 0 else { throw TestClientError(code: errno) }
        if receiveBuffer > 0 { set(SO_RCVBUF, receiveBuffer) }
        // A server that hangs fails the test instead of stopping it.
        set(SO_RCVTIMEO, timeval(tv_sec: 120, tv_usec: 0))
        set(SO_SNDTIMEO, timeval(tv_sec: 120, tv_usec: 0))
    }

    /// Connects to a port of this machine.
    convenience init(port: UInt16, from source: String = "127.0.0.1", receiveBuffer: Int32 = 0)
        throws
    {
        try self.init(receiveBuffer: receiveBuffer)
        try connect(port: port, from: source)
    }

    /// Connects to a port of this machine.
    func connect(port: UInt16, from source: String = "127.0.0.1") throws {
        var local = Self.address(source, 0)
        var remote = Self.address("127.0.0.1", port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafePointer(to: &local) { local in
            unsafe withUnsafePointer(to: &remote) { remote in
                let local = unsafe UnsafeRawPointer(local).assumingMemoryBound(to: sockaddr.self)
                let remote = unsafe UnsafeRawPointer(remote).assumingMemoryBound(to: sockaddr.self)
                let bound = unsafe bind(descriptor, local, size)
                return unsafe bound != 0 ? bound : Foundation.connect(descriptor, remote, size)
            }
        }
        guard code == 0 else { throw TestClientError(code: errno) }
        // On a closed port the system may connect a socket to itself, but not at another address.
        guard source != "127.0.0.1" || localPort != port else {
            throw TestClientError(code: ECONNREFUSED)
        }
    }

    private var localPort: UInt16 {
        var local = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &local) { local in
            let local = unsafe UnsafeMutableRawPointer(local).assumingMemoryBound(to: sockaddr.self)
            _ = unsafe getsockname(descriptor, local, &size)
        }
        return UInt16(bigEndian: local.sin_port)
    }

    private func set<Value: BitwiseCopyable>(_ option: Int32, _ value: Value) {
        var value = value
        unsafe setsockopt(
            descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Value>.size))
    }

    deinit {
        close()
    }

    /// Goes away.
    func close() {
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
    }

    /// Goes away, and waits until the server's system knows.
    func goAway() {
        endSending()
        #if os(Linux)
            let acknowledged: UInt8 = 5
            var state: UInt8 = 0
            while state != acknowledged {
                var size = socklen_t(1)
                unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &size)
            }
        #else
            pause(milliseconds: 50)
        #endif
    }

    /// Goes away without a word.
    func reset() {
        set(SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    private static func address(_ text: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        unsafe inet_pton(AF_INET, text, &address.sin_addr)
        return address
    }

    /// Sends text; the peer may already be closed.
    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Sends bytes; false if the other end does not take all.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
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

    /// Sends nothing more.
    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The next bytes; none at the end, nil if the connection was reset or nothing came.
    func receive(atMost size: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: size)
        let count = unsafe buffer.withUnsafeMutableBytes {
            var count: Int
            repeat {
                count = unsafe platform_receive(descriptor, $0.baseAddress, $0.count)
                // Now: to free memory may change it.
                failure = errno
                // With a limit of time, a machine that was stopped and goes on interrupts it.
            } while count < 0 && failure == EINTR
            return count
        }
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// Why nothing was received the last time.
    private var failure: Int32 = 0

    /// All that comes after the answers that were taken, until the server closes.
    func receiveAll() -> String {
        var all = received
        while let bytes = receive(), !bytes.isEmpty { all += bytes }
        return String(decoding: all, as: UTF8.self)
    }

    /// Whether the server has closed the connection, without an answer or after it.
    func isClosed() -> Bool {
        receive()?.isEmpty ?? (failure == ECONNRESET)
    }

    /// The next answer.
    func response(toHead: Bool = false) -> TestResponse? {
        while true {
            if let response = TestResponse(&received, hasContent: !toHead) { return response }
            guard let bytes = receive(), !bytes.isEmpty else { return nil }
            received += bytes
        }
    }

    private var received: [UInt8] = []

    /// Sends a request and gets the answer.
    func get(_ path: String, _ fields: String...) -> TestResponse? {
        send(
            "GET \(path) HTTP/1.1\r\nHost: test\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
        return response()
    }

    /// Sends a request with content and gets the answer.
    func post(_ path: String, _ content: String) -> TestResponse? {
        send(
            "POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: \(content.utf8.count)\r\n\r\n"
                + content)
        return response()
    }
}

/// A client could not connect; `code` is `errno`.
struct TestClientError: Error {
    let code: Int32
}

/// A received answer.
struct TestResponse {
    let status: Int
    let lines: [String]
    let content: String

    /// Removes the first answer from the received bytes; nil while it is incomplete.
    init?(_ received: inout [UInt8], hasContent: Bool) {
        guard
            let end = received.indices.first(where: {
                received[$0...].starts(with: Array("\r\n\r\n".utf8))
            })
        else { return nil }
        let lines = String(decoding: received[..<end], as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else {
            return nil
        }
        let length = lines.lazy.map { $0.lowercased() }
            .first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimming()) }
        let size = hasContent && status != 204 && status >= 200 ? length ?? 0 : 0
        guard received.count >= end + 4 + size else { return nil }
        self.status = status
        self.lines = lines
        content = String(decoding: received[(end + 4)..<(end + 4 + size)], as: UTF8.self)
        received.removeFirst(end + 4 + size)
    }

    /// The values of a field.
    func values(_ name: String) -> [String] {
        lines.dropFirst().filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 1).trimming()) }
    }
}

extension StringProtocol {
    func trimming() -> SubSequence {
        drop { $0 == " " }
    }
}

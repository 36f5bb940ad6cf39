import Foundation
import Platform

/// A TCP connection to a port of this machine.
final class Connection {
    private let descriptor: Int32

    /// Connects; nil if the connection is refused.
    init?(port: UInt16) {
        descriptor = socket(AF_INET, platform_stream_socket(), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        unsafe inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        // A server that hangs fails the test instead of stopping it.
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let code = unsafe withUnsafePointer(to: &address) {
            unsafe connect(
                descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        if code != 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Sends text.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads until the peer closes the connection, or the time ends.
    func readAll() -> String {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while case let count = receive(&piece), count > 0 {
            all += piece.prefix(count)
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Reads until a text was received; false if the peer closes the connection, or the time ends.
    func waitFor(_ text: String) -> Bool {
        var all = ""
        var byte: [UInt8] = [0]
        while !all.hasSuffix(text) {
            guard receive(&byte) == 1 else { return false }
            all.unicodeScalars.append(Unicode.Scalar(byte[0]))
        }
        return true
    }

    /// Whether something was received, or the peer closed the connection.
    var hasAnswer: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) == 1
    }

    /// As `recv`, repeated after an interruption by a suspended machine.
    private func receive(_ piece: inout [UInt8]) -> Int {
        while true {
            let count = unsafe recv(descriptor, &piece, piece.count, 0)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// One request, with the connection closed after it.
    static func request(
        _ line: String, port: UInt16, fields: [String] = [], body: String = ""
    ) -> String {
        guard let connection = Connection(port: port) else { return "" }
        let head = ["\(line) HTTP/1.1", "Host: localhost", "Connection: close"] + fields
        connection.send(
            (head + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n"))
        return connection.readAll()
    }

    /// Sends a form.
    static func form(_ path: String, _ content: String, port: UInt16) -> String {
        request(
            "POST \(path)", port: port,
            fields: ["Content-Type: application/x-www-form-urlencoded"], body: content)
    }
}

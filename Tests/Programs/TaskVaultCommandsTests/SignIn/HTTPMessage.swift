import Foundation

/// A request or an answer in the clear whose head says how long it is.
struct HTTPMessage {
    let bytes: [UInt8]

    /// The method and the path; for tokens the first word of the grant, too.
    var name: String {
        // Content of a megabyte is not searched: the server would not wait so long for the request.
        let head = bytes.prefix { $0 != UInt8(ascii: "\r") }
        let line = String(decoding: head, as: UTF8.self).split(separator: " ").prefix(2)
            .joined(separator: " ")
        guard line.hasPrefix("POST "), line.hasSuffix("/token") else { return line }
        let grant = content.firstMatch(of: /grant_type=([a-z]+)/).map { " " + $0.output.1 } ?? ""
        return line + grant
    }

    /// The bytes after the head.
    var content: String {
        let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? bytes.count
        return String(decoding: bytes[end...], as: UTF8.self)
    }

    /// Reads one; nil where the other end closes before its end.
    static func read(from descriptor: Int32) -> HTTPMessage? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
                let head = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
                let length = head.firstMatch(of: /\r\ncontent-length: *([0-9]+)/)
                if bytes.count >= end + (length.flatMap { Int($0.output.1) } ?? 0) {
                    return HTTPMessage(bytes: bytes)
                }
            }
            let count = unsafe recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece.prefix(count)
        }
    }

    /// Writes all of some bytes; false where the other end has closed.
    static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe send(
                    descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

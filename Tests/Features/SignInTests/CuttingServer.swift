import Foundation
import HTTPClient
import SignIn
import Synchronization

/// A server on this machine that describes itself, and cuts off other answers.
final class CuttingServer: Sendable {
    /// The place of the cut.
    enum Cut: Sendable {
        case description, answer, everythingButDescription
    }

    private let listener: Int32
    private let port: UInt16
    private let cut: Cut
    private let posts = Atomic(0)

    /// The number of POST requests.
    var postCount: Int { posts.load(ordering: .sequentiallyConsistent) }

    static func run(
        _ cut: Cut = .answer, _ body: (CuttingServer, OAuthClient) throws -> Void
    ) throws {
        let server = CuttingServer(cut)
        let thread = Thread { server.serve() }
        thread.start()
        defer { shutdown(server.listener, Int32(SHUT_RDWR)) }
        let issuer = try makeIssuer("http://127.0.0.1:\(server.port)")
        try body(server, OAuthClient(issuer, try HTTPClient()))
    }

    private init(_ cut: Cut) {
        self.cut = cut
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = unsafe bind(listener, generic, size)
                _ = listen(listener, 16)
                _ = unsafe getsockname(listener, generic, &size)
            }
            return unsafe UInt16(bigEndian: pointer.pointee.sin_port)
        }
    }

    private func serve() {
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            while case let request = readRequest(connection), !request.isEmpty {
                let isDescription = request.contains("/.well-known/")
                if !isDescription { posts.add(1, ordering: .sequentiallyConsistent) }
                guard answer(connection, isDescription) else { break }
            }
            close(connection)
        }
        close(listener)
    }

    /// Answers up to the cut.
    ///
    /// - Returns: Whether the connection stays open.
    private func answer(_ connection: Int32, _ isDescription: Bool) -> Bool {
        if cut == .everythingButDescription, !isDescription { return false }
        let content =
            isDescription
            ? ScriptedServer.describing("http://127.0.0.1:\(port)")
            : "{\"access_token\":\"a\",\"token_type\":\"Bearer\"}"
        var answer = Array(
            "HTTP/1.1 200 OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)".utf8)
        let isCut = isDescription == (cut == .description)
        if isCut { answer.removeLast(5) }
        _ = unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        return !isCut
    }

    /// Reads the whole request, because unread bytes would turn the end of the connection into a reset.
    private func readRequest(_ connection: Int32) -> String {
        var bytes: [UInt8] = []
        while true {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let length = text.range(of: "Content-Length: ").flatMap {
                Int(text[$0.upperBound...].prefix { $0.isNumber })
            }
            if text[end.upperBound...].utf8.count >= length ?? 0 { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

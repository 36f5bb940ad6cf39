import Foundation
@testable import HTTPClient
import HTTPServer
import Synchronization
import Testing
import TestSupport

@Suite(
    "TLS that breaks off", .enabled(if: TestAuthority.isAvailable, "needs openssl"),
    .waitsForProcesses)
struct TruncationTests {
    /// Sends a request through an attacker who can end a connection but not read it.
    private static func ask(
        _ port: UInt16, _ authority: TestAuthority, content: String? = nil,
        _ change: @escaping @Sendable (Bool, [UInt8]) -> [UInt8]?
    ) throws -> PlainResponse {
        let middle = try TestServer { connection in
            connection.relay(to: port, change)
            connection.close(resetting: content != nil)
        }
        defer { middle.stop() }
        let client = try HTTPClient(HTTPClientOptions(authorities: .file(authority.file)))
        let url = "https://127.0.0.1:\(middle.port)/"
        return try content.map { try client.post(url, $0) } ?? client.get(url)
    }

    @Test("Content without a length may be truncated, even with TLS")
    func noLength() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            _ = try authority.identity()
            // It answers as HTTP/1.0 does.
            let server = try OpenSSLServer(folder, [])
            defer { server.stop() }
            let options = HTTPClientOptions(authorities: .file(authority.file))
            #expect(throws: HTTPClientError.answerIncomplete) {
                try HTTPClient(options).get("https://127.0.0.1:\(server.port)/")
            }
        }
    }

    @Test("Truncated answers and requests are errors, and end no process", .endsProcess)
    func cut() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            try withTemporaryFolder { folder in
                let authority = try TestAuthority(in: folder)
                let handler = TestHandler { _ in
                    HTTPResponse(status: 200, body: [UInt8](repeating: 97, count: 200_000))
                }
                try withServer(try authority.identity(), handler) { server in
                    #expect(throws: HTTPClientError.answerIncomplete) {
                        let count = Mutex(0)
                        _ = try Self.ask(server.port, authority) { isClient, bytes in
                            if isClient { return bytes }
                            return count.withLock { count in
                                count += bytes.count
                                return count < 100_000 ? bytes : nil
                            }
                        }
                    }
                    // More than all buffers take.
                    let content = String(repeating: "a", count: 8_000_000)
                    let error = #expect(throws: HTTPClientError.self) {
                        let count = Mutex(0)
                        _ = try Self.ask(server.port, authority, content: content) {
                            isClient, bytes in
                            if !isClient { return bytes }
                            return count.withLock { count in
                                count += bytes.count
                                return count < 10_000 ? bytes : nil
                            }
                        }
                    }
                    #expect(error == .connectionLost)
                    #expect(error?.mayHaveArrived == true)
                }
            }
        }
    }
}

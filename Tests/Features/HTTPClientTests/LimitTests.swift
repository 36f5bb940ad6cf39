@testable import HTTPClient
import Platform
import Synchronization
import Testing
import TestSupport

@Suite("Limits")
struct LimitTests {
    private let head = "HTTP/1.1 200 OK\r\n"

    /// Requests from a server that continues to send after `beginning`, and tells whether the server noticed the closed connection.
    private func drown(
        _ beginning: String, _ more: String, _ options: HTTPClientOptions = HTTPClientOptions()
    ) throws -> (HTTPClientError?, wasDropped: Bool) {
        let dropped = Mutex(false)
        let server = try TestServer { connection in
            _ = connection.request()
            connection.send(beginning)
            // More than any buffer of the system.
            for _ in 0..<5_000 {
                if !connection.send(more) {
                    dropped.withLock { $0 = true }
                    return
                }
            }
        }
        var result: HTTPClientError?
        do {
            _ = try HTTPClient(options).get("http://127.0.0.1:\(server.port)/")
        } catch let error as HTTPClientError {
            result = error
        }
        server.wait()
        server.stop()
        return (result, dropped.withLock { $0 })
    }

    @Test("More content than allowed ends the connection, announced, in pieces or without end")
    func content() throws {
        let more = String(repeating: "a", count: 32_768)
        let chunk = "8000\r\n\(more)\r\n"
        for (fields, piece) in [
            ("Content-Length: 163840000\r\n", more), ("Transfer-Encoding: chunked\r\n", chunk),
            ("", more),
        ] {
            let (error, wasDropped) = try drown(head + fields + "\r\n", piece)
            #expect(error == .contentTooLarge)
            #expect(wasDropped)
        }
    }

    @Test("An announced content that is too large ends the request at once")
    func announced() throws {
        let server = try TestServer { connection in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 262145\r\n\r\n")
            _ = connection.isClosed()
        }
        defer { server.stop() }
        #expect(throws: HTTPClientError.contentTooLarge) {
            try HTTPClient().get("http://127.0.0.1:\(server.port)/")
        }
    }

    @Test("The largest allowed content arrives, and one byte more does not")
    func exact() throws {
        for (size, limit) in [(262_144, 262_144), (0, 0), (10_000, 10_000)] {
            let content = String(repeating: "a", count: size)
            let options = HTTPClientOptions(maximumContentSize: limit)
            for framing in [
                "Content-Length: \(size)\r\n\r\n\(content)",
                "Transfer-Encoding: chunked\r\n\r\n"
                    + (size > 0 ? "\(String(size, radix: 16))\r\n\(content)\r\n" : "")
                    + "0\r\n\r\n",
            ] {
                let server = try TestServer(answering: head + framing)
                defer { server.stop() }
                let url = "http://127.0.0.1:\(server.port)/"
                #expect(try HTTPClient(options).get(url).content == content)
                if size > 0 {
                    let less = HTTPClientOptions(maximumContentSize: limit - 1)
                    #expect(throws: HTTPClientError.contentTooLarge) {
                        try HTTPClient(less).get(url)
                    }
                }
            }
        }
    }

    @Test("More fields than allowed end the connection, also in interim answers and in one line")
    func headSize() throws {
        let fields = String(
            repeating: "X-Test: \(String(repeating: "a", count: 990))\r\n", count: 30)
        let interim = "HTTP/1.1 103 Hints\r\n\(fields)\r\n"
        let line = String(repeating: "a", count: 32_768)
        for (beginning, piece) in [(head, fields), ("", interim), (head + "X-Test: ", line)] {
            let (error, wasDropped) = try drown(beginning, piece)
            #expect(error == .headTooLarge)
            #expect(wasDropped)
        }
    }

    @Test("Trailers count as head")
    func trailers() throws {
        let fields = String(
            repeating: "X-Test: \(String(repeating: "a", count: 990))\r\n", count: 30)
        let beginning = head + "Transfer-Encoding: chunked\r\n\r\n0\r\n"
        let (error, wasDropped) = try drown(beginning, fields)
        #expect(error == .headTooLarge)
        #expect(wasDropped)
    }

    @Test("The total time limit ends a server that sends single bytes")
    func slow() throws {
        let server = try TestServer { connection in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while connection.send("a") { connection.pause(milliseconds: 100) }
        }
        defer { server.stop() }
        let options = HTTPClientOptions(timeout: .seconds(2))
        #expect(throws: HTTPClientError.timedOut) {
            try HTTPClient(options).get("http://127.0.0.1:\(server.port)/")
        }
    }

    @Test("The limits of the connection and of the exchange end a silent server")
    func silent() throws {
        let server = try TestServer { connection in _ = connection.isClosed() }
        defer { server.stop() }
        let short = Duration.milliseconds(300)
        #expect(throws: HTTPClientError.connectingTimedOut) {
            // Connected, but not for TLS.
            try HTTPClient(HTTPClientOptions(connectingTimeout: short)).get(
                "https://127.0.0.1:\(server.port)/")
        }
        #expect(throws: HTTPClientError.timedOut) {
            try HTTPClient(HTTPClientOptions(timeout: .seconds(2))).get(
                "http://127.0.0.1:\(server.port)/")
        }
    }

    @Test("A limit of zero does not mean unlimited")
    func zero() throws {
        let server = try TestServer { connection in _ = connection.isClosed() }
        defer { server.stop() }
        let options = HTTPClientOptions(connectingTimeout: .zero, timeout: .zero)
        let error = #expect(throws: HTTPClientError.self) {
            try HTTPClient(options).get("http://127.0.0.1:\(server.port)/")
        }
        #expect(error == .timedOut || error == .connectingTimedOut)
    }

    @Test("The default limits")
    func defaults() {
        let options = HTTPClientOptions()
        #expect(options.connectingTimeout == .seconds(10))
        #expect(options.timeout == .seconds(30))
        #expect(options.maximumContentSize == 256 << 10)
        #expect(options.maximumHeadSize == 256 << 10)
        #expect(options.authorities == nil && options.pinnedKeys.isEmpty)
    }

    @Test("After the deadline for all exchanges nothing is sent")
    func deadline() throws {
        let requests = Mutex(0)
        let server = try TestServer { connection in
            _ = connection.request()
            requests.withLock { $0 += 1 }
        }
        defer { server.stop() }
        var options = HTTPClientOptions()
        options.deadline = .now
        #expect(throws: HTTPClientError.connectingTimedOut) {
            _ = try HTTPClient(options).get("http://127.0.0.1:\(server.port)/")
        }
        #expect(requests.withLock { $0 } == 0)
        let start = BootTime.now
        options.deadline = start + .seconds(2)
        #expect(options.timeLeft(at: start) == .seconds(2))
        options.timeout = .seconds(1)
        #expect(options.timeLeft(at: start) == .seconds(1))
    }
}

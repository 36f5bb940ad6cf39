@testable import HTTPServer
import Testing
import TestSupport

@Suite("Slow and many clients")
struct LimitTests {
    /// A server with two seconds for everything.
    private func server(
        _ handler: TestHandler = TestHandler(), timeout: Duration = .seconds(2),
        _ change: (inout HTTPServerOptions) -> Void = { _ in }
    ) throws -> HTTPServer {
        var options = HTTPServerOptions(timeout: timeout)
        change(&options)
        return try HTTPServer(options, handler)
    }

    /// An endless request of a slow client, piece by piece.
    struct SlowClient: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let start: String
        let piece: String
    }

    private static let slowClients = [
        SlowClient(testDescription: "nothing", start: "", piece: ""),
        SlowClient(testDescription: "the first line", start: "GET /", piece: "a"),
        SlowClient(
            testDescription: "fields", start: "GET / HTTP/1.1\r\nHost: t\r\n", piece: "X: 1\r\n"),
        SlowClient(
            testDescription: "content",
            start: "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n", piece: "c"),
        SlowClient(
            testDescription: "a second request",
            start: "GET /good HTTP/1.1\r\nHost: t\r\n\r\nGET / HTTP/1.1\r\nHost: t\r\n",
            piece: "X: 1\r\n"),
    ]

    @Test(
        "A slow sender is disconnected, although bytes arrive all the time", arguments: slowClients
    )
    func slowSending(_ slow: SlowClient) throws {
        let handler = TestHandler()
        let server = try server(handler)
        let client = try TestClient(port: server.port)
        client.send(slow.start)
        // Eight pieces in each tenth of the time: no pause is long enough to be noticed.
        let isOver = until {
            client.send(slow.piece)
            pause(milliseconds: 25)
            return server.counters.timedOutConnections > 0
        }
        #expect(isOver)
        #expect(server.counters.timedOutConnections == 1)
        #expect(!client.receiveAll().contains("GET / "))
        server.stop(within: .seconds(120))
        #expect(handler.requests.allSatisfy { $0.path == "/good" })
        #expect(handler.notes.filter { $0.path != "/good" }.allSatisfy { $0.status == nil })
    }

    @Test("A request that no thread has read yet is not cut off with its idle connection")
    func unreadRequest() throws {
        let gate = Gate()
        let handler = TestHandler { request in
            if request.path == "/long" { gate.pass() }
            return .now(.text(request.path))
        }
        let clock = TestClock()
        let server = try server(handler) { options in
            options.threads = 1
            options.now = { clock.now }
        }
        defer { server.stop(within: .seconds(120)) }
        let clients = try (0..<3).map { _ in try TestClient(port: server.port) }
        for client in clients { #expect(client.get("/first")?.status == 200) }
        // The only thread is busy.
        clients[0].send("GET /long HTTP/1.1\r\nHost: t\r\n\r\n")
        gate.waitForCount(1)
        clients[1].send("GET /second HTTP/1.1\r\nHost: t\r\n\r\n")
        clock.pass(.seconds(3))
        // The third one sends nothing; one look decides about both.
        #expect(until { server.counters.timedOutConnections > 0 })
        gate.open()
        #expect(clients[1].response()?.content == "/second")
        #expect(clients[2].isClosed())
    }

    @Test("A client that does not read its answer is disconnected")
    func slowReading() throws {
        let handler = TestHandler { _ in
            .now(HTTPResponse(status: 200, body: [UInt8](repeating: 0x63, count: 16_000_000)))
        }
        let clock = TestClock()
        let server = try server(handler) { $0.now = { clock.now } }
        let client = try TestClient(port: server.port, receiveBuffer: 4_096)
        client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n")
        // It has begun to answer.
        #expect(client.receive(atMost: 1)?.count == 1)
        let isOver = until {
            _ = client.receive(atMost: 100)
            clock.pass(.milliseconds(10))
            return server.counters.timedOutConnections > 0
        }
        #expect(isOver)
        #expect(server.counters.timedOutConnections == 1)
        server.stop(within: .seconds(120))
        #expect(handler.notes.map(\.status) == [nil])
    }

    @Test("An idle connection is closed after the timeout")
    func idle() throws {
        let handler = TestHandler()
        let clock = TestClock()
        let server = try server(handler) { $0.now = { clock.now } }
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        #expect(client.get("/")?.status == 200)
        // From now on it is idle.
        try #require(until { handler.notes.count == 1 })
        clock.pass(.seconds(2))
        #expect(client.isClosed())
        #expect(server.counters.timedOutConnections == 1)
        #expect(handler.notes.map(\.status) == [200])
    }

    @Test(
        "A request that waits for a worker is not disconnected, and 0 is no timeout",
        arguments: [2, 0])
    func waiting(_ seconds: Int) throws {
        let gate = Gate()
        let handler = TestHandler { _ in
            .later(
                {
                    gate.pass()
                    return .text("done")
                }, overload: .text("overload", status: 503))
        }
        let clock = TestClock()
        let server = try server(handler, timeout: .seconds(seconds)) { $0.now = { clock.now } }
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n")
        gate.waitForCount(1)
        let other = try TestClient(port: server.port)
        try #require(until { server.counters.connections == 2 })
        clock.pass(.seconds(1_000))
        if seconds > 0 {
            #expect(other.isClosed())
        } else {
            other.send("GET / HTTP/1.1\r\n")
            // Longer than the server takes to look at the time.
            pause(milliseconds: 600)
            #expect(server.counters.timedOutConnections == 0)
        }
        gate.open()
        #expect(client.response()?.content == "done")
    }

    @Test("200 stalled clients do not block others")
    func manyStalled() throws {
        let server = try server(timeout: .seconds(600))
        defer { server.stop(within: .zero) }
        let stalled = try (0..<200).map { number in
            let client = try TestClient(port: server.port)
            client.send(
                number.isMultiple(of: 2)
                    ? "GET / HTTP/1.1\r\nHost: t\r\nX-Slow:"
                    : "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nc")
            return client
        }
        for number in 0..<100 {
            #expect(
                try TestClient(port: server.port).get("/\(number)")?.content == "GET /\(number) - ")
        }
        #expect(server.counters.connections >= stalled.count)
    }

    @Test("0 is no limit")
    func noLimit() throws {
        let server = try server(timeout: .zero) {
            $0.maximumConnections = 0
            $0.maximumConnectionsOfOneAddress = 0
        }
        defer { server.stop(within: .zero) }
        let clients = try (0..<300).map { _ in try TestClient(port: server.port) }
        #expect(clients.allSatisfy { $0.get("/")?.status == 200 })
    }
}

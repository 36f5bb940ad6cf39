@testable import HTTPServer
import Synchronization
import Testing
import TestSupport

/// Content that exceeds the server's maximum.
@Suite("Large content")
struct LargeContentTests {
    /// Admits one request to `/large` at once, of up to 2,000,000 bytes.
    private final class Admitting: HTTPHandler {
        let inner = TestHandler { request in .now(.text("\(request.body.count)")) }
        let isTaken = Atomic<Bool>(false)

        func answer(_ request: HTTPRequest) -> HTTPAnswer { inner.answer(request) }

        func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
            inner.refuse(request, status: status)
        }

        func didAnswer(_ exchange: HTTPExchange) { inner.didAnswer(exchange) }

        func admission(of request: HTTPRequest, size: Int) -> HTTPAdmission {
            guard request.path == "/large", size <= 2_000_000 else { return .tooLarge }
            if isTaken.exchange(true, ordering: .relaxed) { return .busy }
            return .admitted(HTTPPlace { [self] in isTaken.store(false, ordering: .relaxed) })
        }
    }

    private func send(
        _ path: String, _ size: Int, _ sent: Int, to server: HTTPServer
    ) throws -> TestClient {
        let client = try TestClient(port: server.port)
        client.send("POST \(path) HTTP/1.1\r\nHost: t\r\nContent-Length: \(size)\r\n\r\n")
        if sent > 0 { _ = client.send([UInt8](repeating: 0x63, count: sent)) }
        return client
    }

    @Test func itIsReadIfTheHandlerAdmitsIt() throws {
        let handler = Admitting()
        let server = try HTTPServer(
            HTTPServerOptions(maximumBodySize: 1_000, timeout: .zero), handler)
        defer { server.stop(within: .zero) }
        let read = try send("/large", 2_000_000, 2_000_000, to: server).response()
        #expect(read?.content == "2000000")
        #expect(try send("/large", 2_000_001, 0, to: server).response()?.status == 413)
        #expect(try send("/other", 1_001, 0, to: server).response()?.status == 413)
        // Small content needs no place.
        #expect(until { !handler.isTaken.load(ordering: .relaxed) })
        let waiting = try send("/large", 5_000, 4_999, to: server)
        #expect(until { handler.isTaken.load(ordering: .relaxed) })
        #expect(try send("/large", 1_001, 0, to: server).response()?.status == 503)
        #expect(try send("/large", 1_000, 1_000, to: server).response()?.content == "1000")
        waiting.send("c")
        #expect(waiting.response()?.content == "5000")
        #expect(until { !handler.isTaken.load(ordering: .relaxed) })
        // The end of a connection gives its place back.
        var gone: TestClient? = try send("/large", 5_000, 1, to: server)
        #expect(until { handler.isTaken.load(ordering: .relaxed) })
        gone = nil
        #expect(gone == nil && until { !handler.isTaken.load(ordering: .relaxed) })
    }

    @Test func itHasTimeByItsSize() throws {
        let handler = Admitting()
        let clock = TestClock()
        var options = HTTPServerOptions(maximumBodySize: 1_000, timeout: .seconds(2))
        options.now = { clock.now }
        let server = try HTTPServer(options, handler)
        defer { server.stop(within: .zero) }
        let client = try send("/large", 1_000_000, 1, to: server)
        #expect(until { handler.isTaken.load(ordering: .relaxed) })
        clock.pass(.seconds(31))
        // Longer than the server takes to look at the time.
        pause(milliseconds: 600)
        #expect(server.counters.timedOutConnections == 0)
        // The place is given before the time begins, perhaps after the clock went on.
        clock.pass(.seconds(33))
        #expect(client.isClosed())
        #expect(server.counters.timedOutConnections == 1)
    }
}

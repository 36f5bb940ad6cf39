import HTTPServer
import Testing
import TestSupport

@Suite("Lanes")
struct LaneTests {
    @Test("Work moves from one lane to another, and keeps its connection")
    func handedOn() throws {
        let handler = TestHandler { request in
            .later(
                .storage,
                {
                    .later(
                        .derivation, { .now(.text("both " + request.path)) },
                        overload: .text("second", status: 503))
                }, overload: .text("first", status: 503))
        }
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        #expect(client.get("/1")?.content == "both /1")
        #expect(client.get("/2")?.content == "both /2")
    }

    @Test("A full lane blocks no other, and refuses work that moves to it")
    func full() throws {
        let gate = Gate()
        let handler = TestHandler { request in
            .later(
                .storage,
                {
                    guard request.path != "/short" else { return .now(.text("short")) }
                    return .later(
                        .derivation,
                        {
                            gate.pass()
                            return .now(.text(request.path))
                        }, overload: .text("second", status: 503))
                }, overload: .text("first", status: 503))
        }
        let lanes: [HTTPLane: HTTPServerOptions.Lane] = [
            .storage: .init(workers: 1, waiting: 16), .derivation: .init(workers: 1, waiting: 1),
        ]
        let server = try HTTPServer(HTTPServerOptions(lanes: lanes), handler)
        defer { server.stop(within: .zero) }
        let clients = try (0..<3).map { _ in try TestClient(port: server.port) }
        for (number, client) in clients.prefix(2).enumerated() {
            client.send("GET /\(number) HTTP/1.1\r\nHost: t\r\n\r\n")
            try #require(
                until { server.counters.busyWorkers + server.counters.waitingForWorkers > number })
            if number == 0 { gate.waitForCount(1) }
        }
        try #require(until { server.counters.waitingForWorkers >= 1 })
        #expect(clients[2].get("/2")?.content == "second")
        #expect(clients[2].get("/short")?.content == "short")
        gate.open()
        #expect(clients[0].response()?.content == "/0")
        #expect(clients[1].response()?.content == "/1")
    }

    @Test("Work refused by a full lane is released")
    func letGo() throws {
        final class Held: Sendable {
            let ended: Gate
            init(_ ended: Gate) { self.ended = ended }
            deinit { ended.open() }
        }
        let gate = Gate()
        let ended = Gate()
        let handler = TestHandler { request in
            let held = Held(request.path == "/refused" ? ended : Gate())
            return .later(
                .derivation,
                {
                    _ = held
                    gate.pass()
                    return .now(.text(request.path))
                }, overload: .text("overload", status: 503))
        }
        let server = try HTTPServer(
            HTTPServerOptions(lanes: [.derivation: .init(workers: 1, waiting: 1)]), handler)
        defer { server.stop(within: .zero) }
        let clients = try (0..<3).map { _ in try TestClient(port: server.port) }
        clients[0].send("GET /0 HTTP/1.1\r\nHost: t\r\n\r\n")
        gate.waitForCount(1)
        clients[1].send("GET /1 HTTP/1.1\r\nHost: t\r\n\r\n")
        try #require(until { server.counters.waitingForWorkers >= 1 })
        #expect(clients[2].get("/refused")?.status == 503)
        ended.pass()
        gate.open()
    }
}

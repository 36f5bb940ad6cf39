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

    /// A lane with one worker, which works for `/known/NAME/…` and `/stranger/NAME/…` and holds each request at a gate.
    private func sharedLane(
        waiting: Int, _ gate: Gate, _ begun: OrderedNotes
    ) throws -> HTTPServer {
        let handler = TestHandler { request in
            let parts = request.path.split(separator: "/").map(String.init)
            return .later(
                .derivation, for: parts[0] == "known" ? .known(parts[1]) : .stranger(parts[1]),
                {
                    begun.add(request.path)
                    gate.pass()
                    return .now(.text(request.path))
                }, overload: .text("overload", status: 503))
        }
        return try HTTPServer(
            HTTPServerOptions(
                lanes: [.derivation: .init(workers: 1, waiting: waiting)],
                maximumConnectionsOfOneAddress: 0), handler)
    }

    /// Asks, one request after the other.
    private func ask(
        _ paths: [String], _ server: HTTPServer, _ gate: Gate
    ) throws -> [TestClient] {
        try paths.map { path in
            let before = server.counters
            let client = try TestClient(port: server.port)
            client.send("GET \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
            try #require(
                until {
                    let now = server.counters
                    return now.busyWorkers + now.waitingForWorkers
                        > before.busyWorkers + before.waitingForWorkers
                        || now.overloads > before.overloads
                })
            // The worker has begun the first one before the second one arrives.
            if before.busyWorkers == 0 { gate.waitForCount(1) }
            return client
        }
    }

    @Test("Half of a full lane is for known requesters, the other half for strangers")
    func halves() throws {
        for (first, second) in [("stranger", "known"), ("known", "stranger")] {
            let gate = Gate()
            let begun = OrderedNotes()
            let server = try sharedLane(waiting: 3, gate, begun)
            defer { server.stop(within: .zero) }
            let many = try ask((0..<4).map { "/\(first)/\($0)/" }, server, gate)
            let few = try ask((0..<3).map { "/\(second)/a/\($0)" }, server, gate)
            // Two of the four places are theirs, so two of the others give way.
            #expect(few[2].response()?.status == 503)
            #expect(many[2].response()?.status == 503)
            #expect(many[3].response()?.status == 503)
            gate.open()
            for client in [many[0], many[1], few[0], few[1]] {
                #expect(client.response()?.status == 200)
            }
            #expect(
                begun.all == [
                    "/\(first)/0/", "/\(second)/a/0", "/\(first)/1/", "/\(second)/a/1",
                ])
        }
    }

    @Test("Strangers take turns by network, and one who had less displaces one who had more")
    func turns() throws {
        let gate = Gate()
        let begun = OrderedNotes()
        let server = try sharedLane(waiting: 4, gate, begun)
        defer { server.stop(within: .zero) }
        let many = try ask((0..<5).map { "/stranger/a/\($0)" }, server, gate)
        let few = try ask((0..<2).map { "/stranger/b/\($0)" }, server, gate)
        let late = try ask(["/stranger/a/5"], server, gate)
        for refused in [many[3], many[4], late[0]] {
            #expect(refused.response()?.status == 503)
        }
        gate.open()
        for client in many.prefix(3) + few { #expect(client.response()?.status == 200) }
        #expect(
            begun.all == [
                "/stranger/a/0", "/stranger/b/0", "/stranger/a/1", "/stranger/b/1",
                "/stranger/a/2",
            ])
        #expect(server.counters.overloads == 3)
    }

    @Test("The order of arrival stays while old work is forgotten")
    func memory() throws {
        let gate = Gate()
        let begun = OrderedNotes()
        let server = try sharedLane(waiting: 0, gate, begun)
        defer { server.stop(within: .zero) }
        let paths = (0..<300).map { "/stranger/a/\($0)" }
        let clients = try ask(paths, server, gate)
        gate.open()
        for client in clients { #expect(client.response()?.status == 200) }
        #expect(begun.all == paths)
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

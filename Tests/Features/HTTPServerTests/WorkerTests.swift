import HTTPServer
import Synchronization
import Testing
import TestSupport

@Suite("Workers")
struct WorkerTests {
    private func handler(_ gate: Gate) -> TestHandler {
        TestHandler { request in
            guard request.path != "/now" else { return .now(.text("now")) }
            return .later(
                {
                    gate.pass()
                    return .text(request.path)
                }, overload: .text("overload", status: 503))
        }
    }

    private func ask(_ path: String, _ server: HTTPServer) throws -> TestClient {
        let client = try TestClient(port: server.port)
        client.send("GET \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
        return client
    }

    @Test("The numbers of busy workers and waiting requests are limited")
    func bound() throws {
        let gate = Gate()
        let handler = handler(gate)
        let server = try HTTPServer(
            HTTPServerOptions(workers: 3, waitingForWorkers: 5), handler)
        defer { server.stop(within: .zero) }
        var clients: [TestClient] = []
        for number in 0..<8 {
            clients.append(try ask("/\(number)", server))
            try #require(
                until { server.counters.busyWorkers + server.counters.waitingForWorkers > number })
        }
        gate.waitForCount(3)
        #expect(server.counters.busyWorkers == 3)
        #expect(server.counters.waitingForWorkers == 5)
        for _ in 0..<4 {
            let response = try #require(try ask("/more", server).response())
            #expect(response.status == 503)
            #expect(response.content == "overload")
        }
        #expect(server.counters.overloads == 4)
        // Quick requests are answered meanwhile.
        #expect(try ask("/now", server).response()?.content == "now")
        gate.open()
        for (number, client) in clients.enumerated() {
            #expect(client.response()?.content == "/\(number)")
        }
        #expect(gate.maximum == 3)
        try #require(until { server.counters.busyWorkers + server.counters.waitingForWorkers <= 0 })
        // A connection whose work is done serves on.
        #expect(clients[7].get("/again")?.content == "/again")
    }

    @Test("Without a limit each piece of work has its own worker")
    func noLimit() throws {
        let gate = Gate()
        let server = try HTTPServer(
            HTTPServerOptions(workers: 0, waitingForWorkers: 1), handler(gate))
        let clients = try (0..<20).map { try ask("/\($0)", server) }
        gate.waitForCount(20)
        try #require(gate.maximum == 20)
        #expect(server.counters.waitingForWorkers == 0)
        gate.open()
        for (number, client) in clients.enumerated() {
            #expect(client.response()?.content == "/\(number)")
        }
        #expect(clients[7].get("/again")?.content == "/again")
        #expect(server.counters.overloads == 0)
        server.stop(within: .seconds(120))
        // A worker that has answered counts as busy a moment longer.
        try #require(until { server.counters.busyWorkers == 0 })
    }

    @Test("A queue without a limit accepts all work")
    func noEnd() throws {
        let gate = Gate()
        let server = try HTTPServer(
            HTTPServerOptions(workers: 1, waitingForWorkers: 0), handler(gate))
        defer { server.stop(within: .zero) }
        let clients = try (0..<100).map { try ask("/\($0)", server) }
        try #require(until { server.counters.waitingForWorkers == 99 })
        gate.open()
        for (number, client) in clients.enumerated() {
            #expect(client.response()?.content == "/\(number)")
        }
        #expect(gate.maximum == 1)
        #expect(server.counters.overloads == 0)
    }

    @Test("Work is done in the order of arrival")
    func order() throws {
        let gate = Gate()
        let begun = OrderedNotes()
        let handler = TestHandler { request in
            .later(
                {
                    begun.add(request.path)
                    gate.pass()
                    return .text("")
                }, overload: .text("overload", status: 503))
        }
        let server = try HTTPServer(HTTPServerOptions(workers: 1), handler)
        defer { server.stop(within: .zero) }
        var clients: [TestClient] = []
        for number in 0..<10 {
            clients.append(try ask("/\(number)", server))
            try #require(
                until { server.counters.busyWorkers + server.counters.waitingForWorkers > number })
        }
        gate.open()
        for client in clients { #expect(client.response()?.status == 200) }
        #expect(begun.all == (0..<10).map { "/\($0)" })
    }

    @Test("The work of a disconnected client is not done")
    func gone() throws {
        let gate = Gate()
        let begun = OrderedNotes()
        let handler = TestHandler { request in
            .later(
                {
                    begun.add(request.path)
                    gate.pass()
                    return .text(request.path)
                }, overload: .text("overload", status: 503))
        }
        let server = try HTTPServer(HTTPServerOptions(workers: 1), handler)
        let first = try ask("/first", server)
        gate.waitForCount(1)
        let waiting = try ["/gone", "/last", "/reset"].map { path in
            let waiting = server.counters.waitingForWorkers
            let client = try ask(path, server)
            try #require(until { server.counters.waitingForWorkers != waiting })
            return client
        }
        waiting[0].goAway()
        waiting[2].goAway()
        waiting[2].reset()
        gate.open()
        #expect(first.response()?.content == "/first")
        #expect(waiting[1].response()?.content == "/last")
        server.stop(within: .seconds(120))
        #expect(begun.all == ["/first", "/last"])
        #expect(
            Dictionary(uniqueKeysWithValues: handler.notes.map { ($0.path, $0.status) })
                == ["/first": 200, "/last": 200, "/gone": nil, "/reset": nil])
    }

    @Test("A disconnected client makes room for another")
    func room() throws {
        let gate = Gate()
        let handler = handler(gate)
        let server = try HTTPServer(HTTPServerOptions(workers: 1, waitingForWorkers: 1), handler)
        let first = try ask("/first", server)
        gate.waitForCount(1)
        let gone = try ask("/gone", server)
        try #require(until { server.counters.waitingForWorkers != 0 })
        gone.goAway()
        let last = try ask("/last", server)
        try #require(until { !handler.notes.isEmpty })
        #expect(handler.notes.map(\.path) == ["/gone"])
        gate.open()
        #expect(first.response()?.content == "/first")
        #expect(last.response()?.content == "/last")
        #expect(server.counters.overloads == 0)
        server.stop(within: .seconds(120))
    }

    @Test("A client that disconnects during its work is noted, and the next one is served")
    func goneLate() throws {
        let gate = Gate()
        let handler = handler(gate)
        let server = try HTTPServer(HTTPServerOptions(workers: 1), handler)
        let client = try ask("/gone", server)
        gate.waitForCount(1)
        client.reset()
        gate.open()
        #expect(try ask("/next", server).response()?.content == "/next")
        server.stop(within: .seconds(120))
        // Whether the answer was handed to the system before it knew is a matter of luck.
        #expect(Set(handler.notes.map(\.path)) == ["/gone", "/next"])
        #expect(handler.notes.count == 2)
    }
}

/// A list that threads add to.
final class OrderedNotes: Sendable {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock { $0 } }

    func add(_ note: String) {
        notes.withLock { $0.append(note) }
    }
}

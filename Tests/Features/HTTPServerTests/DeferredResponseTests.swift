import Foundation
@testable import HTTPServer
import Synchronization
import Testing
import TestSupport

@Suite("Answers that wait without a thread")
struct DeferredResponseTests {
    /// The answers that a test gives when it likes.
    private final class Held: Sendable {
        private let answers = Mutex<[DeferredResponse]>([])

        var count: Int { answers.withLock { $0.count } }

        func add(_ answer: DeferredResponse) {
            answers.withLock { $0.append(answer) }
        }

        /// Takes all answers.
        func take() -> [DeferredResponse] {
            answers.withLock { answers in
                let taken = answers
                answers = []
                return taken
            }
        }
    }

    /// Holds each answer to `/held`, reached at once or through a worker.
    private func handler(_ held: Held) -> TestHandler {
        TestHandler { request in
            switch request.path {
            case "/held": .deferred { held.add($0) }
            case "/later":
                .later(.storage, { .deferred { held.add($0) } }, overload: .text("", status: 503))
            case "/given": .deferred { $0.give(.text("given")) }
            default: .now(.text("now"))
            }
        }
    }

    private func begin(_ path: String, _ server: HTTPServer) throws -> TestClient {
        let client = try TestClient(port: server.port)
        client.send("GET \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
        return client
    }

    @Test("Are given by any thread, at once or later, and keep their connection")
    func given() throws {
        let held = Held()
        let handler = handler(held)
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        for path in ["/held", "/later"] {
            let client = try begin(path, server)
            try #require(until { held.count == 1 })
            try #require(until { server.counters.deferredResponses == 1 })
            #expect(server.counters.busyWorkers == 0)
            for answer in held.take() {
                #expect(answer.isWanted)
                answer.give(.text("first"))
                // Only the first one counts.
                answer.give(.text("second"))
                #expect(!answer.isWanted)
            }
            #expect(client.response()?.content == "first")
            #expect(client.get("/given")?.content == "given")
            #expect(until { server.counters.deferredResponses == 0 })
        }
        #expect(until { handler.notes.map(\.status) == [200, 200, 200, 200] })
    }

    @Test("Need no thread each, and block nobody")
    func many() throws {
        let held = Held()
        var options = HTTPServerOptions(threads: 1, maximumConnectionsOfOneAddress: 0)
        options.lanes = [.storage: .init(workers: 1, waiting: 0)]
        let server = try HTTPServer(options, handler(held))
        defer { server.stop(within: .zero) }
        let count = 200
        let clients = try (0..<count).map { try begin($0 % 2 == 0 ? "/held" : "/later", server) }
        try #require(until { held.count == count })
        // The only worker is free, and so is the only thread of connections.
        #expect(try TestClient(port: server.port).get("/")?.content == "now")
        #expect(try TestClient(port: server.port).get("/given")?.content == "given")
        for answer in held.take() { answer.give(.text("done")) }
        for client in clients { #expect(client.response()?.content == "done") }
    }

    @Test("Outlast the timeout of idle connections")
    func timeout() throws {
        let held = Held()
        let clock = TestClock()
        var options = HTTPServerOptions(timeout: .seconds(2))
        options.now = { clock.now }
        let server = try HTTPServer(options, handler(held))
        defer { server.stop(within: .zero) }
        let waiting = try begin("/held", server)
        try #require(until { held.count == 1 })
        // One that is idle for as long is closed.
        let idle = try TestClient(port: server.port)
        try #require(until { server.counters.connections == 2 })
        clock.pass(.seconds(2))
        #expect(idle.isClosed())
        for answer in held.take() { answer.give(.text("done")) }
        #expect(waiting.response()?.content == "done")
    }

    @Test("End the connection if they are released")
    func released() throws {
        let held = Held()
        let handler = handler(held)
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let client = try begin("/held", server)
        try #require(until { held.count == 1 })
        _ = held.take()
        #expect(client.isClosed())
        #expect(until { handler.notes.map(\.status) == [nil] })
        #expect(server.counters.deferredResponses == 0)
    }

    @Test("Are not wanted by a client that is gone")
    func gone() throws {
        let held = Held()
        let server = try HTTPServer(HTTPServerOptions(), handler(held))
        defer { server.stop(within: .zero) }
        let client = try begin("/held", server)
        try #require(until { held.count == 1 })
        client.goAway()
        let answers = held.take()
        #expect(until { answers.allSatisfy { !$0.isWanted } })
        for answer in answers { answer.give(.text("late")) }
        #expect(until { server.counters.connections == 0 })
    }

    @Test("Are abandoned when the server stops, and later ones at once")
    func stop() throws {
        let held = Held()
        let handler = handler(held)
        let server = try HTTPServer(HTTPServerOptions(), handler)
        let client = try begin("/held", server)
        try #require(until { held.count == 1 })
        server.stop(within: .milliseconds(50))
        #expect(client.isClosed())
        for answer in held.take() { answer.give(.text("late")) }
        #expect(server.counters.deferredResponses == 0)
        #expect(handler.notes.map(\.status) == [nil])
    }
}

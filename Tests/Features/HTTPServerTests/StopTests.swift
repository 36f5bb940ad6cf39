import Foundation
import HTTPServer
import Testing
import TestSupport

@Suite("Starting and stopping")
struct StopTests {
    private func slow(_ gate: Gate) -> TestHandler {
        TestHandler { request in
            guard request.path == "/slow" else { return .now(.text("now")) }
            return .later(
                {
                    gate.pass()
                    return .text("done")
                }, overload: .text("overload", status: 503))
        }
    }

    private func begin(_ path: String, _ server: HTTPServer) throws -> TestClient {
        let client = try TestClient(port: server.port)
        client.send("GET \(path) HTTP/1.1\r\nHost: t\r\n\r\n")
        return client
    }

    @Test(
        "A stop answers requests in progress, closes idle connections, and refuses new ones"
    )
    func drain() throws {
        let gate = Gate()
        let handler = slow(gate)
        let server = try HTTPServer(HTTPServerOptions(workers: 1), handler)
        let port = server.port
        let idle = try TestClient(port: port)
        #expect(idle.get("/")?.status == 200)
        let working = try begin("/slow", server)
        gate.waitForCount(1)
        let waiting = try begin("/slow", server)
        try #require(until { server.counters.waitingForWorkers != 0 })
        let sending = try TestClient(port: port)
        sending.send("POST /sent HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\n")
        try #require(until { server.counters.connections >= 4 })
        let stopping = TestThread { server.stop(within: .seconds(120)) }
        // The idle one is closed as soon as it stops.
        #expect(idle.isClosed())
        #expect(until { (try? TestClient(port: port)) == nil })
        sending.send("hi")
        #expect(sending.response()?.values("Connection") == ["close"])
        gate.open()
        #expect(working.response()?.content == "done")
        #expect(waiting.response()?.content == "done")
        #expect(working.isClosed())
        stopping.join()
        #expect(server.counters.connections == 0)
        #expect(handler.notes.map(\.status) == [200, 200, 200, 200])
    }

    @Test("Work over the time limit is abandoned")
    func hard() throws {
        let gate = Gate()
        let handler = slow(gate)
        let server = try HTTPServer(HTTPServerOptions(workers: 1), handler)
        let working = try begin("/slow", server)
        gate.waitForCount(1)
        let waiting = try begin("/slow", server)
        try #require(until { server.counters.waitingForWorkers != 0 })
        let sending = try TestClient(port: server.port)
        // It is asked to go on when the server has read its head.
        sending.send(
            "POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(sending.response()?.status == 100)
        server.stop(within: .milliseconds(100))
        for client in [working, waiting, sending] { #expect(client.isClosed()) }
        #expect(handler.notes.allSatisfy { $0.status == nil })
        #expect(handler.notes.count == 3)
        // A worker that ends later has no effect.
        gate.open()
        server.stop(within: .seconds(1))
        #expect(server.counters.connections == 0)
    }

    @Test("A released server stops")
    func forgotten() throws {
        var server: HTTPServer? = try HTTPServer(HTTPServerOptions(), TestHandler())
        let port = try #require(server?.port)
        let client = try TestClient(port: port)
        #expect(client.get("/")?.status == 200)
        server = nil
        #expect(client.isClosed())
        // A process that another test is starting may hold the port until its program begins.
        #expect(until { (try? TestClient(port: port)) == nil })
    }

    @Test("A port is used once, and is free after the stop")
    func port() throws {
        let first = try HTTPServer(HTTPServerOptions(), TestHandler())
        let options = HTTPServerOptions(port: first.port)
        #expect(throws: HTTPServerError.cannotListen(code: EADDRINUSE)) {
            try HTTPServer(options, TestHandler())
        }
        let client = try TestClient(port: first.port)
        #expect(client.get("/")?.status == 200)
        first.stop(within: .seconds(120))
        var again: HTTPServer?
        #expect(
            until {
                again = try? HTTPServer(options, TestHandler())
                return again != nil
            })
        let second = try #require(again)
        #expect(second.port == first.port)
        #expect(try TestClient(port: second.port).get("/")?.status == 200)
        second.stop(within: .zero)
    }

    @Test(
        "An address is numeric",
        arguments: ["localhost", "", "127.0.0.1.1", "127.0.0.1:80", "[::1]"])
    func address(_ address: String) {
        #expect(throws: HTTPServerError.addressNotNumeric) {
            try HTTPServer(HTTPServerOptions(address: address), TestHandler())
        }
    }

    @Test("An address of another machine is refused")
    func otherAddress() {
        #expect(throws: HTTPServerError.cannotListen(code: EADDRNOTAVAIL)) {
            try HTTPServer(HTTPServerOptions(address: "192.0.2.1"), TestHandler())
        }
    }

    @Test("Any number of I/O threads works", arguments: [0, 1, 2, 5])
    func threads(_ count: Int) throws {
        let handler = TestHandler { request in
            .later({ .text(request.path) }, overload: .text("overload", status: 503))
        }
        let server = try HTTPServer(HTTPServerOptions(threads: count), handler)
        defer { server.stop(within: .zero) }
        for number in 0..<5 {
            #expect(try TestClient(port: server.port).get("/\(number)")?.content == "/\(number)")
        }
    }

    @Test("Servers can be started and stopped under load, again and again")
    func restart() throws {
        for _ in 0..<20 {
            let handler = TestHandler { request in
                .later({ .text(request.path) }, overload: .text("overload", status: 503))
            }
            let server = try HTTPServer(HTTPServerOptions(), handler)
            let port = server.port
            let clients = (0..<4).map { _ in
                TestThread {
                    for _ in 0..<10_000 {
                        guard let client = try? TestClient(port: port), client.get("/") != nil
                        else { return }
                    }
                }
            }
            pause(milliseconds: 20)
            server.stop(within: .milliseconds(5))
            for client in clients { client.join() }
            #expect(server.counters.connections == 0)
        }
    }
}

import HTTPServer
import Synchronization
import Testing

@Suite("Requests and answers")
struct RequestTests {
    @Test("A request reaches the handler as it was sent, and is answered")
    func simple() throws {
        let handler = TestHandler()
        let server = try HTTPServer(HTTPServerOptions(), handler)
        let client = try TestClient(port: server.port)
        let response = try #require(client.get("/a%2Fb%00?q=%41+b&c", "X-One: 1", "x-one:  two \t"))
        #expect(response.status == 200)
        #expect(response.content == "GET /a%2Fb%00 q=%41+b&c ")
        let request = try #require(handler.requests.first)
        #expect(request.headers.values("X-ONE") == ["1", "two"])
        #expect(request.headers.fields.map(\.name) == ["Host", "X-One", "x-one"])
        #expect(request.client == .loopback)
        #expect(!request.isEncrypted)
        #expect(client.post("/p", "content")?.content == "POST /p - content")
        server.stop(within: .seconds(120))
        #expect(handler.notes.map(\.status) == [200, 200])
        #expect(handler.notes.map(\.path) == ["/a%2Fb%00", "/p"])
        #expect(Set(handler.notes.map(\.id)) == Set(handler.requests.map(\.id)))
        #expect(Set(handler.notes.map(\.id)).count == 2)
        #expect(handler.notes.allSatisfy { $0.id.count == 16 })
    }

    @Test(
        "Targets are neither decoded nor normalised",
        arguments: [
            "/", "//", "/../a", "/%2e%2e/a", "/a?", "/a??b=c?", "*", "/a;b", "/a#b", "/%", "/%zz",
        ])
    func targets(_ target: String) throws {
        let server = try HTTPServer(HTTPServerOptions(), TestHandler())
        defer { server.stop(within: .zero) }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? String(parts[1]) : "-"
        let response = try TestClient(port: server.port).get(target)
        #expect(response?.content == "GET \(parts[0]) \(query) ")
    }

    /// A comparison of Unicode text would be slow for some texts.
    @Test("A field is ASCII, and its other bytes become question marks")
    func fieldText() throws {
        let handler = TestHandler()
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let marks = String(repeating: "\u{301}\u{323}", count: 1_000)
        let client = try TestClient(port: server.port)
        #expect(client.get("/", "X-One: a\u{E9}b", "X-Two: \(marks)")?.status == 200)
        let request = try #require(handler.requests.first)
        #expect(request.headers.values("X-One") == ["a??b"])
        #expect(request.headers.values("X-Two") == [String(repeating: "?", count: 4_000)])
    }

    @Test("An answer has the handler's fields and the server's")
    func fields() throws {
        let handler = TestHandler { _ in
            var response = HTTPResponse.text("content", status: 401)
            response.headers.append("WWW-Authenticate", "Bearer realm=\"a\"")
            response.headers.append("Set-Cookie", "a")
            response.headers.append("Set-Cookie", "b")
            response.headers.append("Content-Length", "3")
            response.headers.append("Transfer-Encoding", "chunked")
            return .now(response)
        }
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let response = try #require(try TestClient(port: server.port).get("/"))
        #expect(response.status == 401)
        #expect(response.values("WWW-Authenticate") == ["Bearer realm=\"a\""])
        #expect(response.values("Set-Cookie") == ["a", "b"])
        #expect(response.values("Content-Length") == ["7"])
        #expect(response.values("Transfer-Encoding").isEmpty)
        #expect(response.values("Connection").isEmpty)
        #expect(response.values("Date").count == 1)
        #expect(response.content == "content")
    }

    @Test(
        "A field that would split an answer is dropped",
        arguments: [
            ("X-One", "1\r\nX-Two: 2"), ("X-One", "1\nX-Two: 2"), ("X-One", "1\rX-Two: 2"),
            ("X-One", "1\u{0}2"), ("X-One\r\nX-Two", "1"), ("X-One:", "1"), ("", "1"),
            ("X One", "1"),
        ])
    func injection(_ name: String, _ value: String) throws {
        let handler = TestHandler { _ in
            var response = HTTPResponse.text("content")
            response.headers.append(name, value)
            response.headers.append("X-Last", "3")
            return .now(response)
        }
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let response = try #require(try TestClient(port: server.port).get("/"))
        #expect(!response.lines.contains { $0.hasPrefix("X-One") || $0.hasPrefix("X-Two") })
        #expect(
            response.lines.dropFirst().allSatisfy { !$0.hasPrefix(":") && !$0.hasPrefix("X One") })
        #expect(response.values("X-Last") == ["3"])
        #expect(response.content == "content")
    }

    @Test("HEAD and 204 have no content", arguments: ["HEAD", "DELETE"])
    func noContent(_ method: String) throws {
        let handler = TestHandler { request in
            .now(request.method == "DELETE" ? HTTPResponse(status: 204) : .text("content"))
        }
        let server = try HTTPServer(HTTPServerOptions(), handler)
        let client = try TestClient(port: server.port)
        client.send("\(method) / HTTP/1.1\r\nHost: t\r\n\r\n")
        let response = try #require(client.response(toHead: true))
        if method == "HEAD" { #expect(response.values("Content-Length") == ["7"]) }
        // The next answer follows directly.
        #expect(client.get("/next")?.content == "content")
        server.stop(within: .seconds(120))
        #expect(handler.notes.map(\.status) == [method == "HEAD" ? 200 : 204, 200])
    }

    @Test("HTTP/1.0 is answered, and the connection closed unless the client keeps it alive")
    func old() throws {
        let server = try HTTPServer(HTTPServerOptions(), TestHandler())
        defer { server.stop(within: .zero) }
        let closing = try TestClient(port: server.port)
        closing.send("GET /a HTTP/1.0\r\n\r\n")
        #expect(closing.receiveAll().hasSuffix("\r\n\r\nGET /a - "))
        let keeping = try TestClient(port: server.port)
        for _ in 1...2 {
            keeping.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(keeping.response()?.content == "GET /a - ")
        }
    }

    @Test("Pipelined requests are answered in order, also by workers")
    func pipelining() throws {
        let handler = TestHandler { request in
            guard request.path.hasSuffix("later") else { return .now(.text(request.path)) }
            return .later({ .text(request.path) }, overload: .text("overload", status: 503))
        }
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        let paths = (1...20).map { $0.isMultiple(of: 3) ? "/\($0)/later" : "/\($0)" }
        client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: t\r\n\r\n" }.joined())
        for path in paths { #expect(client.response()?.content == path) }
        client.send(
            "POST /a HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nhiPOST /b HTTP/1.1\r\nHost: t\r\n"
                + "Content-Length: 2\r\nConnection: close\r\n\r\nhoGET /c HTTP/1.1\r\nHost: t\r\n\r\n"
        )
        #expect(client.response()?.content == "/a")
        #expect(client.response()?.content == "/b")
        #expect(client.isClosed())
        #expect(handler.requests.count == 22)
    }

    @Test("1,000 requests over 50 connections are answered, each once")
    func many() throws {
        let handler = TestHandler { request in
            guard request.path.hasSuffix("0") else { return .now(.describing(request)) }
            return .later({ .describing(request) }, overload: .text("overload", status: 503))
        }
        let server = try HTTPServer(HTTPServerOptions(workers: 2, waitingForWorkers: 0), handler)
        let port = server.port
        let good = Atomic<Int>(0)
        let clients = (0..<50).map { number in
            TestThread {
                guard let client = try? TestClient(port: port) else { return }
                for part in 0..<20 {
                    let response = client.post("/\(number)/\(part)", "c\(part)")
                    guard response?.content == "POST /\(number)/\(part) - c\(part)" else {
                        continue
                    }
                    good.add(1, ordering: .relaxed)
                }
            }
        }
        for client in clients { client.join() }
        #expect(good.load(ordering: .relaxed) == 1_000)
        server.stop(within: .seconds(120))
        #expect(handler.notes.count == 1_000)
        #expect(Set(handler.notes.map(\.id)).count == 1_000)
        #expect(handler.notes.allSatisfy { $0.status == 200 })
        #expect(server.counters.connections == 0)
    }
}

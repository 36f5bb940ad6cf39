import Foundation
@testable import HTTPClient
import HTTPServer
import SecretMemory
import Synchronization
import Testing
import TestSupport

@Suite("Requests")
struct RequestTests {
    @Test("A request arrives, and its answer is returned")
    func exchange() throws {
        try withTemporaryFolder { folder in
            let handler = TestHandler { request in
                HTTPResponse(
                    status: 429,
                    headers: HTTPHeaders([
                        .init("Content-Type", "Application/JSON; charset=utf-8"),
                        .init("Retry-After", "17"),
                    ]), body: Array("{}".utf8))
            }
            try withServer(nil, handler) { server in
                let client = try HTTPClient()
                let url = "http://127.0.0.1:\(server.port)/oauth/token?x=%20y"
                let response = try client.post(
                    url, "grant_type=password", type: "application/x-www-form-urlencoded")
                #expect(
                    response
                        == PlainResponse(
                            status: 429, contentType: "application/json", retryAfter: 17,
                            content: "{}"))
                let asked = try #require(handler.requests.first)
                #expect(asked.method == "POST")
                #expect(asked.path == "/oauth/token")
                #expect(asked.query == "x=%20y")
                #expect(
                    asked.headers.values("Content-Type") == ["application/x-www-form-urlencoded"])
                #expect(asked.body.withBytes { $0.byteCount } == 19)
                _ = try client.get(
                    url, [.init("Accept", "application/json")], authorization: "Bearer abc")
                let second = try #require(handler.requests.last)
                #expect(second.method == "GET")
                #expect(second.headers.values("Authorization") == ["Bearer abc"])
                #expect(second.headers.values("Accept") == ["application/json"])
                for one in [asked, second] {
                    #expect(one.headers.values("User-Agent") == ["taskvault"])
                    #expect(one.headers.values("Accept-Encoding") == ["identity"])
                }
                for name in ["Cookie", "Expect", "TE"] {
                    #expect(second.headers.values(name).isEmpty, "\(name)")
                    #expect(asked.headers.values(name).isEmpty, "\(name)")
                }
            }
        }
    }

    @Test("Content of any size is sent unchanged", arguments: [0, 1, 65_536, 70_000, 3_000_000])
    func content(_ size: Int) throws {
        let server = try TestServer { connection in
            let request = connection.request() ?? ""
            let content = request.components(separatedBy: "\r\n\r\n").last ?? ""
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
            connection.send(content == String(repeating: "a", count: size) ? "ok" : "no")
        }
        defer { server.stop() }
        let response = try HTTPClient().post(
            "http://127.0.0.1:\(server.port)/", String(repeating: "a", count: size))
        #expect(response.content == "ok")
        #expect(server.received.allSatisfy { !$0.contains("Expect") })
    }

    @Test("Plain HTTP goes to this machine only; no other connection is made")
    func plain() throws {
        let client = try HTTPClient()
        for host in ["192.0.2.1", "vault.example", "0.0.0.0", "[::]", "localhost.example"] {
            #expect(throws: HTTPClientError.plainHTTP) { try client.get("http://\(host)/") }
        }
        let server = try TestServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        defer { server.stop() }
        var options = HTTPClientOptions()
        options.resolutions = ["vault.example:\(server.port):127.0.0.1"]
        #expect(throws: HTTPClientError.plainHTTP) {
            try HTTPClient(options).get("http://vault.example:\(server.port)/")
        }
        #expect(server.connections == 0)
        #expect(try client.get("http://localhost:\(server.port)/").content == "hi")
        #expect(try client.get("http://127.0.0.1:\(server.port)/").content == "hi")
    }

    static let hasIPv6 = (try? HTTPServer(HTTPServerOptions(address: "::1"), TestHandler())) != nil

    @Test("An IPv6 address is in brackets", .enabled(if: hasIPv6, "needs IPv6"))
    func address6() throws {
        let handler = TestHandler()
        let server = try HTTPServer(HTTPServerOptions(address: "::1"), handler)
        defer { server.stop(within: .zero) }
        #expect(try HTTPClient().get("http://[0::1]:\(server.port)/").content == "hello")
        #expect(handler.requests.first?.headers.values("Host") == ["[::1]:\(server.port)"])
    }

    @Test("A localhost on another machine is refused, with TLS or without")
    func notLoopback() throws {
        var options = HTTPClientOptions(connectingTimeout: .seconds(60))
        options.resolutions = ["localhost:9:203.0.113.1"]
        for scheme in ["http", "https"] {
            #expect(throws: HTTPClientError.notLoopback) {
                try HTTPClient(options).get("\(scheme)://localhost:9/")
            }
        }
    }

    @Test(
        "A value that could break out of its field is refused",
        arguments: [
            ClientRequest.Field("X-Test", "a\r\nY: b"), .init("X-Test", "a\nb"),
            .init("X-Test", "a\u{0}b"), .init("X-Test", "a\u{7f}"), .init("X-Test", ""),
            .init("X-Test", " a"), .init("X-Test", "\u{e4}"), .init("X Test", "a"),
            .init("X-Test:", "a"), .init("", "a"), .init("X\r\nY", "a"), .init("Host", "a.example"),
            .init("content-LENGTH", "1"), .init("Transfer-Encoding", "chunked"),
            .init("Authorization", "Bearer a"), .init("Cookie", "a=b"), .init("Expect", "x"),
        ])
    func fields(_ field: ClientRequest.Field) throws {
        let server = try TestServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)/"
        #expect(throws: HTTPClientError.requestMalformed) { try HTTPClient().get(url, [field]) }
        #expect(server.connections == 0)
    }

    @Test(
        "Authorization and content type are checked, too",
        arguments: ["a\r\nX: b", "a\u{0}b", "a\nb", "", " ", "\u{e4}"])
    func values(_ value: String) throws {
        let client = try HTTPClient()
        #expect(throws: HTTPClientError.requestMalformed) {
            try client.get("http://127.0.0.1:9/", authorization: value)
        }
        #expect(throws: HTTPClientError.requestMalformed) {
            try client.post("http://127.0.0.1:9/", "", type: value)
        }
    }

    @Test("Connections are reused, and several threads share a client")
    func reuse() async throws {
        let server = try TestServer { connection in
            while let request = connection.request() {
                let path = request.split(separator: " ")[1]
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)")
            }
        }
        defer { server.stop() }
        let client = try HTTPClient()
        let port = server.port
        await onThreads(4) { thread in
            for number in 0..<10 {
                let path = "/\(thread)/\(number)"
                let response = try? client.get("http://127.0.0.1:\(port)\(path)")
                #expect(response?.content == path)
            }
        }
        #expect(server.connections == 1)
    }

    @Test("A request that may have been executed is not repeated")
    func notTwice() throws {
        // The second request on a connection that is used again gets no answer.
        for content in ["refresh", ""] {
            let server = try TestServer { connection in
                guard connection.request() != nil else { return }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
                _ = connection.request()
            }
            defer { server.stop() }
            let client = try HTTPClient()
            let url = "http://127.0.0.1:\(server.port)/"
            #expect(try client.post(url, "first").content == "hi")
            let second = Result { try client.post(url, content) }
            let posts = server.received.joined().components(separatedBy: "POST /").count - 1
            #expect(posts == 2)
            if content.isEmpty {
                // On a connection of its own, which is answered.
                #expect(try second.get().content == "hi")
            } else {
                #expect(throws: HTTPClientError.connectionLost) { try second.get() }
            }
        }
    }

    @Test("A request whose server stops afterwards may have been executed")
    func gone() throws {
        let listening = Mutex<TestServer?>(nil)
        let server = try TestServer { connection in
            guard connection.request() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
            // The next one on this connection gets no answer, and a further connection is refused.
            guard connection.request() != nil else { return }
            listening.withLock { $0 }?.stopListening()
        }
        listening.withLock { $0 = server }
        defer {
            listening.withLock { $0 = nil }
            server.stop()
        }
        let client = try HTTPClient()
        let url = "http://127.0.0.1:\(server.port)/"
        #expect(try client.post(url, "first").content == "hi")
        #expect(throws: HTTPClientError.connectionLost) { try client.post(url, "second") }
        #expect(server.received.joined().contains("second"))
        // A refused connection certainly got nothing.
        #expect(throws: HTTPClientError.connectionRefused) { try client.post(url, "third") }
    }
}

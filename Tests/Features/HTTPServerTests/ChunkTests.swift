@testable import HTTPServer
import Testing
import TestSupport

/// Content in chunks, and targets that are URLs.
@Suite("Chunks and URLs")
struct ChunkTests {
    private static let head = "POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let next = "GET /second HTTP/1.1\r\nHost: t\r\n\r\n"

    @Test(
        "Content in chunks is taken, and the connection ends after it",
        arguments: [
            ("5\r\nhello\r\n0\r\n\r\n", "hello"),
            ("1\r\nh\r\n4;a=b\r\nello\r\n0\r\n\r\n", "hello"),
            ("00005\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n", "hello"),
            ("0\r\n\r\n", ""),
        ])
    func taken(_ chunks: String, _ content: String) throws {
        let handler = TestHandler()
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(Self.head + chunks + Self.next)
        let answer = try #require(client.response())
        #expect(answer.status == 200)
        #expect(answer.content == "POST /a - \(content)")
        #expect(answer.values("Connection").map { $0.lowercased() } == ["close"])
        #expect(client.receiveAll().isEmpty)
        #expect(handler.requests.map(\.path) == ["/a"])
    }

    @Test(
        "Bytes after chunks that two servers may read differently are no request",
        arguments: [
            "1\r\na\n0\r\n\r\n", "1\na\r\n0\r\n\r\n", "1 \r\na\r\n0\r\n\r\n",
            "0x1\r\na\r\n0\r\n\r\n", "-1\r\na\r\n0\r\n\r\n", "1\r\naa\r\n0\r\n\r\n",
            "fffffffffffffffff\r\na\r\n0\r\n\r\n", "g\r\n\r\n",
        ])
    func ambiguous(_ chunks: String) throws {
        let handler = TestHandler()
        let server = try HTTPServer(HTTPServerOptions(timeout: .seconds(2)), handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(Self.head + chunks + Self.next)
        #expect(!client.receiveAll().contains("/second"))
        #expect(handler.requests.allSatisfy { $0.path == "/a" })
        // Within the two seconds, which a busy machine may let go by.
        #expect(until { (try? TestClient(port: server.port))?.get("/")?.status == 200 })
    }

    @Test(
        "A bare LF at the end of a chunk's line or of its data is refused",
        arguments: [
            "1\na\r\n0\r\n\r\n", "1\r\na\n0\r\n\r\n", "1;x=y\na\r\n0\r\n\r\n",
            "1\r\na\r\n2\nbc\r\n0\r\n\r\n", "1\r\na\n2\r\nbc\r\n0\r\n\r\n",
            "3\r\nabc\n0\r\n\r\n",
        ])
    func bareLineFeed(_ chunks: String) throws {
        let handler = TestHandler()
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(Self.head + chunks + Self.next)
        #expect(client.response()?.status == 400)
        #expect(client.receiveAll().isEmpty)
        #expect(handler.requests.isEmpty)
    }

    @Test(
        "A line feed in the data, or where an earlier chunk had one, is content",
        arguments: [["2\r\n\n\n\r\n0\r\n\r\n"], ["2\r\n", "a\n", "\r\n1\r\nb", "\r\n0\r\n\r\n"]])
    func lineFeedInContent(_ parts: [String]) throws {
        let server = try HTTPServer(HTTPServerOptions(), TestHandler())
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(Self.head)
        for part in parts { client.send(part) }
        #expect(client.response()?.status == 200)
    }

    @Test("Chunks may have as many bytes as any content, and not one more")
    func limit() throws {
        let server = try HTTPServer(HTTPServerOptions(maximumBodySize: 1_000), TestHandler())
        defer { server.stop(within: .zero) }
        func send(_ count: Int, of size: Int) throws -> TestResponse? {
            let client = try TestClient(port: server.port)
            let chunk =
                String(size, radix: 16) + "\r\n" + String(repeating: "c", count: size) + "\r\n"
            client.send(Self.head + String(repeating: chunk, count: count) + "0\r\n\r\n")
            return client.response()
        }
        #expect(try send(10, of: 100)?.content.utf8.count == "POST /a - ".utf8.count + 1_000)
        #expect(try send(1, of: 1_000)?.status == 200)
        #expect(try send(1, of: 1_001)?.status == 413)
        #expect(try send(91, of: 11)?.status == 413)
        #expect(try send(100, of: 1_000)?.status == 413)
        // No answer to a client that never ends.
        #expect(try send(300, of: 1_000) == nil)
    }

    @Test(
        "A target may be a URL, whose host counts",
        arguments: [
            ("/a?b", "/a", "b", "t"), ("http://other:80/a?b", "/a", "b", "other:80"),
            ("HTTP://other/a", "/a", nil, "other"), ("https://[::1]:1/", "/", nil, "[::1]:1"),
            ("http://other", "/", nil, "other"), ("http://other?b", "/", "b", "other"),
            ("/http://other/", "/http://other/", nil, "t"), ("*", "*", nil, "t"),
        ] as [(String, String, String?, String)])
    func target(_ target: String, _ path: String, _ query: String?, _ host: String) throws {
        let handler = TestHandler()
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send("GET \(target) HTTP/1.1\r\nHost: t\r\n\r\n")
        #expect(client.response()?.status == 200)
        let request = try #require(handler.requests.first)
        #expect(request.path == path)
        #expect(request.query == query)
        #expect(request.host == host)
    }
}

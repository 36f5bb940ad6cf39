@testable import HTTPServer
import Testing
import TestSupport

#if os(Linux)
    import Glibc
#endif

@Suite("Content of requests")
struct ContentTests {
    /// A server that takes 1,000 bytes.
    private func server(_ handler: TestHandler) throws -> HTTPServer {
        try HTTPServer(HTTPServerOptions(maximumBodySize: 1_000, timeout: .zero), handler)
    }

    @Test(
        "Content up to the limit is accepted, one byte more is refused",
        arguments: [0, 1, 999, 1_000])
    func limit(_ size: Int) throws {
        let handler = TestHandler()
        let server = try server(handler)
        defer { server.stop(within: .zero) }
        let content = String(repeating: "c", count: size)
        #expect(
            try TestClient(port: server.port).post("/", content)?.content == "POST / - \(content)")
        let response = try TestClient(port: server.port).post(
            "/", String(repeating: "c", count: 1_001))
        #expect(response?.status == 413)
        #expect(response?.values("Connection") == ["close"])
        #expect(handler.requests.count == 1)
    }

    @Test("Without a limit all content is accepted, and announced content takes no memory")
    func noLimit() throws {
        let handler = TestHandler { .now(.text("\($0.body.count)")) }
        let server = try HTTPServer(HTTPServerOptions(maximumBodySize: 0), handler)
        defer { server.stop(within: .zero) }
        let content = String(repeating: "c", count: 5_000_000)
        #expect(try TestClient(port: server.port).post("/", content)?.content == "5000000")
        let boasting = try TestClient(port: server.port)
        boasting.send(
            "POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: \(Int.max)\r\n\r\n"
        )
        #expect(boasting.response()?.status == 100)
        boasting.send(String(content.prefix(100_000)))
        #expect(try TestClient(port: server.port).post("/", "hi")?.content == "2")
    }

    @Test("Content in pieces is joined")
    func pieces() throws {
        let server = try server(TestHandler())
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 20\r\n\r\n")
        for number in 0..<20 { client.send(String(number % 10)) }
        #expect(client.response()?.content == "POST / - 01234567890123456789")
    }

    @Test("Content in chunks is asked for, like other content")
    func chunked() throws {
        let server = try server(TestHandler())
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(
            "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: Chunked\r\nExpect: 100-continue\r\n\r\n"
        )
        #expect(client.response()?.status == 100)
        client.send("3\r\nabc\r\n0\r\n\r\n")
        #expect(client.response()?.content == "POST / - abc")
        #expect(client.isClosed())
    }

    @Test("Expect: 100-continue gets 100, or the status of the refusal")
    func expectation() throws {
        let server = try server(TestHandler())
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(
            "POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(client.response()?.status == 100)
        client.send("hi")
        #expect(client.response()?.content == "POST / - hi")
        let other = try TestClient(port: server.port)
        other.send(
            "POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n")
        #expect(other.response()?.status == 413)
        #expect(other.isClosed())
    }

    @Test(
        "A client that sends 5 MB before it reads gets the refusal")
    func large() throws {
        let server = try server(TestHandler())
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5000000\r\n\r\n")
        #expect(client.send([UInt8](repeating: 0x63, count: 5_000_000)))
        #expect(client.response()?.status == 413)
        #expect(client.isClosed())
    }

    @Test("A head of more than 16 KiB is refused", arguments: [16_000, 16_500, 40_000, 200_000])
    func head(_ size: Int) throws {
        let handler = TestHandler { _ in .now(.text("good")) }
        let server = try server(handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(
            "GET / HTTP/1.1\r\nHost: t\r\nX-Long: " + String(repeating: "x", count: size)
                + "\r\n\r\n")
        #expect(client.response()?.status == (size == 16_000 ? 200 : 431))
        #expect(handler.requests.count == (size == 16_000 ? 1 : 0))
    }

    @Test("A larger limit for heads takes one long field", arguments: [740_000, 1_100_000])
    func largeHead(_ size: Int) throws {
        let handler = TestHandler { _ in .now(.text("good")) }
        let server = try HTTPServer(
            HTTPServerOptions(maximumHeadSize: 1_048_576, timeout: .zero), handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        let head =
            "GET / HTTP/1.1\r\nHost: t\r\nCookie: " + String(repeating: "x", count: size)
            + "\r\n\r\n"
        let isTaken = size == 740_000
        // The second request is read into the same memory.
        for _ in 0..<(isTaken ? 2 : 1) {
            client.send(head)
            #expect(client.response()?.status == (isTaken ? 200 : 431))
        }
        #expect(handler.requests.count == (isTaken ? 2 : 0))
    }

    @Test("A thousand fields within 16 KiB are accepted")
    func manyFields() throws {
        let handler = TestHandler { .now(.text("\($0.headers.values("a").count)")) }
        let server = try server(handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(
            "GET / HTTP/1.1\r\nHost: t\r\n" + String(repeating: "a:b\r\n", count: 1_000) + "\r\n")
        let response = client.response()
        #expect([200, 431].contains(response?.status ?? 0))
    }

    @Test("A target that is too long is refused")
    func target() throws {
        let server = try server(TestHandler())
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(
            "GET /" + String(repeating: "x", count: 100_000) + " HTTP/1.1\r\nHost: t\r\n\r\n")
        #expect(client.response()?.status == 414)
        #expect(client.isClosed())
    }

    @Test(
        "A client that shuts down its output gets a ready answer"
    )
    func halfClosed() throws {
        let handler = TestHandler { _ in .now(.text("now")) }
        let server = try server(handler)
        let client = try TestClient(port: server.port)
        client.send("GET /now HTTP/1.1\r\nHost: t\r\n\r\n")
        client.endSending()
        #expect(client.response()?.content == "now")
        #expect(client.isClosed())
        server.stop(within: .seconds(120))
        #expect(handler.notes.map(\.status) == [200])
    }

    @Test(
        "Memory grows with content in pieces of any size, or is there from the start",
        arguments: [1, 999, 70_000], [false, true])
    func room(_ piece: Int, isAdmitted: Bool) {
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let collector = BodyCollector(size: content.count, isAdmitted: isAdmitted)
        for start in stride(from: 0, to: content.count, by: piece) {
            var part = Array(content[start..<min(start + piece, content.count)])
            let isTaken = unsafe part.withUnsafeMutableBytes { unsafe collector.append($0) }
            #expect(isTaken)
        }
        let taken = collector.finish().withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        }
        #expect(taken == content)
    }

    @Test("Content is wiped in the source buffer")
    func wiping() {
        var source = Array("secret".utf8)
        let collector = BodyCollector(size: 8)
        let isTaken = unsafe source.withUnsafeMutableBytes { unsafe collector.append($0) }
        #expect(isTaken)
        #expect(source == [0, 0, 0, 0, 0, 0])
        source = Array("more".utf8)
        let fits = unsafe source.withUnsafeMutableBytes { unsafe collector.append($0) }
        #expect(!fits)
        #expect(source == [0, 0, 0, 0])
        let text = collector.finish().withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }
        #expect(text == "secret")
    }

    #if os(Linux)
        @Test("Released content is wiped")
        func end() throws {
            let secret = Array("content with a password inside it".utf8)
            let memory = unsafe open("/proc/self/mem", O_RDONLY)
            try #require(memory >= 0)
            defer { close(memory) }
            var seen = [UInt8](repeating: 0, count: secret.count)
            var found = 0
            for _ in 0..<32 {
                var address = 0
                do {
                    let body = RequestBody(secret)
                    address = body.withBytes { bytes in
                        unsafe bytes.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
                    }
                    unsafe pread(memory, &seen, seen.count, off_t(address))
                    #expect(seen == secret)
                    withExtendedLifetime(body) {}
                }
                unsafe pread(memory, &seen, seen.count, off_t(address))
                // The allocator writes into the first bytes of freed memory.
                if seen.suffix(8) == secret.suffix(8) { found += 1 }
            }
            #expect(found == 0)
        }
    #endif

    @Test("A client that closed before the answer is noted")
    func gone() throws {
        let handler = TestHandler()
        let server = try server(handler)
        do {
            let client = try TestClient(port: server.port)
            client.send("POST /gone HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nhi")
            try #require(until { server.counters.connections != 0 })
        }
        try #require(until { server.counters.connections <= 0 })
        server.stop(within: .seconds(120))
        #expect(handler.requests.isEmpty)
        #expect(handler.notes.map(\.path) == ["/gone"])
        #expect(handler.notes.map(\.status) == [nil])
    }
}

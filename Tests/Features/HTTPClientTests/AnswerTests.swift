@testable import HTTPClient
import Testing
import TestSupport

@Suite("Invalid answers")
struct AnswerTests {
    private func get(
        _ answer: String, _ options: HTTPClientOptions = HTTPClientOptions()
    ) throws -> PlainResponse {
        let server = try TestServer(answering: answer)
        defer { server.stop() }
        return try HTTPClient(options).get("http://127.0.0.1:\(server.port)/")
    }

    private func expect(
        _ error: HTTPClientError, _ answer: String,
        _ options: HTTPClientOptions = HTTPClientOptions(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: error, sourceLocation: sourceLocation) { try get(answer, options) }
    }

    @Test(
        "A redirection is not followed, and its host is reported",
        arguments: [
            ("https://Other.Example:8443/x?token=abc#y", "other.example"),
            ("//other.example/x", "other.example"), ("/elsewhere", "127.0.0.1"),
            ("http://[::1]/", "::1"), ("https://user:word@other.example/", nil),
            ("javascript:alert(1)", nil), ("https://other\u{202e}.example/", nil),
            ("relative", nil),
        ] as [(String, String?)])
    func redirection(_ location: String, _ host: String?) {
        for status in [301, 302, 303, 307, 308] {
            expect(
                .redirected(status: status, host: host),
                "HTTP/1.1 \(status) Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        }
        expect(.redirected(status: 302, host: nil), "HTTP/1.1 302 M\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("A redirection to the same server is not followed either")
    func sameServer() throws {
        let server = try TestServer(
            answering: "HTTP/1.1 307 Moved\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
        defer { server.stop() }
        #expect(throws: HTTPClientError.redirected(status: 307, host: "127.0.0.1")) {
            try HTTPClient().post("http://127.0.0.1:\(server.port)/", "password")
        }
        #expect(server.connections == 1)
        #expect(!server.received.joined().contains("/again"))
    }

    @Test(
        "An answer that is not HTTP is an error",
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n", "220 mail.example ESMTP\r\n", "hello", "<html></html>",
            "\u{0}\u{1}\u{2}\u{3}\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
            "HTTP/1.1 99 Low\r\n\r\n",
            "HTTP/1.1 200 OK\r\nNo colon\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\u{1b}[2J\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\u{0}c\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 \u{7}OK\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\r\n folded\u{8}\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA b: c\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        ])
    func garbage(_ answer: String) {
        expect(.answerMalformed, answer)
    }

    @Test(
        "Content that ends early, or has no defined end, is an error",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            "HTTP/1.1 200 OK\r\n\r\nwhatever",
        ])
    func incomplete(_ answer: String) {
        expect(.answerIncomplete, answer)
    }

    @Test("An incomplete head, and no answer at all, are errors")
    func lost() throws {
        expect(.connectionLost, "")
        expect(.answerIncomplete, "HTTP/1.1 200 OK\r\nA: b\r\n")
        let server = try TestServer { connection in
            _ = connection.request()
            connection.close(resetting: true)
        }
        defer { server.stop() }
        #expect(throws: HTTPClientError.connectionLost) {
            try HTTPClient().get("http://127.0.0.1:\(server.port)/")
        }
    }

    @Test("A stopped server and an unknown host are distinct errors")
    func gone() throws {
        let server = try TestServer { _ in }
        let port = server.port
        server.stop()
        #expect(throws: HTTPClientError.connectionRefused) {
            try HTTPClient().get("http://127.0.0.1:\(port)/")
        }
        #expect(throws: HTTPClientError.hostNotFound) {
            try HTTPClient().get("https://no-such-host.invalid/")
        }
    }

    @Test("Plain HTTP in place of TLS is an error")
    func noTLS() throws {
        let server = try TestServer { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = connection.isClosed()
        }
        defer { server.stop() }
        #expect(throws: HTTPClientError.handshakeFailed) {
            try HTTPClient().get("https://127.0.0.1:\(server.port)/")
        }
    }

    @Test("Interim answers, chunks, trailers and error statuses are accepted")
    func fine() throws {
        #expect(
            try get(
                "HTTP/1.1 103 Early Hints\r\nContent-Length: 99\r\nContent-Type: a/b\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
                == PlainResponse(content: "hi"))
        #expect(
            try get(
                "HTTP/1.1 401 No\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n"
                    + "1\r\nh\r\n1\r\ni\r\n0\r\nContent-Type: c/d\r\n\r\n")
                == PlainResponse(status: 401, contentType: "text/plain", content: "hi"))
        #expect(try get("HTTP/1.1 204 Nothing\r\n\r\n") == PlainResponse(status: 204))
        #expect(try get("HTTP/1.0 503 Busy\r\nContent-Length: 0\r\n\r\n").status == 503)
    }

    @Test(
        "Retry-After is a number of seconds",
        arguments: [
            ("0", 0), ("120", 120), ("99999999999", 1 << 31), ("-1", nil), ("1.5", nil), ("", nil),
            ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("1\r\nRetry-After: 2", nil),
        ] as [(String, Int?)])
    func retryAfter(_ value: String, _ seconds: Int?) throws {
        let answer = "HTTP/1.1 429 Slow\r\nRetry-After: \(value)\r\nContent-Length: 0\r\n\r\n"
        #expect(try get(answer).retryAfter == seconds)
    }

    @Test(
        "Cache-Control forbids storing by a directive of its own",
        arguments: [
            ("no-store", true), ("No-Store", true), ("private, no-store ,max-age=0", true),
            ("no-cache\r\nCache-Control: no-store", true), ("no-cache", false), ("", false),
            ("no-stored", false), ("x=no-store", false),
        ])
    func noStore(_ value: String, _ isForbidden: Bool) throws {
        let answer = "HTTP/1.1 400 No\r\nCache-Control: \(value)\r\nContent-Length: 0\r\n\r\n"
        #expect(try get(answer).forbidsStoring == isForbidden)
    }

    @Test(
        "Date is a time in the form that servers must send",
        arguments: [
            (["Sun, 06 Nov 1994 08:49:37 GMT"], 784_111_777),
            (["Thu, 01 Jan 1970 00:00:00 GMT"], 0), ([], nil), ([""], nil), (["tomorrow"], nil),
            (["Sunday, 06-Nov-94 08:49:37 GMT"], nil), (["Sun, 06 Nov 1994 08:49:37 GMT+1"], nil),
            (["Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"], nil),
        ] as [([String], Int64?)])
    func date(_ values: [String], _ seconds: Int64?) throws {
        var head = ResponseHead()
        for line in ["HTTP/1.1 200 Fine"] + values.map({ "Date: \($0)" }) {
            #expect(unsafe head.parse(line.utf8Span.span.bytes))
        }
        #expect(head.date == seconds)
    }

    @Test(
        "The target of a redirection is resolved as in RFC 3986, section 5.4",
        arguments: [
            ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"),
            ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"), ("g#s", "/b/c/g"), (";x", "/b/c/;x"),
            (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"),
            ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"),
            ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"),
            ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"),
            ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"),
            ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"), ("g?y/../x", "/b/c/g?y/../x"),
            // An empty segment is one, and no path becomes a host.
            ("g//../h", "/b/c/g/h"), ("/..//other/x", "//other/x"), ("./a:b", "/b/c/a:b"),
            // What only some programs resolve is refused.
            ("%2E%2e/g", nil), ("/.%2e/g", nil), ("g/%2e", nil), ("../%2e%2e/g", nil), ("", nil),
        ] as [(String, String?)])
    func target(_ location: String, _ path: String?) throws {
        var head = ResponseHead()
        for line in ["HTTP/1.1 302 Found", "Location: \(location)"] {
            #expect(unsafe head.parse(line.utf8Span.span.bytes))
        }
        let url = head.redirection(from: try WebURL("https://a.example/b/c/d;p?q"))
        #expect(url?.description == path.map { "https://a.example" + $0 })
    }
}

import HTTPServer
import Testing

/// A message that is not one, or that could be taken for two.
struct OddMessage: Sendable, CustomTestStringConvertible {
    let what: String
    let text: String
    /// The status; nil if the connection is closed without an answer.
    let status: Int?
    /// libmicrohttpd 0.9.75 sends the head of its own answer two times when it cannot read the length, before it asks us. The first one says how
    /// long the answer is and that the connection ends with it, so a reader finds one answer.
    let isTwice: Bool

    var testDescription: String { what }

    init(_ what: String, _ text: String, _ status: Int? = 400, isTwice: Bool = false) {
        self.isTwice = isTwice
        self.what = what
        self.text = text
        self.status = status
    }

    private static let next = "GET /second HTTP/1.1\r\nHost: t\r\n\r\n"

    /// A request with these fields and content, and bytes that could be parsed as a second request.
    private static func post(_ fields: String, _ content: String = "0\r\n\r\n") -> String {
        "POST / HTTP/1.1\r\nHost: t\r\n\(fields)\r\n\r\n\(content)\(next)"
    }

    static let all = [
        // The length of the content.
        OddMessage(
            "Transfer-Encoding and Content-Length",
            post("Transfer-Encoding: chunked\r\nContent-Length: 5")),
        OddMessage(
            "Content-Length and Transfer-Encoding",
            post("Content-Length: 5\r\nTransfer-Encoding: chunked")),
        OddMessage("two lengths", post("Content-Length: 5\r\nContent-Length: 0")),
        OddMessage("two equal lengths", post("Content-Length: 5\r\nContent-Length: 5")),
        OddMessage("a list of lengths", post("Content-Length: 5, 5"), isTwice: true),
        OddMessage("a length with a sign", post("Content-Length: +5"), isTwice: true),
        OddMessage("a negative length", post("Content-Length: -5"), isTwice: true),
        OddMessage("a hexadecimal length", post("Content-Length: 0x5"), isTwice: true),
        OddMessage("a length with a space", post("Content-Length: 5 0"), isTwice: true),
        OddMessage("no length in the field", post("Content-Length:"), isTwice: true),
        OddMessage(
            "a length of 30 digits", post("Content-Length: " + String(repeating: "9", count: 30)),
            413, isTwice: true),
        OddMessage(
            "a length of 2^64", post("Content-Length: 18446744073709551616"), 413, isTwice: true),
        OddMessage("a length of 2^64 - 1", post("Content-Length: 18446744073709551615"), 413),
        // Another coding than none.
        OddMessage("an unknown coding", post("Transfer-Encoding: gzip"), 501),
        OddMessage("two codings", post("Transfer-Encoding: gzip, chunked"), 501),
        OddMessage("chunked in the middle", post("Transfer-Encoding: chunked, identity"), 501),
        OddMessage("identity", post("Transfer-Encoding: identity"), 501),
        OddMessage(
            "two fields with codings",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"), 501),
        OddMessage("chunked with a vertical tab", post("Transfer-Encoding: \u{0b}chunked")),
        OddMessage("chunked in quotes", post("Transfer-Encoding: \"chunked\""), 501),
        OddMessage("no coding in the field", post("Transfer-Encoding:"), 501),
        OddMessage(
            "chunked in HTTP/1.0",
            "POST / HTTP/1.0\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(next)"),
        // Lines.
        OddMessage("white space before the colon", post("Content-Length : 5")),
        OddMessage("a tab before the colon", post("Transfer-Encoding\t: chunked")),
        OddMessage("a value that goes on in the next line", post("X-One: 1\r\n Content-Length: 5")),
        OddMessage("a name that goes on in the next line", post("Transfer-: chunked\r\n Encoding")),
        OddMessage(
            "a first field that begins with a space", "GET / HTTP/1.1\r\n Host: t\r\n\r\n\(next)"),
        OddMessage("LF alone after a field", post("X-One: 1\nContent-Length: 5")),
        OddMessage("LF alone after the first line", "GET / HTTP/1.1\nHost: t\r\n\r\n\(next)"),
        OddMessage("LF alone at the end of the head", "GET / HTTP/1.1\r\nHost: t\r\n\n\(next)"),
        OddMessage("LF alone everywhere", "GET / HTTP/1.1\nHost: t\n\n\(next)"),
        OddMessage("CR alone in a value", post("X-One: 1\rContent-Length: 5")),
        OddMessage("CR CR LF", "GET / HTTP/1.1\r\nHost: t\r\r\n\r\n\(next)"),
        OddMessage("NUL in a value", post("X-One: 1\u{0}2")),
        OddMessage("NUL in a name", post("X-O\u{0}ne: 1")),
        OddMessage("NUL in the length", post("Content-Length: 5\u{0}0")),
        OddMessage("NUL like the end of a line", post("X-One: 1\u{0}\u{0}Content-Length\u{0} 5")),
        OddMessage("NUL like a colon", post("X-One\u{0} 1")),
        OddMessage("NUL in the target", "GET /\u{0} HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("NUL in the method", "G\u{0}ET / HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("NUL in the version", "GET / HTTP/1.\u{0}1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("NUL first", "\u{0}GET / HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("DEL in a value", post("X-One: \u{7f}")),
        OddMessage("an escape in a value", post("X-One: \u{1b}[0m")),
        OddMessage("no colon", post("Content-Length 5")),
        OddMessage("no name", post(": 5")),
        OddMessage("a name with a letter that is not ASCII", post("Contént-Length: 5")),
        OddMessage("a name in parentheses", post("(Content-Length): 5")),
        // The first line.
        OddMessage("a target with a space", "GET /a b HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("two spaces before the target", "GET  / HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("two spaces before the version", "GET /  HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("a space after the version", "GET / HTTP/1.1 \r\nHost: t\r\n\r\n\(next)"),
        OddMessage("a tab in the first line", "GET\t/ HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("a target that is not ASCII", "GET /é HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("a method with a colon", "GE:T / HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("a space first", " GET / HTTP/1.1\r\nHost: t\r\n\r\n\(next)", nil),
        OddMessage("no target", "GET\r\nHost: t\r\n\r\n\(next)", nil),
        OddMessage("no version", "GET /\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("an unknown version", "GET / HTTP/1.x\r\nHost: t\r\n\r\n\(next)"),
        OddMessage("HTTP/0.9", "GET / HTTP/0.9\r\nHost: t\r\n\r\n\(next)", 505),
        OddMessage("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        OddMessage("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\r\n\r\n", nil),
        // The target as a URL.
        OddMessage("a URL without a host", "GET http:///a HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        OddMessage(
            "a URL with a user", "GET http://a@t/ HTTP/1.1\r\nHost: t\r\n\r\n\(next)"),
        // The host.
        OddMessage("no host", "GET / HTTP/1.1\r\n\r\n\(next)"),
        OddMessage("two hosts", "GET / HTTP/1.1\r\nHost: t\r\nHost: u\r\n\r\n\(next)"),
        // Expectations.
        OddMessage("an unknown expectation", post("Expect: 200-maybe\r\nContent-Length: 5"), 417),
    ]
}

@Suite("Framing")
struct FramingTests {
    @Test("A malformed request is refused, and nothing after it is read", arguments: OddMessage.all)
    func refused(_ message: OddMessage) throws {
        let handler = TestHandler()
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let client = try TestClient(port: server.port)
        client.send(message.text)
        if let status = message.status {
            let answer = try #require(client.response())
            #expect(answer.status == status)
            #expect(answer.values("Connection").map { $0.lowercased() } == ["close"])
        }
        let rest = client.receiveAll()
        #expect(rest.isEmpty || message.isTwice && !rest.contains("HTTP/1.1 2"), "\(rest)")
        #expect(handler.requests.isEmpty)
        // The server serves others as before.
        #expect(try TestClient(port: server.port).get("/")?.status == 200)
    }
}

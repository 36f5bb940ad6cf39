@testable import HTTPClient
import Testing

@Suite("Web addresses")
struct WebURLTests {
    @Test(
        "Two spellings are one address",
        arguments: [
            ("HTTPS://Auth.Example.ORG:443", "https://auth.example.org/"),
            ("https://auth.example.org", "https://auth.example.org/"),
            ("https://a.example:0443/", "https://a.example/"),
            ("http://LOCALHOST:80/a?b=c", "http://localhost/a?b=c"),
            ("https://a.example:8443?q", "https://a.example:8443/?q"),
            ("https://[2001:DB8:0:0::1]:443/x", "https://[2001:db8::1]/x"),
            ("https://[0:0:0:0:0:0:0:1]:9/", "https://[::1]:9/"),
            ("https://xn--bcher-kva.example/%c3%a4", "https://xn--bcher-kva.example/%C3%A4"),
            ("https://192.0.2.1/a//b/", "https://192.0.2.1/a//b/"),
        ])
    func canonical(_ text: String, _ expected: String) throws {
        let url = try WebURL(text)
        #expect(url.description == expected)
        #expect(try WebURL(expected) == url)
    }

    @Test("An address has its parts")
    func parts() throws {
        let url = try WebURL("https://[::1]:8443/a/b?c=d?e")
        #expect(url.scheme == .https)
        #expect(url.host == "::1")
        #expect(url.port == 8_443)
        #expect(url.path == "/a/b")
        #expect(url.query == "c=d?e")
        #expect(url.origin == "https://[::1]:8443")
        #expect(try WebURL("https://a.example/").port == 443)
        #expect(try WebURL("https://a.example/?").query == "")
        #expect(try url.replacing(target: "/x?y").description == "https://[::1]:8443/x?y")
        #expect(throws: HTTPClientError.address(.pathNotAllowed)) {
            try url.replacing(target: "@evil.example/")
        }
        #expect(throws: HTTPClientError.address(.pathNotAllowed)) { try url.replacing(target: "") }
    }

    @Test(
        "Ambiguous addresses are refused",
        arguments: [
            ("", .schemeNotSupported), ("auth.example", .schemeNotSupported),
            ("ftp://a.example/", .schemeNotSupported), ("https:/a.example", .schemeNotSupported),
            ("https:a.example", .schemeNotSupported), ("file:///etc/passwd", .schemeNotSupported),
            (" https://a.example", .schemeNotSupported),
            ("https://user@a.example/", .userInformation),
            ("https://user:word@a.example/", .userInformation),
            ("https://@a.example/", .userInformation),
            ("https://a.example/#top", .fragment), ("https://a.example#@b.example", .fragment),
            ("https://", .hostNotAllowed), ("https:///path", .hostNotAllowed),
            ("https://a..example/", .hostNotAllowed), ("https://a.example./", .hostNotAllowed),
            ("https://.example/", .hostNotAllowed), ("https://-a.example/", .hostNotAllowed),
            ("https://a-.example/", .hostNotAllowed), ("https://a_b.example/", .hostNotAllowed),
            ("https://b\u{fc}cher.example/", .hostNotAllowed),
            ("https://a.example\\b/", .hostNotAllowed), ("https://a%2eexample/", .hostNotAllowed),
            ("https://a b/", .hostNotAllowed), ("https://a\u{0}b/", .hostNotAllowed),
            ("https://127.1/", .hostNotAllowed), ("https://2130706433/", .hostNotAllowed),
            ("https://0x7f000001/", .hostNotAllowed), ("https://127.0.0.0x1/", .hostNotAllowed),
            ("https://0x7f.0.0.1/", .hostNotAllowed), ("https://127.0.0.01/", .hostNotAllowed),
            ("https://127.0.0.256/", .hostNotAllowed), ("https://1.2.3.4.5/", .hostNotAllowed),
            ("https://[::1/", .hostNotAllowed), ("https://[::1%25lo]/", .hostNotAllowed),
            ("https://[127.0.0.1]/", .hostNotAllowed), ("https://::1/", .hostNotAllowed),
            ("https://[::1\u{0}]/", .hostNotAllowed),
            ("https://a.example:/", .portNotAllowed), ("https://a.example:0/", .portNotAllowed),
            ("https://a.example:65536/", .portNotAllowed),
            ("https://a.example:+1/", .portNotAllowed), ("https://[::1]9/", .portNotAllowed),
            ("https://a.example:1:2/", .portNotAllowed),
            ("https://a.example/a b", .pathNotAllowed),
            ("https://a.example/\r\nX", .pathNotAllowed),
            ("https://a.example/\u{e4}", .pathNotAllowed),
            ("https://a.example/%4", .pathNotAllowed),
            ("https://a.example/%zz", .pathNotAllowed), ("https://a.example/a\\b", .pathNotAllowed),
            ("https://a.example/a/../b", .pathNotAllowed), ("https://a.example/.", .pathNotAllowed),
            ("https://a.example/%2E%2e/b", .pathNotAllowed),
            ("https://a.example/.%2e", .pathNotAllowed),
            ("https://a.example/?a b", .pathNotAllowed),
        ] as [(String, HTTPClientError.AddressProblem)])
    func refused(_ text: String, _ problem: HTTPClientError.AddressProblem) {
        #expect(throws: HTTPClientError.address(problem)) { try WebURL(text) }
    }

    @Test("2,048 bytes are the maximum, also in canonical form")
    func size() throws {
        let prefix = "https://a.example/"
        let rest = String(repeating: "a", count: WebURL.maximumSize - prefix.utf8.count)
        #expect(try WebURL(prefix + rest).description == prefix + rest)
        #expect(throws: HTTPClientError.address(.tooLong)) { try WebURL(prefix + rest + "a") }
        #expect(throws: HTTPClientError.address(.tooLong)) {
            // The slash comes in addition.
            try WebURL("https://a.example?" + rest)
        }
        let label = String(repeating: "a", count: 63)
        #expect(try WebURL("https://\(label).example/").host == "\(label).example")
        #expect(throws: HTTPClientError.address(.hostNotAllowed)) {
            try WebURL("https://\(label)a.example/")
        }
        let long = Array(repeating: label, count: 4).joined(separator: ".")
        #expect(throws: HTTPClientError.address(.hostNotAllowed)) { try WebURL("https://\(long)/") }
    }

    @Test("Names of this machine are recognised")
    func loopback() throws {
        for host in ["localhost", "LocalHost", "127.0.0.1", "127.255.1.2", "[::1]"] {
            #expect(try WebURL("http://\(host)/").isLoopback, "\(host)")
        }
        for host in [
            "128.0.0.1", "localhost.example", "127.0.0.1.example", "[::2]", "0.0.0.0", "10.0.0.1",
            "[::ffff:127.0.0.1]", "127.example", "[::]",
        ] {
            #expect(try !WebURL("http://\(host)/").isLoopback, "\(host)")
        }
    }
}

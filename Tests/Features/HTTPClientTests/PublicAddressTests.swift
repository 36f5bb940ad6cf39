import CCurl
import Foundation
@testable import HTTPClient
import HTTPServer
import Platform
import Synchronization
import SecretMemory
import Testing
import TestSupport

@Suite("Addresses of the public Internet")
struct PublicAddressTests {
    private func isPublic(_ text: String) -> Bool {
        var inet = sockaddr_in()
        inet.sin_family = sa_family_t(AF_INET)
        if unsafe inet_pton(AF_INET, text, &inet.sin_addr) == 1 {
            return unsafe withUnsafePointer(to: &inet) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe ccurl_is_public($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var inet6 = sockaddr_in6()
        inet6.sin6_family = sa_family_t(AF_INET6)
        guard unsafe inet_pton(AF_INET6, text, &inet6.sin6_addr) == 1 else { return false }
        return unsafe withUnsafePointer(to: &inet6) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe ccurl_is_public($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    @Test(
        "are told from others",
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.1", "10.255.255.255", "100.64.0.1",
            "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1",
            "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1",
            "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
            "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1",
            "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:169.254.169.254",
            "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1", "fc00::1", "fdff::1", "fe80::1", "fec0::1", "ff02::1", "4000::1",
        ])
    func others(address: String) { #expect(!isPublic(address)) }

    @Test(
        "are public",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.0.0.1",
            "128.0.0.1", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
            "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1", "2001:4860:4860::8888", "2606:4700::1111", "2a00::1",
            "3ffe:ffff::1",
        ])
    func publicOnes(address: String) { #expect(isPublic(address)) }

    @Test(
        "are the only ones where others are not allowed, whatever a resolver says",
        arguments: [
            "127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "[::1]", "[fe80::1]",
            "[::ffff:127.0.0.1]", "224.0.0.1", "0.0.0.0",
        ])
    func resolver(address: String) throws {
        var options = HTTPClientOptions(connectingTimeout: .seconds(60))
        options.onlyPublicAddresses = true
        options.resolutions = ["pictures.example:443:\(address)"]
        let client = try HTTPClient(options)
        #expect(throws: HTTPClientError.notPublic) {
            _ = try client.get(try WebURL("https://pictures.example/a.png"))
        }
    }

    @Test("also if the address itself names this machine")
    func ownAddress() throws {
        var options = HTTPClientOptions()
        options.onlyPublicAddresses = true
        for url in ["https://127.0.0.1:9/", "https://localhost:9/", "https://[::1]:9/"] {
            #expect(throws: HTTPClientError.notPublic) {
                _ = try HTTPClient(options).get(try WebURL(url))
            }
        }
        #expect(throws: HTTPClientError.plainHTTP) {
            _ = try HTTPClient(options).get(try WebURL("http://a.example/"))
        }
    }
}

/// The port of a server, which its answers name.
private final class KnownPort: Sendable {
    let number = Mutex<UInt16>(0)
}

@Suite(
    "A file that is loaded by https", .enabled(if: TestAuthority.isAvailable, "needs openssl"),
    .waitsForProcesses)
struct FollowedRedirectionTests {
    /// Runs `body` with a server that answers each path by a function.
    private func withAnswers(
        following redirections: Int = 5,
        _ answer: @escaping @Sendable (String, UInt16) -> HTTPResponse,
        _ body: (HTTPClient, UInt16, TestHandler) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            let port = KnownPort()
            let handler = TestHandler { request in
                answer(request.path, port.number.withLock { $0 })
            }
            try withServer(try authority.identity(), handler) { server in
                port.number.withLock { $0 = server.port }
                var options = HTTPClientOptions(
                    authorities: .file(authority.file), maximumContentSize: 5_242_880)
                options.redirections = redirections
                options.deadline = .now + .seconds(600)
                try body(try HTTPClient(options), server.port, handler)
            }
        }
    }

    private func redirection(_ target: String) -> HTTPResponse {
        HTTPResponse(
            status: 302, headers: HTTPHeaders([HTTPHeaders.Field("Location", target)]))
    }

    @Test("follows redirections to https, up to a number")
    func follows() throws {
        try withAnswers { path, port in
            switch path {
            case "/a": redirection("/b")
            case "/b": redirection("https://localhost:\(port)/c")
            case "/loop": redirection("/loop")
            case "/plain": redirection("http://localhost:\(port)/c")
            case "/file": redirection("file:///etc/passwd")
            case "/folder/a": redirection("b")
            case "/folder/b": redirection("c/d#top")
            case "/folder/c/d": HTTPResponse(status: 200, body: Array("beside".utf8))
            case "/folder/up": redirection("./../c/./d/../e?a=../b")
            case "/c/e": HTTPResponse(status: 200, body: Array("above".utf8))
            case "/folder/escaped": redirection("%2e%2E/b")
            default: HTTPResponse(status: 200, body: Array("picture".utf8))
            }
        } _: { client, port, handler in
            let url = "https://127.0.0.1:\(port)"
            let found = PlainResponse(try client.get(try WebURL(url + "/a")))
            #expect(found.content == "picture")
            #expect(handler.requests.count == 3)
            let refused: [(path: String, host: String?)] = [
                ("/loop", "127.0.0.1"), ("/plain", "localhost"), ("/file", nil),
            ]
            for (path, host) in refused {
                #expect(throws: HTTPClientError.redirected(status: 302, host: host), "\(path)") {
                    _ = try client.get(try WebURL(url + path))
                }
            }
            #expect(handler.requests.count == 3 + 6 + 2)
            let beside = PlainResponse(
                try client.get(try WebURL(url + "/folder/a")))
            #expect(beside.content == "beside")
            let above = PlainResponse(
                try client.get(try WebURL(url + "/folder/up")))
            #expect(above.content == "above" && handler.requests.last?.query == "a=../b")
            #expect(throws: HTTPClientError.redirected(status: 302, host: nil)) {
                _ = try client.get(try WebURL(url + "/folder/escaped"))
            }
        }
    }

    @Test("is not looked for beyond that number")
    func limit() throws {
        try withAnswers(following: 1) { path, _ in
            path == "/c" ? HTTPResponse(status: 200) : self.redirection(path == "/a" ? "/b" : "/c")
        } _: { client, port, handler in
            let url = "https://127.0.0.1:\(port)"
            let found = PlainResponse(try client.get(try WebURL(url + "/b")))
            #expect(found.status == 200)
            #expect(throws: HTTPClientError.redirected(status: 302, host: "127.0.0.1")) {
                _ = try client.get(try WebURL(url + "/a"))
            }
            #expect(handler.requests.map(\.path) == ["/b", "/c", "/a", "/b"])
        }
    }

    @Test("of 1 GB is not read")
    func huge() throws {
        let server = try TestServer { connection in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            for _ in 0..<100 where !connection.send(String(repeating: "x", count: 65_536)) {
                return
            }
        }
        defer { server.stop() }
        let client = try HTTPClient(HTTPClientOptions(maximumContentSize: 5_242_880))
        #expect(throws: HTTPClientError.contentTooLarge) {
            _ = try client.get("http://127.0.0.1:\(server.port)/")
        }
        // Without a size, it ends at the limit.
        let endless = try TestServer { connection in
            _ = connection.request()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
            for _ in 0..<200 where !connection.send(chunk) { return }
        }
        defer { endless.stop() }
        #expect(throws: HTTPClientError.contentTooLarge) {
            _ = try client.get("http://127.0.0.1:\(endless.port)/")
        }
    }

    @Test("An answer that is unchanged has no content, and its tag")
    func unchanged() throws {
        let server = try TestServer(
            answering: "HTTP/1.1 304 Not Modified\r\nETag: \"3\"\r\n\r\n")
        defer { server.stop() }
        let response = try HTTPClient().send(
            ClientRequest(
                get: try WebURL("http://127.0.0.1:\(server.port)/"),
                fields: [ClientRequest.Field("If-None-Match", "\"3\"")]))
        let (status, etag, size) = (response.status, response.etag, response.content.count)
        #expect(status == 304 && etag == "\"3\"" && size == 0)
    }

    @Test("A request that waits is ended by a descriptor")
    func stopped() throws {
        let pipe = try SystemPipe(isBlocking: false)
        let server = try TestServer { connection in
            _ = connection.request()
            pipe.signal()
            // Until the client goes.
            _ = connection.request()
        }
        defer { server.stop() }
        var options = HTTPClientOptions(timeout: .seconds(600))
        options.stopDescriptor = pipe.reader
        let client = try HTTPClient(options)
        #expect(throws: HTTPClientError.self) {
            _ = try client.get("http://127.0.0.1:\(server.port)/")
        }
    }
}

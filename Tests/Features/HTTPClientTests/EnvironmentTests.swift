import Foundation
@testable import HTTPClient
import HTTPServer
import SecretMemory
import Testing
import TestSupport

@Suite(
    "The environment", .enabled(if: TestAuthority.isAvailable, "needs openssl"), .waitsForProcesses)
struct EnvironmentTests {
    /// The output of a separate process for an address.
    private func ask(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> String {
        let clean = [
            "https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY", "no_proxy",
            "NO_PROXY",
        ].map { ($0, "") }
        let result = try TestProgram.run(
            BuiltExecutable.path(of: "TestTools"), ["http"] + arguments,
            environment: Dictionary(uniqueKeysWithValues: clean).merging(environment) { $1 })
        return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    @Test("TLS session keys are not written")
    func keyLog() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            try withServer(try authority.identity()) { server in
                let log = "\(folder)/keys"
                let answer = try ask(
                    "get", "https://127.0.0.1:\(server.port)/", authority.file,
                    environment: ["SSLKEYLOGFILE": log])
                #expect(answer == "200 hello")
                #expect(!FileManager.default.fileExists(atPath: log))
            }
        }
    }

    @Test("A proxy is used for other machines, and gets only the name")
    func proxy() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            let identity = try authority.identity("DNS:vault.example")
            let handler = TestHandler()
            try withServer(identity, handler) { server in
                let port = server.port
                let proxy = try TestServer { connection in
                    guard connection.request() != nil else { return }
                    connection.send("HTTP/1.1 200 OK\r\nX-Proxy: \u{1b}\r\n\r\n")
                    connection.relay(to: port)
                }
                defer { proxy.stop() }
                let address = "http://127.0.0.1:\(proxy.port)"
                for name in ["https_proxy", "HTTPS_PROXY", "all_proxy"] {
                    let answer = try ask(
                        "authorized", "https://vault.example/path", authority.file,
                        environment: [name: address])
                    #expect(answer == "200 hello", "\(name)")
                }
                #expect(proxy.connections == 3)
                #expect(
                    handler.requests.map { $0.headers.values("Authorization") }
                        == Array(repeating: ["Bearer probe"], count: 3))
                for request in proxy.received {
                    #expect(request.hasPrefix("CONNECT vault.example:443 HTTP/1.1\r\n"))
                    #expect(!request.contains("/path") && !request.contains("Bearer"))
                }
            }
        }
    }

    @Test("A proxy cannot impersonate the server, and its refusal is reported")
    func badProxy() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            try withServer(try authority.identity("DNS:other.example")) { server in
                let port = server.port
                let proxy = try TestServer { connection in
                    guard connection.request() != nil else { return }
                    connection.send("HTTP/1.1 200 OK\r\n\r\n")
                    connection.relay(to: port)
                }
                defer { proxy.stop() }
                let refusing = try TestServer(
                    answering: "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
                defer { refusing.stop() }
                for (port, error) in [
                    (
                        proxy.port,
                        "certificate(HTTPClient.HTTPClientError.CertificateProblem.otherName)"
                    ),
                    (refusing.port, "proxyFailed(status: Optional(403))"),
                ] {
                    let answer = try ask(
                        "get", "https://vault.example/", authority.file,
                        environment: ["https_proxy": "http://127.0.0.1:\(port)"])
                    #expect(answer == error)
                }
                let answer = try ask(
                    "get", "https://vault.example/", authority.file,
                    environment: ["https_proxy": "http://no-such-host.invalid:3128"])
                #expect(answer == "proxyFailed(status: nil)")
            }
        }
    }

    @Test("A proxy is never used for this machine")
    func loopback() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            let proxy = try TestServer { _ in }
            defer { proxy.stop() }
            var environment: [String: String] = [:]
            for name in ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"] {
                environment[name] = "http://127.0.0.1:\(proxy.port)"
            }
            for (identity, scheme) in [(try authority.identity(), "https"), (nil, "http")] {
                try withServer(identity) { server in
                    for host in ["127.0.0.1", "localhost"] {
                        let answer = try ask(
                            "get", "\(scheme)://\(host):\(server.port)/", authority.file,
                            environment: environment)
                        #expect(answer == "200 hello", "\(scheme)://\(host)")
                    }
                }
            }
            #expect(proxy.connections == 0)
        }
    }

    @Test(".netrc and .curlrc are ignored")
    func netrc() throws {
        try withTemporaryFolder { folder in
            try Data("default login ada password abc\n".utf8).write(
                to: URL(filePath: "\(folder)/.netrc"))
            try Data("user = ada:abc\n".utf8).write(to: URL(filePath: "\(folder)/.curlrc"))
            let handler = TestHandler()
            try withServer(nil, handler) { server in
                let answer = try ask(
                    "get", "http://127.0.0.1:\(server.port)/", environment: ["HOME": folder])
                #expect(answer == "200 hello")
            }
            #expect(handler.requests.first?.headers.values("Authorization") == [])
        }
    }

    @Test("Cookies are not kept")
    func cookies() throws {
        let server = try TestServer { connection in
            while connection.request() != nil {
                connection.send(
                    "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nStrict-Transport-Security: max-age=99\r\n"
                        + "Alt-Svc: h2=\":1\"\r\nContent-Length: 0\r\n\r\n")
            }
        }
        defer { server.stop() }
        let client = try HTTPClient()
        for _ in 0..<2 { _ = try client.get("http://localhost:\(server.port)/") }
        #expect(server.received.joined().components(separatedBy: "GET /").count == 3)
        #expect(!server.received.joined().contains("Cookie"))
    }

    #if os(Linux)
        @Test(
            "No secret of an exchange stays in unguarded memory",
            .disabled(if: Sanitizer.isActive, "a sanitizer keeps what was freed"))
        func memory() throws {
            try withTemporaryFolder { folder in
                let authority = try TestAuthority(in: folder)
                // Letters that no other part of the process has.
                let answer = String(
                    (0..<6_000).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "a" })
                let handler = TestHandler { _ in
                    HTTPResponse(status: 200, body: Array(answer.utf8))
                }
                try withServer(try authority.identity(), handler) { server in
                    let text = try ask(
                        "memory", "https://127.0.0.1:\(server.port)/", authority.file)
                    let lines = text.split(separator: "\n")
                    #expect(lines.contains("answer has 6000"), "\(text)")
                    #expect(lines.contains("answer 5993 true"), "\(text)")
                    #expect(lines.contains("authorization 0 true"), "\(text)")
                    #expect(lines.contains("content 0 true"), "\(text)")
                }
                #expect(handler.requests.first?.body.count == 500)
            }
        }
    #endif
}

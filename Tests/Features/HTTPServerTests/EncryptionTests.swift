import Foundation
@testable import HTTPServer
import Testing
import TestSupport

@Suite("TLS", .enabled(if: TestIdentities.isAvailable, "openssl makes the certificates"))
struct EncryptionTests {
    /// A client of another make, connected and with its handshake done.
    private func connect(_ server: HTTPServer, _ folder: String, _ arguments: String...) throws
        -> TestProgram
    {
        try TestProgram(
            TestIdentities.openssl,
            [
                "s_client", "-connect", "127.0.0.1:\(server.port)", "-CAfile", "\(folder)/ca.pem",
                "-verify_return_error", "-verify_ip", "127.0.0.1", "-ign_eof", "-prexit",
            ] + arguments)
    }

    private func get(_ path: String, closing: Bool = true) -> String {
        "GET \(path) HTTP/1.1\r\nHost: t\r\n\(closing ? "Connection: close\r\n" : "")\r\n"
    }

    @Test("Requests are encrypted", arguments: ["-tls1_2", "-tls1_3"])
    func versions(_ version: String) throws {
        try withTemporaryFolder { folder in
            let handler = TestHandler { request in
                .later({ .describing(request) }, overload: .text("overload", status: 503))
            }
            let identity = try TestIdentities(in: folder).make("first")
            let server = try HTTPServer(HTTPServerOptions(identity: identity), handler)
            defer { server.stop(within: .zero) }
            let client = try connect(server, folder, version)
            try client.write(get("/secret"))
            let answer = client.read(until: "GET /secret - ")
            #expect(answer.contains("GET /secret - "))
            #expect(answer.contains("CN = first"))
            #expect(handler.requests.first?.isEncrypted == true)
        }
    }

    @Test(
        "Old versions and weak suites are refused",
        arguments: [
            ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"],
            ["-tls1", "-cipher", "DEFAULT@SECLEVEL=0"],
            ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],
            ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"],
            ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA"],
        ])
    func weak(_ arguments: [String]) throws {
        try withTemporaryFolder { folder in
            let handler = TestHandler()
            let identity = try TestIdentities(in: folder).make("first")
            let server = try HTTPServer(HTTPServerOptions(identity: identity), handler)
            defer { server.stop(within: .zero) }
            let client = try TestProgram(
                TestIdentities.openssl,
                ["s_client", "-connect", "127.0.0.1:\(server.port)"] + arguments)
            let output = try client.finish()
            #expect(output.contains("no peer certificate available"), "\(output)")
            #expect(handler.requests.isEmpty)
        }
    }

    @Test("A client without TLS, or a silent one, gets no answer")
    func plain() throws {
        try withTemporaryFolder { folder in
            let handler = TestHandler()
            let identity = try TestIdentities(in: folder).make("first")
            let options = HTTPServerOptions(identity: identity, timeout: .seconds(2))
            let server = try HTTPServer(options, handler)
            defer { server.stop(within: .zero) }
            #expect(try TestClient(port: server.port).isClosed())
            #expect(server.counters.timedOutConnections == 1)
            let plain = try TestClient(port: server.port)
            plain.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(!plain.receiveAll().contains("HTTP"))
            #expect(handler.requests.isEmpty)
        }
    }

    @Test("Another certificate is loaded, and older connections stay")
    func reload() throws {
        try withTemporaryFolder { folder in
            let identities = try TestIdentities(in: folder)
            let handler = TestHandler()
            let server = try HTTPServer(
                HTTPServerOptions(identity: try identities.make("first")), handler)
            let client = try connect(server, folder)
            try client.write(get("/one", closing: false))
            let answer = client.read(until: "GET /one - ")
            #expect(answer.contains("CN = first"))
            try server.reload(identities.make("second"))
            let other = try connect(server, folder)
            try other.write(get("/two"))
            #expect(other.read(until: "GET /two - ").contains("CN = second"))
            try client.write(get("/three"))
            #expect(client.read(until: "GET /three - ").contains("GET /three - "))
            server.stop(within: .seconds(120))
            #expect(Set(handler.notes.map(\.path)) == ["/one", "/two", "/three"])
            #expect(throws: HTTPServerError.stopped) { try server.reload(identities.make("third")) }
        }
    }

    @Test("Daemons with older certificates end with their last connection")
    func manyReloads() throws {
        try withTemporaryFolder { folder in
            let identities = try TestIdentities(in: folder)
            let identity = try identities.make("first")
            let options = HTTPServerOptions(identity: identity)
            let server = try HTTPServer(options, TestHandler())
            defer { server.stop(within: .zero) }
            for _ in 0..<10 { try server.reload(identity) }
            try #require(until { server.olderDaemons <= 0 })
            let client = try connect(server, folder)
            try client.write(get("/one"))
            #expect(client.read(until: "GET /one - ").contains("GET /one - "))
        }
    }

    @Test("An unusable certificate changes nothing")
    func badReload() throws {
        try withTemporaryFolder { folder in
            let identities = try TestIdentities(in: folder)
            let first = try identities.make("first")
            let second = try identities.make("second")
            let bad = [
                TLSIdentity(certificate: first.certificate, key: second.key),
                TLSIdentity(certificate: [], key: first.key),
                TLSIdentity(certificate: Array("no certificate".utf8), key: first.key),
                TLSIdentity(certificate: first.certificate, key: RequestBody([])),
                TLSIdentity(certificate: first.certificate, key: RequestBody(Array("no key".utf8))),
                TLSIdentity(certificate: Array(first.certificate.dropLast(60)), key: first.key),
            ]
            let server = try HTTPServer(HTTPServerOptions(identity: first), TestHandler())
            defer { server.stop(within: .zero) }
            for identity in bad {
                #expect(throws: HTTPServerError.identityRefused) { try server.reload(identity) }
                #expect(throws: HTTPServerError.identityRefused) {
                    try HTTPServer(HTTPServerOptions(identity: identity), TestHandler())
                }
            }
            let client = try connect(server, folder)
            try client.write(get("/one"))
            #expect(client.read(until: "GET /one - ").contains("CN = first"))
        }
    }

    @Test("A server without TLS refuses a certificate")
    func notEncrypted() throws {
        try withTemporaryFolder { folder in
            let server = try HTTPServer(HTTPServerOptions(), TestHandler())
            defer { server.stop(within: .zero) }
            let identity = try TestIdentities(in: folder).make("first")
            #expect(throws: HTTPServerError.notEncrypted) { try server.reload(identity) }
        }
    }
}

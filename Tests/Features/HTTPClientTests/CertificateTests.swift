import Foundation
@testable import HTTPClient
import HTTPServer
import Testing
import TestSupport

@Suite(
    "A server's certificate", .enabled(if: TestAuthority.isAvailable, "needs openssl"),
    .waitsForProcesses)
struct CertificateTests {
    private func options(_ authority: TestAuthority) -> HTTPClientOptions {
        HTTPClientOptions(authorities: .file(authority.file))
    }

    @Test("is accepted from a given authority, as file and as bytes")
    func accepted() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            try withServer(try authority.identity()) { server in
                let bytes = [UInt8](try Data(contentsOf: URL(filePath: authority.file)))
                for given in [
                    HTTPClientOptions.Authorities.file(authority.file), .bytes(bytes),
                ] {
                    let client = try HTTPClient(HTTPClientOptions(authorities: given))
                    #expect(try client.get("https://127.0.0.1:\(server.port)/").content == "hello")
                    #expect(try client.get("https://localhost:\(server.port)/").content == "hello")
                }
            }
        }
    }

    @Test("of an unknown authority is refused before anything is sent")
    func unknown() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            let other = try TestAuthority("other", in: folder)
            let handler = TestHandler()
            try withServer(try authority.identity(), handler) { server in
                for options in [HTTPClientOptions(), options(other)] {
                    #expect(throws: HTTPClientError.certificate(.unknownAuthority)) {
                        try HTTPClient(options).get("https://127.0.0.1:\(server.port)/")
                    }
                }
            }
            #expect(handler.requests.isEmpty)
        }
    }

    @Test("for another name is refused", arguments: ["DNS:other.example", "IP:127.0.0.2"])
    func otherName(_ name: String) throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            let handler = TestHandler()
            try withServer(try authority.identity(name), handler) { server in
                for host in ["127.0.0.1", "localhost"] {
                    #expect(throws: HTTPClientError.certificate(.otherName)) {
                        try HTTPClient(options(authority)).get("https://\(host):\(server.port)/")
                    }
                }
            }
            #expect(handler.requests.isEmpty)
        }
    }

    @Test("that has expired is refused")
    func expired() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            try withServer(try authority.identity(days: -1)) { server in
                #expect(throws: HTTPClientError.certificate(.expired)) {
                    try HTTPClient(options(authority)).get("https://127.0.0.1:\(server.port)/")
                }
            }
        }
    }

    @Test("must have the name of the address, not of this machine")
    func names() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            try withServer(try authority.identity("DNS:vault.example")) { server in
                var options = options(authority)
                options.resolutions = [
                    "vault.example:\(server.port):127.0.0.1",
                    "task.example:\(server.port):127.0.0.1",
                ]
                let client = try HTTPClient(options)
                #expect(try client.get("https://vault.example:\(server.port)/").content == "hello")
                #expect(throws: HTTPClientError.certificate(.otherName)) {
                    try client.get("https://task.example:\(server.port)/")
                }
            }
        }
    }

    @Test("needs a pinned key, if there are any, and a known authority")
    func pins() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            let identity = try authority.identity()
            let pin = try PinnedKey(try authority.pin())
            let wrong = try PinnedKey("sha256//" + String(repeating: "A", count: 43) + "=")
            let handler = TestHandler()
            try withServer(identity, handler) { server in
                let url = "https://127.0.0.1:\(server.port)/"
                var options = options(authority)
                options.pinnedKeys = [wrong]
                #expect(throws: HTTPClientError.certificate(.keyNotPinned)) {
                    try HTTPClient(options).get(url)
                }
                #expect(handler.requests.isEmpty)
                options.pinnedKeys = [wrong, pin]
                let response = try HTTPClient(options).get(url)
                #expect(response.content == "hello")
                #expect(throws: HTTPClientError.certificate(.unknownAuthority)) {
                    try HTTPClient(HTTPClientOptions(pinnedKeys: [pin])).get(url)
                }
            }
        }
    }

    @Test(
        "has a pin in the form of libcurl",
        arguments: [
            "", "sha256//", "sha256//AAAA", "sha1//" + String(repeating: "A", count: 43) + "=",
            "sha256//" + String(repeating: "A", count: 44),
            "sha256//" + String(repeating: "A", count: 42) + "B=",
            "sha256//" + String(repeating: "A", count: 42) + ";=",
            "/etc/passwd",
        ])
    func malformedPin(_ text: String) {
        #expect(throws: HTTPClientError.pinnedKeyMalformed) { try PinnedKey(text) }
    }

    @Test("Unreadable or invalid authorities are an error before any connection")
    func authorities() throws {
        try withTemporaryFolder { folder in
            let garbage = "\(folder)/garbage"
            func expect(_ error: HTTPClientError, _ given: HTTPClientOptions.Authorities) {
                #expect(throws: error) { try HTTPClient(HTTPClientOptions(authorities: given)) }
            }
            expect(.authoritiesUnreadable, .file("\(folder)/nothing"))
            expect(.authoritiesUnreadable, .file(folder))
            expect(.authoritiesUnreadable, .file("/dev/zero"))
            #expect(unsafe mkfifo("\(folder)/pipe", 0o600) == 0)
            expect(.authoritiesUnreadable, .file("\(folder)/pipe"))
            let begin = "-----BEGIN CERTIFICATE-----\n"
            let end = "-----END CERTIFICATE-----\n"
            for text in [
                "", "garbage", begin + end, begin + "AAAA\n" + end, begin + "MIIB\n" + end,
                begin + "MAMCAQE=\n", begin + "!!!!\n" + end,
            ] {
                try Data(text.utf8).write(to: URL(filePath: garbage))
                expect(.authoritiesMalformed, .file(garbage))
                expect(.authoritiesMalformed, .bytes(Array(text.utf8)))
            }
        }
    }

    @Test("Additional authorities follow those of the system")
    func joined() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            let certificates = try PEMCertificates(.file(authority.file))
            let system = "\(folder)/system"
            try Data("system".utf8).write(to: URL(filePath: system))
            #expect(
                certificates.joined(withFile: system)
                    == Array("system\n".utf8) + certificates.bytes)
            #expect(certificates.joined(withFile: nil) == certificates.bytes)
            #expect(certificates.joined(withFile: "\(folder)/nothing") == certificates.bytes)
        }
    }

    @Test("Old TLS versions are refused, regardless of the settings of OpenSSL")
    func oldVersions() throws {
        try withTemporaryFolder { folder in
            let authority = try TestAuthority(in: folder)
            _ = try authority.identity()
            let settings = "\(folder)/openssl.cnf"
            try Data(
                """
                openssl_conf = first
                [first]
                ssl_conf = second
                [second]
                system_default = third
                [third]
                MinProtocol = TLSv1
                CipherString = DEFAULT@SECLEVEL=0

                """.utf8
            ).write(to: URL(filePath: settings))
            for (version, isNew) in [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)] {
                let server = try OpenSSLServer(folder, [version, "-cipher", "ALL@SECLEVEL=0"])
                defer { server.stop() }
                let result = try TestProgram.run(
                    BuiltExecutable.path(of: "TestTools"),
                    ["http", "get", "https://127.0.0.1:\(server.port)/", authority.file],
                    environment: ["OPENSSL_CONF": settings])
                let output = String(decoding: result.output, as: UTF8.self)
                // Its answer has no length, which does not matter here.
                #expect(
                    output == (isNew ? "answerIncomplete\n" : "handshakeFailed\n"), "\(version)")
            }
        }
    }
}

@testable import AuthServer
import Foundation
import Testing
import TestSupport
import TextCoding

/// The effect of settings on requests, by the real executable.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct ServedRequestTests {
    @Test func aTrustedProxyNamesTheClient() throws {
        let forwarded = ["X-Forwarded-For: 127.0.0.1, 192.0.2.1, 192.0.2.9"]
        for (options, client) in [
            ([], "127.0.0.1"), (["--trusted-proxy", "127.0.0.1,192.0.2.9"], "192.0.2.1"),
        ] {
            let server = try ServingProcess(ServerHome(), options)
            _ = Connection.request("GET /health", port: server.port, fields: forwarded)
            try server.waitFor(#""client":"\#(client)""#)
            // A proxy's clients do not get the metrics, whatever address they claim.
            let metrics = Connection.request(
                "GET /metrics", port: server.port, fields: ["X-Forwarded-For: 127.0.0.1"])
            #expect(metrics.hasPrefix("HTTP/1.1 404"))
            server.signal(SIGTERM)
            #expect(server.finish() == 0)
        }
    }

    @Test func aServerWithoutLimitsServes() throws {
        let home = try ServerHome()
        let limits = ServerSettings.all.filter { $0.unlimited == "0" }.flatMap {
            ["--\($0.name)", "0"]
        }
        let server = try ServingProcess(
            home, limits + ["--registration", "open"], issuer: "https://localhost")
        let account = #"{"email":"ada@example.org","password":"correct horse"}"#
        let made = Connection.request(
            "POST /account", port: server.port, fields: ["Content-Type: application/json"],
            body: account)
        #expect(made.hasPrefix("HTTP/1.1 201"))
        func signIn(_ password: String) -> Substring {
            Connection.form(
                "/oauth/token",
                "grant_type=password&client_id=taskvault&username=ada%40example.org&password="
                    + password, port: server.port
            ).prefix(12)
        }
        // More attempts than the limits of a name or a network.
        for _ in 0..<20 { #expect(signIn("wrong+horse") == "HTTP/1.1 400") }
        #expect(signIn("correct+horse") == "HTTP/1.1 200")
        let large = Connection.form(
            "/oauth/token", "a=" + String(repeating: "b", count: 200_000), port: server.port)
        #expect(large.contains(#""error":"invalid_client""#))
        let fields = (0..<1_000).map { "f\($0)=" }.joined(separator: "&")
        #expect(
            Connection.form("/oauth/token", fields, port: server.port)
                .contains(#""error":"invalid_client""#))
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
    }
}

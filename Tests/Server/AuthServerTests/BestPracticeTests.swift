import Accounts
@testable import AuthServer
import Foundation
import HTTPServer
import Testing
import TestSupport

/// The rows of RFC 9700 in `Docs/AuthProtocol.md` that are met, each by a request.
@Suite("RFC 9700")
struct BestPracticeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let section: String
        let check: @Sendable (ServerFixture) throws -> Void
        var testDescription: String { section }

        init(_ section: String, _ check: @escaping @Sendable (ServerFixture) throws -> Void) {
            self.section = section
            self.check = check
        }
    }

    private static func bearer(_ answer: HTTPResponse) throws -> HTTPHeaders.Field {
        HTTPHeaders.Field("Authorization", "Bearer " + (try answer.text("access_token")))
    }

    static let rows: [Row] = [
        Row("2.2.2") { (fixture) throws in
            let first = fixture.signIn()
            let second = try ScopeTests.refresh(fixture, first)
            #expect(try second.text("refresh_token") != first.text("refresh_token"))
            fixture.wait(.seconds(31))
            #expect(try ScopeTests.refresh(fixture, first).text("error") == "invalid_grant")
            #expect(try ScopeTests.refresh(fixture, second).text("error") == "invalid_grant")
        },
        Row("2.3") { (fixture) throws in
            let shown = ScopeTests.signIn(
                fixture, ["resource": ScopeTests.billing, "scope": "payments"])
            #expect(try shown.text("scope") == "payments")
            #expect(fixture.send(.get("/account", [try bearer(shown)])).status == 403)
        },
        Row("2.5") { (fixture) throws in
            for fields in [
                ["token": "x"], ["token": "x", "client_id": "billing"],
                ["token": "x", "client_id": "billing", "client_secret": "wrong"],
                // A public client, which anybody can be.
                ["token": "x", "client_id": "taskvault"],
            ] {
                let answer = fixture.send(.form("/oauth/introspect", fields))
                #expect(answer.status == 401)
                #expect(try answer.text("error") == "invalid_client")
            }
        },
        Row("2.6") { (fixture) throws in
            let path = "/.well-known/oauth-authorization-server"
            #expect(try fixture.send(.get(path)).text("issuer") == "https://auth.example.org")
            let request = HTTPRequest(method: "GET", path: path, isEncrypted: true, id: "0")
            #expect(fixture.send(request).field("Strict-Transport-Security") != nil)
        },
        Row("4.2") { (fixture) throws in
            let request = HTTPRequest.form(
                "/oauth/token",
                [
                    "grant_type": "password", "client_id": "taskvault",
                    "username": "ada@example.org", "password": ServerFixture.password,
                ])
            #expect(fixture.send(request).status == 200)
            let inURL = HTTPRequest(
                method: "POST", path: "/oauth/token", query: "refresh_token=tvr_x",
                headers: request.headers, body: request.body, id: "0")
            #expect(try fixture.send(inURL).text("error") == "invalid_request")
            #expect(fixture.send(.get("/nowhere")).field("Referrer-Policy") == "no-referrer")
        },
        Row("4.3") { (fixture) throws in
            let token = try fixture.signIn().text("access_token")
            let request = HTTPRequest(
                method: "GET", path: "/account", query: "access_token=\(token)", id: "0")
            #expect(fixture.send(request).status == 401)
        },
        Row("4.7") { (fixture) throws in
            let answers = [fixture.signIn(), fixture.send(.get("/account"))]
            #expect(answers.allSatisfy { $0.field("Set-Cookie") == nil })
            let token = try answers[0].text("access_token")
            let cookie = HTTPHeaders.Field("Cookie", "access_token=\(token)")
            #expect(fixture.send(.get("/account", [cookie])).status == 401)
        },
        Row("4.9") { (fixture) throws in
            let tokens = fixture.signIn()
            let lifetime = try #require(tokens.object["expires_in"] as? Int64)
            #expect(lifetime <= 900)
            fixture.wait(.seconds(lifetime))
            #expect(fixture.send(.get("/account", [try bearer(tokens)])).status == 401)
            let revoked = fixture.signIn()
            _ = fixture.send(
                .form(
                    "/oauth/revoke",
                    ["token": try revoked.text("access_token"), "client_id": "taskvault"]))
            #expect(fixture.send(.get("/account", [try bearer(revoked)])).status == 401)
        },
        Row("4.10") { (fixture) throws in
            let shown = ScopeTests.signIn(fixture, ["resource": ScopeTests.mail])
            let token = try shown.text("access_token")
            #expect(try fixture.introspect(token)["aud"] as? String == ScopeTests.mail)
            let atBilling = fixture.send(
                .form(
                    "/oauth/introspect",
                    [
                        "token": token, "client_id": "bills",
                        "client_secret": ScopeTests.secretOfBilling,
                    ]))
            #expect(try atBilling.object["active"] as? Bool == false)
        },
        Row("4.11") { (fixture) throws in
            for route in Route.allCases {
                for method in ["GET", "POST"] {
                    let request = HTTPRequest(
                        method: method, path: route.rawValue,
                        query: "redirect_uri=https://evil.example&next=https://evil.example",
                        id: "0")
                    let answer = fixture.send(request)
                    #expect(!(300..<400).contains(answer.status), "\(route)")
                    #expect(answer.field("Location") == nil)
                }
            }
        },
        Row("4.13") { (fixture) throws in
            let forwarded = ["X-Forwarded-For", "Forwarded", "X-Real-IP"].map {
                HTTPHeaders.Field($0, "127.0.0.1")
            }
            let far = ServerFixture.client("192.0.2.1")
            #expect(fixture.send(.get("/metrics", forwarded, client: far)).status == 404)
        },
        Row("4.14") { (fixture) throws in
            let tokens = fixture.signIn()
            let changed = fixture.send(
                .json(
                    "/account/password",
                    ["current_password": ServerFixture.password, "new_password": "another horse"],
                    token: try tokens.text("access_token")))
            #expect(changed.status == 200)
            #expect(try ScopeTests.refresh(fixture, tokens).text("error") == "invalid_grant")
            #expect(
                try ScopeTests.refresh(fixture, changed, ["client_id": "phone"]).text("error")
                    == "invalid_grant")
            fixture.wait(.seconds(30 * 24 * 60 * 60))
            #expect(try ScopeTests.refresh(fixture, changed).text("error") == "invalid_grant")
        },
        Row("4.15") { (fixture) throws in
            for fields in [
                ["grant_type": "client_credentials"],
                ["grant_type": "client_credentials", "client_id": "taskvault"],
            ] {
                let secret = fields["client_id"] == nil ? ServerFixture.clientSecret : nil
                let answer = fixture.send(.form("/oauth/token", fields, secret: secret))
                #expect(answer.status == 400)
                #expect(try answer.object["access_token"] == nil)
            }
        },
        Row("4.16") { (fixture) throws in
            for path in ["/", "/account", "/oauth/token"] {
                let policy = fixture.send(.get(path)).field("Content-Security-Policy")
                #expect(policy?.contains("frame-ancestors 'none'") == true)
            }
        },
    ]

    @Test("is met by an answer", arguments: rows)
    func met(row: Row) throws {
        try row.check(try ScopeTests.fixture())
    }

    /// The sections of the RFC with practices.
    static let sections: Set<String> = Set(
        ["2.1", "2.1.1", "2.1.2", "2.2.1", "2.2.2", "2.3", "2.4", "2.5", "2.6"]
            + (1...17).map { "4.\($0)" })

    /// The rows of a table of the document, after its head.
    private static func table(after heading: String) throws -> [[String]] {
        let text = Checkout.text("Docs/AuthProtocol.md")
        let section = try #require(text.components(separatedBy: "\n\(heading)\n").last)
        let lines = section.components(separatedBy: "\n").drop { !$0.hasPrefix("|") }
        return lines.prefix { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.components(separatedBy: "|").dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("is met for the rows of the document, and for no others")
    func document() throws {
        let table = try Self.table(after: "## RFC 9700")
        #expect(table.allSatisfy { $0.count == 3 && !$0[2].isEmpty })
        #expect(
            table.filter { $0[2].hasPrefix("met") }.map { $0[0] } == Self.rows.map(\.section))
        #expect(Set(table.flatMap { $0[0].components(separatedBy: ", ") }) == Self.sections)
    }

    @Test("has no authorization endpoint, so the rows about it are not needed")
    func noAuthorizationEndpoint() throws {
        let metadata = try ServerFixture().send(.get("/.well-known/oauth-authorization-server"))
        #expect(try metadata.object["authorization_endpoint"] == nil)
        #expect(
            try metadata.object["grant_types_supported"] as? [String]
                == ["password", "refresh_token"])
        for path in ["/authorize", "/oauth/authorize"] {
            #expect(try ServerFixture().send(.get(path)).status == 404)
        }
    }

    @Test("has rows for the client's part whose suites exist")
    func client() throws {
        let table = try Self.table(after: "### RFC 9700: the client's part")
        #expect(table.allSatisfy { $0.count == 4 && !$0[2].isEmpty })
        #expect(Set(table.flatMap { $0[0].components(separatedBy: ", ") }) == Self.sections)
        let files = try #require(
            FileManager.default.enumerator(
                at: Checkout.folder.appending(path: "Tests"), includingPropertiesForKeys: nil))
        let names = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .flatMap { file in
                let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
                return text.matches(of: /struct ([A-Za-z]+Tests)\b/).map { String($0.output.1) }
            }
        for row in table {
            let suites = row[3].matches(of: /`([A-Za-z]+)`/).map { String($0.output.1) }
            // Rows with a reason in place of a suite.
            let isNotMet = ["no: ", "no:", "do not"].contains { row[2].hasPrefix($0) }
            #expect(!suites.isEmpty || isNotMet, "\(row[0])")
            for suite in suites { #expect(names.contains(suite), "\(suite)") }
        }
    }

    /// An alert about a metric that the server does not have would never fire.
    @Test("has its alerts about metrics that exist")
    func alerts() throws {
        let fixture = try ServerFixture()
        let shown = fixture.send(.get("/metrics"))
        let served = String(decoding: shown.body, as: UTF8.self)
        let text = Checkout.text("Docs/authd/alerts.yml")
        let names = Set(text.matches(of: /taskvault_[a-z_]+/).map { String($0.output) })
        #expect(names.count >= 4)
        // The counters of the HTTP server are given from outside.
        let given = ["taskvault_overloads_total", "taskvault_refused_connections_total"]
        for name in names where !given.contains(name) {
            let metric = name.replacing(/_bucket$/, with: "")
            #expect(served.contains("# TYPE \(metric) "), "\(name)")
        }
        for event in text.matches(of: /event="([a-z_]+)"/).map({ String($0.output.1) }) {
            #expect(ServerMetrics.Event(rawValue: event) != nil, "\(event)")
        }
    }
}

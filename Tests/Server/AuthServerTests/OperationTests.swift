import Accounts
import Database
import Foundation
@testable import AuthServer
import HTTPServer
import Platform
import Synchronization
import Testing
import TestSupport

/// Metadata, log, metrics, and the fields of all answers.
@Suite("Paths, log and metrics")
struct OperationTests {
    @Test func theMetadataNamesTheEndpoints() throws {
        let answer = try ServerFixture().send(.get("/.well-known/oauth-authorization-server"))
        #expect(try answer.text("issuer") == "https://auth.example.org")
        for name in ["token", "revocation", "introspection"] {
            let url = try answer.text(name + "_endpoint")
            let path = url.dropFirst("https://auth.example.org".count)
            #expect(Route(rawValue: String(path)) != nil)
        }
        #expect(
            try answer.object["grant_types_supported"] as? [String]
                == ["password", "refresh_token"])
        // Validators refuse an empty list (RFC 8414 section 2).
        #expect(try answer.object["response_types_supported"] as? [String] == ["none"])
    }

    @Test(arguments: Route.allCases)
    func anUnsupportedMethodIsReported(_ route: Route) throws {
        let answer = try ServerFixture().send(.get(route.rawValue, method: "DELETE"))
        #expect(answer.status == 405)
        #expect(answer.field("Allow") == route.methods.joined(separator: ", "))
    }

    @Test(arguments: [
        "/", "/oauth/token/", "//oauth/token", "/oauth/../account", "/ACCOUNT",
        "/account%2Fpassword",
        "/oauth%2ftoken", "/.well-known/", "/metrics\u{0}", "", "*",
    ])
    func otherPathsAreNotFound(_ path: String) throws {
        let answer = try ServerFixture().send(.get(path))
        #expect(answer.status == 404)
        #expect(try answer.text("code") == "not_found")
    }

    @Test func attemptsAreReleasedAfterABusyDatabase() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let key = fixture.pseudonyms.key(of: try #require(EmailAddress("ada@example.org")))
        // The attempt is counted. Neither are tokens issued, nor is the attempt released.
        fixture.failures.fail(2, after: 1)
        #expect(fixture.signIn().status == 503)
        #expect(fixture.failures.left == 0)
        #expect(try fixture.repository.read { try $0.attempts(key) }?.guesses.count == 1)
        try fixture.server.settle()
        #expect(try fixture.repository.read { try $0.attempts(key) } == nil)
    }

    @Test func aMethodIsNotOverridden() throws {
        let answer = try ServerFixture().send(
            .get("/oauth/token", [.init("X-HTTP-Method-Override", "POST")]))
        #expect(answer.status == 405)
    }

    @Test func answersAreNotCached() throws {
        let fixture = try ServerFixture()
        for route in Route.allCases {
            for method in ["GET", "POST", "PUT"] {
                let answer = fixture.send(.get(route.rawValue, method: method))
                #expect(answer.field("Cache-Control") == "no-store", "\(route) \(method)")
                #expect(answer.field("X-Content-Type-Options") == "nosniff")
                #expect(answer.field("X-Request-Id") == "0123456789abcdef")
            }
        }
    }

    @Test func aRefusedRequestGetsTheErrorOfItsPath() throws {
        let server = try ServerFixture().server
        let oauth = server.refuse(.get("/oauth/token"), status: 413)
        #expect(oauth.status == 413)
        #expect(try oauth.text("error") == "invalid_request")
        let other = server.refuse(.get("/account"), status: 413)
        #expect(other.status == 413)
        #expect(try other.text("code") == "request_refused")
        #expect(server.refuse(.get("/account"), status: 503).field("Retry-After") != nil)
        #expect(server.refuse(.get("/account"), status: 501).status == 501)
    }

    @Test func healthAsksTheDatabase() throws {
        let fixture = try ServerFixture()
        #expect(fixture.send(.get("/health")).status == 200)
        fixture.repository.close()
        let answer = fixture.send(.get("/health"))
        #expect(answer.status == 503)
        #expect(answer.field("Retry-After") == "5")
    }

    @Test func healthFailsWhileNothingCanBeWritten() throws {
        let fixture = try ServerFixture()
        fixture.failures.fail(1, with: .full)
        for _ in 0..<3 {
            #expect(fixture.send(.get("/health")).status == 503, "it is asked once a second")
        }
        fixture.wait(.seconds(1))
        #expect(fixture.send(.get("/health")).status == 200)
        fixture.failures.fail(1, with: .readOnly)
        #expect(fixture.send(.get("/health")).status == 200)
        #expect(fixture.failures.left == 1)
        fixture.wait(.seconds(1))
        #expect(fixture.send(.get("/health")).status == 503)
        // A clock that was set back does not keep the result.
        fixture.wait(.seconds(-3_600))
        #expect(fixture.send(.get("/health")).status == 200)
    }

    @Test func aClosedDatabaseIsNotAWrongPassword() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let tokens = fixture.signIn()
        let token = try tokens.text("access_token")
        fixture.repository.close()
        #expect(fixture.signIn().status == 503)
        #expect(fixture.refresh(try tokens.text("refresh_token")).status == 503)
        let found = fixture.send(
            .form("/oauth/introspect", ["token": token], secret: ServerFixture.clientSecret))
        #expect(found.status == 503)
        #expect(
            fixture.send(.get("/account", [.init("Authorization", "Bearer \(token)")])).status
                == 503)
        #expect(
            fixture.log.contains {
                $0.contains(#""event":"failure","detail":"the database was closed"}"#)
            })
    }

    @Test(
        arguments: [
            .notFound, .missing, .alreadyExists, .foreign(reason: "why"), .newerVersion(9),
            .unsafeLocation(path: "/a", reason: "why"), .damaged(reason: "why"),
            .unreachable(reason: "why"), .outcomeUnknown, .readOnly, .full, .busy, .closed,
            .outOfMemory, .inputOutput(operation: "why", code: 5),
        ] as [DatabaseError])
    func theLogExplainsFailures(_ error: DatabaseError) throws {
        let fixture = try ServerFixture()
        fixture.server.note("failure", error)
        let line = try #require(fixture.log.last)
        // The language's own text has the names of types and cases.
        #expect(!line.contains("DatabaseError") && !line.contains("reason:"), "\(line)")
        #expect(!line.contains("\"\(error)"), "\(line)")
        let reason = "\(error)".contains("why")
        #expect(!reason || line.contains("why"))
    }

    @Test func theLogHasNoSecrets() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let tokens = fixture.signIn()
        _ = fixture.signIn("ada@example.org", "wrong horse")
        let refresh = try tokens.text("refresh_token")
        _ = fixture.refresh(refresh)
        _ = try fixture.introspect(refresh)
        _ = fixture.send(.get("/" + refresh, method: "correct horse"))
        let text = fixture.log.joined()
        #expect(fixture.log.count { $0.contains(#""event":"request""#) } == 6)
        for secret in ["horse", "tvr_", "tva_", "tvi_", "ada@", ServerFixture.clientSecret] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(text.contains(#""path":"/oauth/token","status":400"#))
        #expect(text.contains(#""method":null,"path":null,"status":404"#))
        #expect(fixture.log.allSatisfy { $0.hasSuffix("}\n") && $0.utf8.count < 400 })
    }

    @Test func eventsAreCounted() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        _ = fixture.signIn()
        _ = fixture.signIn("ada@example.org", "wrong horse")
        fixture.server.setValues {
            [
                ServerValue(gauge: "connections", "Open connections.", 7),
                ServerValue(counter: "overloads", "Refused requests.", 8),
            ]
        }
        let text = String(decoding: fixture.send(.get("/metrics")).body, as: UTF8.self)
        #expect(
            text.contains("taskvault_requests_total{route=\"/oauth/token\",status=\"200\"} 1\n"))
        #expect(
            text.contains("taskvault_requests_total{route=\"/oauth/token\",status=\"400\"} 1\n"))
        #expect(text.contains("taskvault_events_total{event=\"sign_in_accepted\"} 1\n"))
        #expect(text.contains("taskvault_events_total{event=\"sign_in_rejected\"} 1\n"))
        // The dummy hash, the account, and two sign-ins.
        #expect(text.contains("taskvault_events_total{event=\"argon2\"} 4\n"))
        #expect(text.contains("# TYPE taskvault_connections gauge\ntaskvault_connections 7\n"))
        #expect(
            text.contains("# TYPE taskvault_overloads_total counter\ntaskvault_overloads_total 8\n")
        )
    }

    @Test func durationsAreAHistogram() throws {
        let fixture = try ServerFixture()
        for time in [Duration.microseconds(200), .milliseconds(1), .milliseconds(90), .seconds(99)]
        {
            fixture.server.didAnswer(
                HTTPExchange(request: .get("/health"), status: 200, duration: time))
        }
        let text = String(decoding: fixture.send(.get("/metrics")).body, as: UTF8.self)
        let name = "taskvault_request_duration_seconds"
        #expect(text.contains("# TYPE \(name) histogram\n"))
        for (bound, count) in [
            ("0.00025", 1), ("0.001", 2), ("0.025", 2), ("0.1", 3), ("60", 3), ("+Inf", 4),
        ] {
            #expect(
                text.contains("\(name)_bucket{route=\"/health\",le=\"\(bound)\"} \(count)\n"))
        }
        #expect(text.contains("\(name)_sum{route=\"/health\"} 99.091200\n"))
        #expect(text.contains("\(name)_count{route=\"/health\"} 4\n"))
    }

    @Test func programAndProcessAreDescribed() throws {
        let fixture = try ServerFixture()
        let answer = fixture.send(.get("/metrics"))
        #expect(answer.field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("taskvault_build_info{version=\"") })
        #expect(lines.contains("process_start_time_seconds 1800000000.000000"))
        var names = ["process_cpu_seconds_total", "process_max_fds"]
        #if os(Linux)
            names += [
                "process_virtual_memory_bytes", "process_resident_memory_bytes",
                "process_open_fds",
            ]
        #endif
        for name in names {
            let value = lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
            #expect(try #require(value.flatMap { Double($0) }) > 0, "\(name)")
        }
    }

    /// The text format: each sample follows the type of its family, and each counter's name ends with `_total`.
    @Test func metricsHaveTypes() throws {
        let fixture = try ServerFixture()
        _ = fixture.send(.get("/health"))
        fixture.server.setValues { [ServerValue(counter: "refused_connections", "Refused.", 1)] }
        let text = String(decoding: fixture.send(.get("/metrics")).body, as: UTF8.self)
        var family = ""
        var type = ""
        for line in text.split(separator: "\n") where !line.hasPrefix("# HELP ") {
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                (family, type) = (String(words[2]), String(words[3]))
                #expect((type == "counter") == family.hasSuffix("_total"), "\(line)")
            } else {
                let name = line.prefix { $0 != "{" && $0 != " " }
                let suffixes = type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                #expect(suffixes.contains { name == family + $0 }, "\(line)")
            }
        }
    }

    @Test func metricsAreForThisHostOnly() throws {
        let fixture = try ServerFixture()
        func status(_ host: String) -> Int {
            let request = HTTPRequest(method: "GET", path: "/metrics", host: host, id: "1")
            return fixture.send(request).status
        }
        for host in [
            "127.0.0.1:8420", "localhost", "LocalHost:1", "[::1]:8420", "10.0.0.7:8420",
            "auth.example.org",
        ] {
            #expect(status(host) == 200, "\(host)")
        }
        // A page that gave its name the address of this machine.
        for host in ["evil.example", "localhost.evil.example:8420", "127.0.0.1.evil.example", ""] {
            #expect(status(host) == 404, "\(host)")
        }
    }

    @Test func otherMachinesReadMetricsIfASettingNamesThem() throws {
        let networks = try [#require(AddressNetwork("192.0.2.0/24"))]
        let fixture = try ServerFixture(metricsClients: networks)
        func status(_ address: String, _ host: String = "auth.example.org") -> Int {
            let client = ClientAddress(text: address, network: address)
            return fixture.send(
                HTTPRequest(method: "GET", path: "/metrics", client: client, host: host, id: "1")
            ).status
        }
        #expect(status("192.0.2.7") == 200)
        #expect(status("192.0.2.7", "10.0.0.7:8420") == 200)
        #expect(status("192.0.3.7") == 404)
        #expect(status("192.0.2.7", "evil.example") == 404)
    }

    @Test func oneLineWarnsAboutAProxyThatSendsPorts() throws {
        let fixture = try ServerFixture()
        for isUnreadable in [false, true, true] {
            _ = fixture.send(
                HTTPRequest(
                    method: "GET", path: "/health", isForwardingUnreadable: isUnreadable, id: "1"))
        }
        #expect(
            fixture.log.filter { $0.contains("\"event\":\"forwarded_for_unreadable\"") }.count == 1)
    }

    @Test func healthDoesNotWaitForAServerThatHangs() throws {
        let probe = HealthProbe(timeLimit: .milliseconds(20))
        let isAnswered = Monitor(false)
        let results = Mutex<[Int]>([])
        func ask() {
            probe.ask(
                DeferredResponse { response in
                    results.withLock { $0.append(response?.status ?? 0) }
                }
            ) {
                _ = isAnswered.wait { $0 ? true : nil }
                return HTTPResponse(status: 200)
            }
        }
        /// Waits for the answers.
        func answers(_ count: Int) -> [Int] {
            _ = until { results.withLock { $0.count } >= count }
            return results.withLock { $0 }
        }
        // The first one waits for the time limit, the others not at all.
        ask()
        #expect(answers(1) == [503])
        ask()
        #expect(answers(2) == [503, 503])
        // It answers again.
        isAnswered.update { $0 = true }
        var asked = 2
        let isWell = until {
            ask()
            asked += 1
            return answers(asked).last == 200
        }
        #expect(isWell)
        #expect(answers(asked).count == asked)
    }

    @Test func healthOfADatabaseServerIsAskedInItsOwnThread() throws {
        let fixture = try ServerFixture(readsAtOnce: false)
        guard case .deferred = fixture.server.answer(.get("/health")) else {
            Issue.record("a worker of the database is needed")
            return
        }
    }

    @Test func metricsAreForThisMachineOnly() throws {
        let fixture = try ServerFixture()
        let far = ClientAddress(text: "192.0.2.1", network: "192.0.2.1")
        #expect(fixture.send(.get("/metrics", client: far)).status == 404)
        let forwarded = HTTPHeaders.Field("X-Forwarded-For", "127.0.0.1")
        #expect(fixture.send(.get("/metrics", [forwarded])).status == 404)
        // Both the client and the peer must be this machine.
        for (client, peer) in [(ClientAddress.loopback, far), (far, ClientAddress.loopback)] {
            let request = HTTPRequest(
                method: "GET", path: "/metrics", client: client, peer: peer, id: "1")
            #expect(fixture.send(request).status == 404)
        }
    }

    @Test func readingCanUseALane() throws {
        let fixture = try ServerFixture(readsAtOnce: false)
        try fixture.makeAccount()
        let token = try fixture.signIn().text("access_token")
        let request = HTTPRequest.form(
            "/oauth/introspect", ["token": token], secret: ServerFixture.clientSecret)
        guard case .later(.storage, _, _, let overload) = fixture.server.answer(request) else {
            Issue.record("answered at once")
            return
        }
        #expect(overload.status == 503)
        #expect(try fixture.introspect(token)["active"] as? Bool == true)
    }
}

import Foundation
import Testing
import TestSupport

/// Servers that are not who they should be: nothing is sent to them, and nothing is lost.
@Suite(
    .enabled(if: OpenSSL.isAvailable, "needs openssl"), .timeLimit(.minutes(60)), .waitsForProcesses
)
struct UntrustedServerTests {
    private static let account = AccountHome.account

    /// Expects that no account is signed in, and that the vault is unlocked and has what it had.
    private func expectUntrusted(
        _ place: AccountHome, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let server = place.server.issuer
        let requests = place.server.log.ranges(of: #""event":"request""#).count
        let message = "\(server) is not trusted: \(reason)"
        let refused = try place.ask("login")
        expect(
            refused, ends: 9, "error: " + message,
            "hint: no password or token was sent; taskvault settings list shows the trusted certificates and keys",
            sourceLocation: sourceLocation)
        #expect(
            try place.ask("login --json").failure["code"] as? String == "server_untrusted",
            sourceLocation: sourceLocation)
        let said = try place.unlock()
        // There is no sign-in at an untrusted server.
        #expect(
            said == ["taskvault: warning: not signed in: " + message],
            sourceLocation: sourceLocation)
        let changed = try place.ask("account password", [place.password, "something else"])
        #expect(changed.exitCode == 9, sourceLocation: sourceLocation)
        #expect(try place.cachedKinds() == ["password", "session"])
        #expect(try place.cached("password") == place.password)
        #expect(
            place.server.log.ranges(of: #""event":"request""#).count == requests,
            sourceLocation: sourceLocation)
    }

    @Test func aCertificateOfAnotherNameOrTime() throws {
        let place = try AccountHome(isEncrypted: true)
        let authority = try #require(place.authority)
        for (identity, reason) in [
            (
                try authority.issue("other", for: "DNS:auth.example.org"),
                "the server's certificate is for another name"
            ),
            (
                try authority.issue("expired", days: -1),
                "the server's certificate has expired"
            ),
            (
                try CertificateAuthority("stranger", in: place.home.folder).issue("unknown"),
                "no authority that this machine trusts signed the server's certificate"
            ),
        ] {
            place.server.stop()
            try place.server.start(identity)
            try expectUntrusted(place, reason)
        }
        // The right one is trusted again.
        place.server.stop()
        try place.server.start()
        try place.expectSilentStart()
    }

    @Test func aKeyThatIsNotTheOneThatWasSet() throws {
        let place = try AccountHome(isEncrypted: true)
        let authority = try #require(place.authority)
        let identity = try authority.issue("pinned")
        expectDone(try place.ask("settings set server-key \(try identity.pin())"))
        try expectUntrusted(place, "the server's key is not the pinned one")
        place.server.stop()
        try place.server.start(identity)
        try place.expectSilentStart()
        // Two keys, for the time in which a server changes its own.
        let next = try authority.issue("next")
        let both = "\(try identity.pin()),\(try next.pin())"
        expectDone(try place.ask("settings set server-key \(both)"))
        #expect(try place.ask("settings get server-key").outputText == both + "\n")
        place.server.stop()
        try place.server.start(next)
        try place.expectSilentStart()
    }

    @Test func aServerThatSaysItIsAnother() throws {
        let place = try AccountHome()
        place.server.stop()
        try place.server.start(issuer: "http://localhost:1")
        let passwords = place.server.relay.passwordsTried
        let before = place.server.relay.requests.count
        let refused = try place.ask("login")
        expect(
            refused, ends: 9,
            "error: \(place.server.issuer) is not trusted: it claims to be another server",
            "hint: no password or token was sent; taskvault settings get server shows its address"
        )
        #expect(place.server.relay.passwordsTried == passwords)
        #expect(
            place.server.relay.requests.dropFirst(before)
                == ["GET /.well-known/oauth-authorization-server"])
        #expect(try place.cached("password") == place.password)
    }

    /// Something that speaks HTTP, and is no auth server.
    @Test(
        arguments: [
            ("302 Found\r\nLocation: http://localhost:1/", ""), ("200 OK", "<html>"),
            ("200 OK", "[]"), ("200 OK", "{}"), ("404 Not Found", ""),
            ("200 OK", String(repeating: " ", count: 4_000_000)),
        ].map { ($0, LargeArgument($1)) })
    func anAnswerThatIsNoneOfAnAuthServer(head: String, large: LargeArgument<String>) throws {
        let content = large.value
        let place = try AccountHome()
        let tokens = try place.cached("session")
        let stranger = try AnsweringServer { _ in (head, content) }
        place.server.relay.connect(to: stranger.port)
        let refused = try place.ask("login")
        #expect(refused.exitCode == 9)
        #expect(refused.errorText.contains("cannot reach \(place.server.issuer): "))
        let said = try place.unlock()
        #expect(said.count == 1)
        #expect(try place.ask("account password", [place.password, "abcdefgh"]).exitCode == 9)
        // Only what everybody may know was asked for.
        #expect(stranger.requests.allSatisfy { $0.hasPrefix("GET /.well-known/") })
        #expect(try place.cached("session") == tokens)
        #expect(try place.cached("password") == place.password)
    }

    /// A proxy before a server that is down says so in its place: that is no stranger.
    @Test func aProxyOfAServerThatIsDown() throws {
        let place = try AccountHome(isEncrypted: true)
        // Connections end before there is TLS.
        place.server.stop()
        try expectOffline(place)
        let plain = try AccountHome()
        let proxy = try AnsweringServer { _ in ("502 Bad Gateway", "<html>") }
        plain.server.relay.connect(to: proxy.port)
        try expectOffline(plain)
        plain.server.reconnect()
        try plain.expectSilentStart()
    }

    private func expectOffline(_ place: AccountHome) throws {
        let found = try place.ask("whoami --json")
        #expect(found.exitCode == 0, "\(found.errorText)")
        #expect(found.object["state"] as? String == "offline")
        let said = try place.unlock()
        #expect(said.count == 1 && said[0].contains("offline; sign-in of "), "\(said)")
        #expect(
            try place.ask("login --json").failure["code"] as? String == "server_unreachable")
    }

    /// One that answers as it should until it is asked for tokens.
    @Test(arguments: [
        ("302 Found\r\nLocation: http://localhost:1/", ""), ("200 OK", "<html>"),
        ("200 OK", #"{"access_token":"a","#), ("500 Nothing", "no"),
        ("400 Bad Request", "invalid_grant"), ("400 Bad Request", ""),
        ("403 Forbidden", #"{"status":403,"error":"Forbidden","path":"/oauth/token"}"#),
        ("401 Unauthorized", #"{"error":"unauthorized","error_description":"sign in"}"#),
    ])
    func anAnswerWithoutTokensIsNoVerdict(head: String, content: String) throws {
        let place = try AccountHome()
        let tokens = try place.cached("session")
        let issuer = place.server.issuer
        let stranger = try AnsweringServer { request in
            request.hasPrefix("GET")
                ? ("200 OK", #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/oauth/token"}"#)
                : (head, content)
        }
        place.server.relay.connect(to: stranger.port)
        let refused = try place.ask("login --json")
        #expect(refused.exitCode == 9)
        #expect(refused.failure["code"] as? String == "server_answer", "\(refused.errorText)")
        _ = try place.unlock()
        #expect(try place.cached("session") == tokens)
        #expect(try place.cached("password") == place.password)
        #expect(stranger.requests.allSatisfy { $0 != "POST /oauth/token password" })
    }

    /// A server's text for people does not steer their terminal, and does not fill it.
    @Test func aServersTextIsEscaped() throws {
        let place = try AccountHome()
        let issuer = place.server.issuer
        let steering = #"\u001b]0;title\u0007\u202e\nsecond line"#
        let stranger = try AnsweringServer { request in
            switch request {
            case "GET /.well-known/oauth-authorization-server":
                (
                    "200 OK",
                    #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token","taskvault_account_endpoint":"\#(issuer)/account"}"#
                )
            case "GET /account": ("200 OK", #"{"email":"ada\#(steering)"}"#)
            case "POST /token refresh":
                ("200 OK", #"{"token_type":"Bearer","access_token":"a","refresh_token":"r"}"#)
            default:
                ("403 Forbidden", #"{"code":"invalid_email","detail":"no\#(steering)"}"#)
            }
        }
        place.server.relay.connect(to: stranger.port)
        for command in ["whoami", "whoami --json", "account password", "account password --json"] {
            let lines = command.hasPrefix("whoami") ? [] : [place.password, "something else"]
            let said = try place.ask(command, lines)
            #expect(said.exitCode == (lines.isEmpty ? 0 : 8), "\(command): \(said.errorText)")
            let all = said.output + said.errors
            #expect(!all.contains(0x1B) && !all.contains(0x07), "\(command)")
            if !command.hasSuffix("--json") {
                #expect(!(said.outputText + said.errorText).contains("\u{202E}"), "\(command)")
            }
            #expect(said.outputLines.count + said.errorLines.count == 1, "\(command)")
        }
    }

    /// Authlib's server has the code `invalid_request` for a wrong password, and no description of accounts.
    @Test func aForeignServersRefusalOfAPasswordIsAVerdict() throws {
        let place = try AccountHome()
        let issuer = place.server.issuer
        let stranger = try AnsweringServer { request in
            switch request {
            case "POST /token refresh": ("400 Bad Request", #"{"error":"invalid_grant"}"#)
            case "POST /token password":
                (
                    "400 Bad Request",
                    #"{"error":"invalid_request","error_description":"Invalid \"password\""}"#
                )
            default: ("200 OK", #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token"}"#)
            }
        }
        place.server.relay.connect(to: stranger.port)
        for _ in 0..<3 {
            let said = try place.unlock()
            #expect(said.contains { $0.contains("taskvault logout --forget") }, "\(said)")
        }
        #expect(stranger.requests.count { $0 == "POST /token password" } == 1)
        // The person is asked, and reads what the server says.
        let session = try TerminalSession(place.home, ["login"])
        let question = "Password of \(Self.account) at \(issuer)"
        // The program gets the password, which the person would give to the server alone elsewhere.
        try session.waitFor(
            "\(issuer) offers only the password grant: this program sends it the password")
        for _ in 0..<3 { try session.answer(question, "wrong password") }
        #expect(try session.finish() == 10)
        #expect(session.screen.ranges(of: "offers only the password grant").count == 1)
        #expect(session.screen.contains(#"Invalid "password""#))
    }

    @Test func whoAmIAsksAServerWithoutAccounts() throws {
        let place = try AccountHome()
        let issuer = place.server.issuer
        let stranger = try AnsweringServer { request in
            request.hasPrefix("GET")
                ? ("200 OK", #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token"}"#)
                : (
                    "200 OK",
                    #"{"token_type":"Bearer","access_token":"a","refresh_token":"r","expires_in":900}"#
                )
        }
        place.server.relay.connect(to: stranger.port)
        for count in 1...2 {
            expectDone(try place.ask("whoami"))
            #expect(stranger.requests.count { $0 == "POST /token refresh" } == count)
        }
    }

    @Test func aServerThatLimitsRequestsLeavesThePersonSignedIn() throws {
        let place = try AccountHome()
        let busy = try AnsweringServer { _ in ("429 Too Many Requests", "") }
        place.server.relay.connect(to: busy.port)
        let said = try place.ask("whoami --json")
        #expect(said.object["state"] as? String == "offline", "\(said.errorText)")
    }

    @Test func noPasswordIsAskedForBeforeTheServerIsKnown() throws {
        let home = try TestHome()
        try home.unlock()
        expectDone(try home.ask("settings set server http://127.0.0.1:1"))
        for words in [["login"], ["account", "create"]] {
            let session = try TerminalSession(home, words + [Self.account])
            #expect(try session.finish() == 9)
            #expect(!session.screen.lowercased().contains("password"))
        }
    }
}

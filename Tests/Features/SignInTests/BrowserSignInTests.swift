import HTTPClient
import HTTPServer
import Platform
import Sealing
import SecretMemory
import Synchronization
import TestSupport
import Testing
import TextCoding

@testable import SignIn

/// The fields of a form or a query.
private func fields(_ text: String) -> [String: String] { WebForm.fields(text) ?? [:] }

@Suite("A sign-in in the browser")
struct BrowserSignInTests {
    private static let date = PointInTime(seconds: 1_800_000_000)

    /// Runs `body` with a server that has an authorization endpoint, and a client of it.
    private func run(
        _ more: String = "", scope: String = "",
        _ body: (ScriptedServer, OAuthClient, String) throws -> Void
    ) throws {
        try ScriptedServer.run { (server, _, origin) throws in
            server.answer(
                ScriptedServer.description,
                Answer(
                    200,
                    """
                    {"issuer":"\(origin)","token_endpoint":"\(origin)/oauth/token",\(more)
                    "authorization_endpoint":"\(origin)/authorize?tenant=1",
                    "scopes_supported":["email","openid","offline_access"]}
                    """))
            let client = OAuthClient(
                try makeIssuer(origin), scope: scope, try HTTPClient(HTTPClientOptions()))
            try body(server, client, origin)
        }
    }

    private func begin(
        _ client: OAuthClient, redirect: RedirectAddress = .standard, account: AccountName? = nil,
        now: @escaping @Sendable () -> MonotonicTime = { .now }
    ) throws -> BrowserSignIn {
        try BrowserSignIn(
            client, redirect: redirect, account: account, now: now, date: { Self.date },
            admits: { _ in true })
    }

    /// The query of the server's page, to which the start address sends the browser.
    private func request(_ signIn: BrowserSignIn, of origin: String) throws -> [String: String] {
        let page = try #require(TestBrowser.get(signIn.address))
        #expect(page.status == 303)
        let location = try #require(page.field("Location"))
        #expect(location.hasPrefix(origin + "/authorize?tenant=1&"))
        return fields(String(location.drop { $0 != "?" }.dropFirst()))
    }

    /// Waits for the person, and returns the page that the browser shows.
    private func finish(
        _ signIn: BrowserSignIn, _ callback: String
    ) throws -> (tokens: Result<GrantedTokensText, SignInError>, page: TestBrowser.Page?) {
        let page = TestBrowser.begin(callback)
        let result: Result<GrantedTokensText, SignInError>
        do {
            let tokens = try signIn.wait(atMost: .seconds(120))
            switch tokens {
            case .some(let tokens):
                result = .success(GrantedTokensText(tokens.texts, tokens.account?.text))
            case .none:
                Issue.record("the redirect was not received")
                result = .failure(.notCompleted)
            }
        } catch let error as SignInError {
            result = .failure(error)
        }
        return (result, page.wait { $0 } ?? nil)
    }

    private struct GrantedTokensText: Equatable {
        let grant: Grant
        let account: String?

        init(_ grant: Grant, _ account: String?) {
            self.grant = grant
            self.account = account
        }
    }

    /// Answers a code with tokens and an ID token with these claims.
    private func grant(_ server: ScriptedServer, _ claims: String) {
        let token = IDTokenTests.token("{\(claims)}")
        server.answer(
            ScriptedServer.token,
            Answer(
                200,
                #"{"access_token":"a1","token_type":"Bearer","refresh_token":"r1","id_token":"\#(token)"}"#
            ))
    }

    @Test("sends the browser to the server's page, and exchanges the code that it brings")
    func whole() throws {
        try run { (server, client, origin) throws in
            let signIn = try begin(client, account: AccountName("ada@example.org"))
            let asked = try request(signIn, of: origin)
            let redirect = try #require(asked["redirect_uri"])
            #expect(redirect.wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+\/callback/) != nil)
            #expect(asked["response_type"] == "code" && asked["client_id"] == "taskvault")
            #expect(asked["code_challenge_method"] == "S256" && asked["code_verifier"] == nil)
            #expect(asked["scope"] == "openid email offline_access")
            #expect(asked["login_hint"] == "ada@example.org")
            let (state, nonce) = try (#require(asked["state"]), #require(asked["nonce"]))
            grant(
                server,
                #""iss":"\#(origin)","aud":"taskvault","exp":9e9,"nonce":"\#(nonce)","email":"bob@example.org""#
            )
            let (tokens, page) = try finish(signIn, "\(redirect)?code=c%2B1&state=\(state)")
            #expect(
                try tokens.get()
                    == GrantedTokensText(Grant(access: "a1", refresh: "r1"), "bob@example.org"))
            let shown = try #require(page)
            #expect(shown.status == 200 && shown.body.contains("You can close this tab."))
            #expect(shown.field("Cache-Control") == "no-store")
            #expect(shown.field("Referrer-Policy") == "no-referrer")
            #expect(shown.head.contains("default-src 'none'"))
            #expect(shown.head.contains("frame-ancestors 'none'"))
            #expect(!(shown.head + shown.body).contains("c+1") && !shown.body.contains(state))
            let sent = fields(try #require(server.requests.last?.text))
            #expect(sent["grant_type"] == "authorization_code" && sent["code"] == "c+1")
            #expect(sent["redirect_uri"] == redirect && sent["client_id"] == "taskvault")
            let verifier = try #require(sent["code_verifier"])
            #expect(
                Base64.urlText(of: SHA256.hash(Array(verifier.utf8))) == asked["code_challenge"])
            // The listener is gone.
            #expect(TestBrowser.get(signIn.address) == nil)
        }
    }

    @Test("asks for the set scope, and sends a nonce with openid only")
    func scope() throws {
        try run(scope: "tasks mail") { (server, client, origin) throws in
            let signIn = try begin(client)
            let asked = try request(signIn, of: origin)
            #expect(asked["scope"] == "tasks mail" && asked["nonce"] == nil)
            #expect(asked["login_hint"] == nil)
            let (tokens, _) = try finish(
                signIn,
                try #require(asked["redirect_uri"]) + "?code=c&state=\(asked["state"] ?? "")")
            #expect(try tokens.get().account == nil)
        }
    }

    @Test("ends with the first redirect that is not its own, and sends nothing to the server")
    func refused() throws {
        for (more, query, expected) in [
            (
                "", "code=c&state=other",
                SignInError.untrusted(
                    detail: "the answer of the browser is for another sign-in")
            ),
            (
                "", "code=c",
                .untrusted(detail: "the answer of the browser is for another sign-in")
            ),
            (
                "", "code=c&state=STATE&iss=https://evil.example.org",
                .untrusted(detail: "the answer of the browser is of another server")
            ),
            (
                #""authorization_response_iss_parameter_supported":true,"#, "code=c&state=STATE",
                .untrusted(detail: "the answer of the browser is of another server")
            ),
            ("", "error=access_denied&state=STATE", .denied),
        ] {
            try run(more) { (server, client, origin) throws in
                let signIn = try begin(client)
                let asked = try request(signIn, of: origin)
                let state = try #require(asked["state"])
                let callback = try #require(asked["redirect_uri"])
                let (tokens, page) = try finish(
                    signIn, callback + "?" + query.replacing("STATE", with: state))
                #expect(tokens == .failure(expected))
                let shown = try #require(page)
                #expect(shown.status == 400 && shown.body.contains("You are not signed in"))
                #expect(server.requests.isEmpty)
                #expect(TestBrowser.get(callback + "?code=c&state=\(state)") == nil)
            }
        }
    }

    @Test("is refused with an ID token of another sign-in, and with a code that the server rejects")
    func otherToken() throws {
        try run { (server, client, origin) throws in
            let claims = #""iss":"\#(origin)","aud":"taskvault","exp":9e9"#
            for (answer, expected) in [
                (nil, SignInError.untrusted(detail: "its ID token is for another sign-in")),
                (
                    Answer(400, #"{"error":"invalid_grant","error_description":"used"}"#),
                    .refused(.other(detail: "used"))
                ),
                (
                    Answer(400, #"{"error":"invalid_grant"}"#),
                    .refused(.other(detail: "the sign-in is no longer valid"))
                ),
                (Answer(403, "<html>"), .broken(detail: "it answered with status 403")),
            ] {
                if let answer {
                    server.answer(ScriptedServer.token, answer)
                } else {
                    grant(server, claims + #","nonce":"AAAAAAAAAAAAAAAAAAAAAA""#)
                }
                let signIn = try begin(client)
                let asked = try request(signIn, of: origin)
                let (tokens, page) = try finish(
                    signIn,
                    try #require(asked["redirect_uri"]) + "?code=c&state=\(asked["state"] ?? "")")
                #expect(tokens == .failure(expected))
                #expect(page?.status == 400)
            }
        }
    }

    @Test("answers nothing but its two addresses at its own hosts")
    func others() throws {
        try run { (server, client, origin) throws in
            let signIn = try begin(client)
            let asked = try request(signIn, of: origin)
            let callback = try #require(asked["redirect_uri"])
            let host = String(callback.dropFirst("http://".count).prefix { $0 != "/" })
            let port = host.drop { $0 != ":" }
            for address in [
                "http://\(host)/", "http://\(host)/callback/", "http://\(host)/favicon.ico",
            ] {
                #expect(TestBrowser.get(address)?.status == 404)
            }
            let query = "?code=c&state=\(asked["state"] ?? "")"
            for other in ["evil.example.org", "evil.example.org\(port)", "127.0.0.1", "localhost"] {
                #expect(TestBrowser.get(callback + query, host: other)?.status == 404)
                #expect(TestBrowser.get(signIn.address, host: other)?.status == 404)
            }
            #expect(TestBrowser.get(callback + query, method: "POST")?.status != 200)
            // None of these was the redirect.
            let (tokens, _) = try finish(signIn, callback + query)
            #expect(server.requests.count == 1)
            #expect(tokens == .success(.init(Grant(access: "a1", refresh: "r1"), nil)))
        }
    }

    @Test("listens at both addresses of this machine, on one port")
    func both() throws {
        try run { (_, client, origin) throws in
            let signIn = try begin(client)
            let port = try #require(signIn.address.split(separator: ":").last?.prefix { $0 != "/" })
            #expect(TestBrowser.get("http://127.0.0.1:\(port)/start")?.status == 303)
            // A machine without IPv6 has no second address.
            if (try? HTTPServer.checkAddress(HTTPServerOptions(address: "::1"))) != nil {
                #expect(TestBrowser.get("http://[::1]:\(port)/start")?.status == 303)
            }
        }
    }

    /// Begins a sign-in whose redirect has a free port, which another program may have taken meanwhile.
    private func beginAtFreePort(
        _ client: OAuthClient, _ path: String
    ) throws -> (text: String, signIn: BrowserSignIn) {
        for _ in 0..<20 {
            let text = "http://localhost:\(try HTTPServer.freePort(at: "127.0.0.1"))\(path)"
            do {
                return (text, try begin(client, redirect: try #require(RedirectAddress(text))))
            } catch SignInError.noListener(.portInUse) { continue }
        }
        throw SignInError.noListener(.portInUse)
    }

    @Test("uses the set redirect: its host, its port, its path")
    func setRedirect() throws {
        try run { (server, client, origin) throws in
            for path in ["/", "/start"] {
                let (text, signIn) = try beginAtFreePort(client, path)
                let asked = try request(signIn, of: origin)
                #expect(asked["redirect_uri"] == text)
                #expect(signIn.address != text)
                let (tokens, _) = try finish(signIn, text + "?code=c&state=\(asked["state"] ?? "")")
                #expect(throws: Never.self) { try tokens.get() }
            }
        }
    }

    @Test("says so if another program has the set port at one of the two addresses")
    func portInUse() throws {
        try run { (_, client, _) throws in
            let other = try begin(client)
            let port = try #require(other.address.split(separator: ":").last?.prefix { $0 != "/" })
            let redirect = try #require(RedirectAddress("http://localhost:\(port)/callback"))
            #expect(throws: SignInError.noListener(.portInUse)) {
                try begin(client, redirect: redirect)
            }
            withExtendedLifetime(other) {}
        }
    }

    @Test("serves no other user of the machine")
    func otherUser() throws {
        try run { (_, client, _) throws in
            let signIn = try BrowserSignIn(client, admits: { _ in false })
            #expect(TestBrowser.get(signIn.address) == nil)
        }
    }

    @Test("ends after five minutes, and the listener with it")
    func timeout() throws {
        try run { (_, client, _) throws in
            let time = Mutex(MonotonicTime(nanoseconds: 0))
            let clock: @Sendable () -> MonotonicTime = { time.withLock { $0 } }
            let signIn = try begin(client, now: clock)
            func wait() throws -> Bool {
                switch try signIn.wait(atMost: .zero) {
                case .some: true
                case .none: false
                }
            }
            #expect(try !wait())
            time.withLock { $0 = MonotonicTime(nanoseconds: 299_999_999_999) }
            #expect(try !wait())
            time.withLock { $0 = MonotonicTime(nanoseconds: 300_000_000_000) }
            #expect(throws: SignInError.notCompleted) { try wait() }
            #expect(TestBrowser.get(signIn.address) == nil)
        }
    }

    @Test("is not there at a server without a page")
    func unsupported() throws {
        try ScriptedServer.run { (_, client, _) throws in
            #expect(throws: SignInError.unsupported) { try begin(client) }
        }
    }
}

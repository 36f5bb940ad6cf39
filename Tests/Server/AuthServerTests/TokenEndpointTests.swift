import Accounts
@testable import AuthServer
import HTTPServer
import Testing

/// The token endpoint (RFC 6749).
@Suite("The token endpoint")
struct TokenEndpointTests {
    @Test func aPasswordBecomesTokens() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let answer = fixture.signIn(" Ada@Example.ORG ")
        #expect(answer.status == 200)
        #expect(answer.field("Cache-Control") == "no-store")
        #expect(answer.field("Pragma") == "no-cache")
        #expect(answer.field("Content-Type") == "application/json")
        #expect(try answer.text("token_type") == "Bearer")
        #expect(try answer.object["expires_in"] as? Int == 900)
        #expect(try answer.text("scope") == "account")
        #expect(try answer.text("access_token").hasPrefix("tva_"))
        #expect(try answer.text("refresh_token").hasPrefix("tvr_"))
    }

    @Test func allRejectionsAreAlike() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        try fixture.makeAccount("off@example.org")
        try fixture.administration.setDisabled(
            #require(EmailAddress("off@example.org")), true)
        let answers = [
            fixture.signIn("ada@example.org", "wrong horse"),
            fixture.signIn("nobody@example.org"),
            fixture.signIn("off@example.org", "wrong horse"),
            fixture.signIn("ada@example.org", "short"),
            fixture.signIn("no address"),
        ]
        for answer in answers {
            #expect(answer == answers[0])
            #expect(answer.status == 400)
            #expect(try answer.text("error") == "invalid_grant")
            #expect(try answer.object["code"] == nil)
        }
    }

    @Test("A disabled account is named to its owner, who has the password or a token")
    func disabledAccount() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let tokens = try fixture.signIn().text("refresh_token")
        let name = try #require(EmailAddress("ada@example.org"))
        // The session is still there, as in a restored database.
        try fixture.repository.change { writer in
            var account = try #require(try writer.account(name))
            account.isDisabled = true
            try writer.update(account)
        }
        for answer in [fixture.refresh(tokens), fixture.signIn()] {
            #expect(answer.status == 400)
            #expect(try answer.text("error") == "invalid_grant")
            #expect(try answer.text("code") == "account_disabled")
        }
        try fixture.administration.setDisabled(name, true)
        #expect(try fixture.signIn().text("code") == "account_disabled")
        #expect(try fixture.refresh(tokens).object["code"] == nil, "its session has ended")
        try fixture.administration.setDisabled(name, false)
        #expect(fixture.signIn().status == 200)
    }

    @Test func aRefreshTokenIsValidForOneExchange() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let first = try fixture.signIn().text("refresh_token")
        let answer = fixture.refresh(first)
        #expect(answer.status == 200)
        let second = try answer.text("refresh_token")
        #expect(second != first)
        #expect(fixture.refresh(second).status == 200)
        let reused = fixture.refresh(first)
        #expect(reused.status == 400)
        #expect(try reused.text("error") == "invalid_grant")
        #expect(try fixture.introspect(answer.text("access_token"))["active"] as? Bool == false)
    }

    @Test func guessingIsDelayed() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let other = ServerFixture.client("192.0.2.1")
        for _ in 0..<5 { _ = fixture.signIn("ada@example.org", "wrong horse", from: other) }
        let answer = fixture.signIn("ada@example.org", from: other)
        #expect(answer.status == 429)
        #expect(answer.field("Retry-After") == "900")
        #expect(try answer.text("error") == "temporarily_unavailable")
        fixture.wait(.seconds(900))
        #expect(fixture.signIn("ada@example.org", from: other).status == 200)
    }

    /// Row G9 of the threats: one client polls for a victim's name, and many names fill the table of guesses.
    @Test func anOwnerSignsInWhileOthersPoll() throws {
        var guessing = GuessLimits()
        guessing.maximumKeys = 1_000
        let fixture = try ServerFixture(guessing: guessing)
        try fixture.makeAccount()
        let home = ServerFixture.client("2001:db8:1::1")
        let device = try fixture.signIn(from: home).text("device_token")
        #expect(device.hasPrefix("tvd_"))
        for number in 0..<1_100 {
            _ = fixture.signIn(
                "person\(number)@example.org", "wrong horse",
                from: ServerFixture.client("10.\(number / 256).\(number % 256).1"))
        }
        for second in 0..<50 {
            for number in 0..<20 {
                // One provider's customer has as many addresses as it likes, up to a /48.
                _ = fixture.signIn(
                    "ada@example.org", "wrong horse",
                    from: ServerFixture.client("2001:db8:2:\(second)::\(number)"))
            }
            let known = fixture.signIn(from: home, device: device)
            #expect(known.status == 200)
            #expect(try known.object["device_token"] == nil, "the token stays")
            fixture.wait(.seconds(1))
        }
        #expect(fixture.signIn(from: ServerFixture.client("203.0.113.9")).status == 200)
        #expect(fixture.log.count { $0.contains(#""status":400"#) } <= 1_100 + 5)
    }

    @Test func aDeviceTokenIsNoCredential() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let device = try fixture.signIn().text("device_token")
        #expect(fixture.signIn("ada@example.org", "wrong horse", device: device).status == 400)
        #expect(fixture.refresh(device).status == 400)
        #expect(try fixture.introspect(device)["active"] as? Bool == false)
        let account = fixture.send(.get("/account", [.init("Authorization", "Bearer " + device)]))
        #expect(account.status == 401)
        // A token of another form is as good as none.
        #expect(try fixture.signIn(device: "tvd_x").text("device_token") != device)
    }

    @Test(arguments: [
        (["client_id": "taskvault"], 400, "invalid_request"),
        (["grant_type": "", "client_id": "taskvault"], 400, "invalid_request"),
        (
            ["grant_type": "client_credentials", "client_id": "taskvault"], 400,
            "unsupported_grant_type"
        ),
        (
            ["grant_type": "authorization_code", "client_id": "taskvault"], 400,
            "unsupported_grant_type"
        ),
        (["grant_type": "password", "client_id": "taskvault"], 400, "invalid_request"),
        (
            ["grant_type": "password", "client_id": "taskvault", "username": "a@b.c"], 400,
            "invalid_request"
        ),
        (["grant_type": "password", "username": "a@b.c", "password": "x"], 401, "invalid_client"),
        (
            ["grant_type": "password", "client_id": "x", "username": "a@b.c", "password": "x"], 401,
            "invalid_client"
        ),
        (
            [
                "grant_type": "password", "client_id": "billing", "username": "a@b.c",
                "password": "x",
            ], 401, "invalid_client"
        ),
        (
            ["grant_type": "password", "client_id": "taskvault", "client_secret": "x"], 401,
            "invalid_client"
        ),
        (["grant_type": "refresh_token", "client_id": "taskvault"], 400, "invalid_request"),
        (
            ["grant_type": "refresh_token", "client_id": "taskvault", "refresh_token": "x"], 400,
            "invalid_grant"
        ),
        (
            ["grant_type": "refresh_token", "client_id": "taskvault", "refresh_token": "tvr_"], 400,
            "invalid_grant"
        ),
        (
            [
                "grant_type": "password", "client_id": "taskvault",
                "scope": String(repeating: "s", count: 4_097),
            ], 400, "invalid_scope"
        ),
        (
            [
                "grant_type": "password", "client_id": "taskvault", "username": "a@b.c",
                "password": "x", "resource": "https://unknown.example.org",
            ], 400, "invalid_target"
        ),
    ])
    func malformedRequestsGetTheStandardError(
        _ fields: [String: String], _ status: Int, _ error: String
    ) throws {
        let answer = try ServerFixture().send(.form("/oauth/token", fields))
        #expect(answer.status == status)
        #expect(try answer.text("error") == error)
        #expect((answer.field("WWW-Authenticate") != nil) == (status == 401))
    }

    @Test func aConfidentialClientCannotSignIn() throws {
        let fixture = try ServerFixture()
        let fields = ["grant_type": "password", "username": "a@b.c", "password": "x"]
        let answer = fixture.send(
            .form("/oauth/token", fields, secret: ServerFixture.clientSecret))
        #expect(try answer.text("error") == "unauthorized_client")
    }

    @Test func aMalformedFormIsRefused() throws {
        let fixture = try ServerFixture()
        let json = fixture.send(.json("/oauth/token", ["grant_type": "password"]))
        #expect(try json.text("error") == "invalid_request")
        let twice = HTTPRequest(
            method: "POST", path: "/oauth/token",
            headers: HTTPHeaders([.init("Content-Type", "application/x-www-form-urlencoded")]),
            body: RequestBody(Array("grant_type=password&grant_type=password".utf8)), id: "0")
        #expect(try fixture.send(twice).text("error") == "invalid_request")
        let inURL = HTTPRequest(
            method: "POST", path: "/oauth/token", query: "password=x",
            headers: HTTPHeaders([.init("Content-Type", "application/x-www-form-urlencoded")]),
            body: RequestBody(Array("grant_type=password".utf8)), id: "0")
        #expect(try fixture.send(inURL).text("error") == "invalid_request")
    }

    /// The rest of a sign-in, for the lane of derivations.
    private static func derivation(
        _ fixture: ServerFixture, device: String? = nil
    ) -> (requester: HTTPRequester, overload: HTTPResponse)? {
        var fields = [
            "grant_type": "password", "client_id": "taskvault", "username": "ada@example.org",
            "password": "wrong horse",
        ]
        fields["device_token"] = device
        guard
            case .later(.storage, _, let begin, _) = fixture.server.answer(
                .form("/oauth/token", fields)),
            case .later(.derivation, let requester, _, let overload) = begin()
        else { return nil }
        return (requester, overload)
    }

    @Test func anAttemptThatFindsNoRoomCounts() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let first = fixture.signIn()
        let device = try first.text("device_token")
        fixture.wait(.seconds(60))
        for _ in 0..<15 {
            let dropped = try #require(Self.derivation(fixture))
            #expect(dropped.requester == .stranger("127.0.0.0/24"))
            #expect(dropped.overload.status == 503)
            #expect(dropped.overload.field("Retry-After") != nil)
        }
        #expect(fixture.signIn().status == 429)
        // The attempts of a known device are counted when they are looked at.
        for _ in 0..<20 {
            let dropped = try #require(Self.derivation(fixture, device: device))
            guard case .known = dropped.requester else {
                Issue.record("\(dropped.requester)")
                return
            }
        }
        #expect(fixture.signIn(device: device).status == 200)
    }
}

import Accounts
@testable import AuthServer
import HTTPServer
import Testing

/// The rights of tokens, and for whom they are (RFC 6749 section 3.3, RFC 8707).
@Suite("Scope and audience")
struct ScopeTests {
    static let billing = "https://billing.example.org"
    static let secretOfBilling = "the secret of the bill"
    static let mail = "https://mail.example.org"

    private static func grant(_ scope: String, _ resource: String?) throws -> TokenGrant {
        TokenGrant(scope: try #require(TokenScope(scope)), resource: resource)
    }

    /// A server with two services, and a public client that may have the scopes of one.
    static func fixture() throws -> ServerFixture {
        let fixture = try ServerFixture(clients: [
            RegisteredClient(
                name: "bills", secret: TokenHash(of: secretOfBilling),
                grant: try grant("invoices payments", billing)),
            RegisteredClient(
                name: "mails", secret: TokenHash(of: "x"), grant: try grant("send", mail)),
            RegisteredClient(name: "phone", secret: nil, grant: try grant("invoices", nil)),
        ])
        try fixture.makeAccount()
        return fixture
    }

    static func signIn(
        _ fixture: ServerFixture, _ fields: [String: String] = [:]
    ) -> HTTPResponse {
        let all = [
            "grant_type": "password", "client_id": "taskvault", "username": "ada@example.org",
            "password": ServerFixture.password,
        ].merging(fields) { $1 }
        return fixture.send(.form("/oauth/token", all))
    }

    static func refresh(
        _ fixture: ServerFixture, _ tokens: HTTPResponse, _ fields: [String: String] = [:]
    ) throws -> HTTPResponse {
        let all = [
            "grant_type": "refresh_token", "client_id": "taskvault",
            "refresh_token": try tokens.text("refresh_token"),
        ].merging(fields) { $1 }
        return fixture.send(.form("/oauth/token", all))
    }

    @Test func aTokenShownToAServiceChangesNothingHere() throws {
        let fixture = try Self.fixture()
        let tokens = Self.signIn(fixture)
        for round in 0..<2 {
            // At a sign-in, or later by a refresh.
            let shown =
                round == 0
                ? Self.signIn(fixture, ["resource": Self.billing])
                : try Self.refresh(fixture, tokens, ["resource": Self.billing])
            #expect(shown.status == 200)
            #expect(try shown.text("scope") == "invoices payments")
            let token = try shown.text("access_token")
            let bearer = HTTPHeaders.Field("Authorization", "Bearer " + token)
            var requests: [HTTPRequest] = [
                .json("/account/sessions/end", [:], token: token),
                .json("/inboxes", [:], token: token),
                .json("/inboxes/remove", ["inbox": "x"], token: token),
                .json("/subscriptions", ["inbox": "x"], token: token),
                .json("/subscriptions/end", ["subscription": "x"], token: token),
                .json(
                    "/account/password",
                    ["current_password": ServerFixture.password, "new_password": "another horse"],
                    token: token),
                .json(
                    "/account/remove", ["current_password": ServerFixture.password], token: token),
            ]
            requests += ["/account", "/account/sessions", "/inboxes", "/checklists"].map {
                .get($0, [bearer])
            }
            for request in requests {
                let answer = fixture.send(request)
                #expect(answer.status == 403, "\(request.path)")
                #expect(try answer.text("code") == "insufficient_scope")
                #expect(
                    answer.field("WWW-Authenticate")?.contains(
                        #"error="insufficient_scope", scope="account""#) == true)
            }
        }
        let own = try Self.refresh(fixture, Self.signIn(fixture)).text("access_token")
        let listed = fixture.send(
            .get("/account/sessions", [HTTPHeaders.Field("Authorization", "Bearer " + own)]))
        #expect(try (listed.object["sessions"] as? [Any])?.count == 3)
    }

    @Test func aServiceLearnsAboutItsOwnTokensAlone() throws {
        let fixture = try Self.fixture()
        let tokens = Self.signIn(fixture)
        let ofBilling = Self.signIn(fixture, ["resource": Self.billing, "scope": "payments"])
        let ofMail = Self.signIn(fixture, ["resource": Self.mail])
        func introspect(_ answer: HTTPResponse) throws -> [String: any Sendable] {
            try fixture.send(
                .form(
                    "/oauth/introspect",
                    [
                        "token": answer.text("access_token"), "client_id": "bills",
                        "client_secret": Self.secretOfBilling,
                    ])
            ).object
        }
        let found = try introspect(ofBilling)
        #expect(found["active"] as? Bool == true)
        #expect(found["aud"] as? String == Self.billing)
        #expect(found["scope"] as? String == "payments")
        for other in [tokens, ofMail] {
            let found = try introspect(other)
            #expect(found.count == 1 && found["active"] as? Bool == false)
        }
        // One without a URL is told about all, and compares the audience itself.
        #expect(try fixture.introspect(ofMail.text("access_token"))["aud"] as? String == Self.mail)
        #expect(
            try fixture.introspect(tokens.text("access_token"))["aud"] as? String
                == "https://auth.example.org")
    }

    @Test(arguments: [
        ("account", "account"), ("openid account profile", "account"), ("admin", ""),
        ("openid email offline_access", ""), ("invoices", ""), ("account account", "account"),
    ])
    func anUnknownScopeIsLeftOut(_ requested: String, _ granted: String) throws {
        let fixture = try Self.fixture()
        let answer = Self.signIn(fixture, ["scope": requested])
        #expect(answer.status == 200)
        #expect(try answer.text("scope") == granted)
        let account = fixture.send(
            .get(
                "/account",
                [HTTPHeaders.Field("Authorization", "Bearer " + (try answer.text("access_token")))]
            ))
        #expect(account.status == (granted == "account" ? 200 : 403))
    }

    @Test func aSessionNeverGetsMoreThanItsSignInGot() throws {
        let fixture = try Self.fixture()
        let narrow = Self.signIn(fixture, ["scope": "payments", "resource": Self.billing])
        let wide = try Self.refresh(fixture, narrow, ["scope": "invoices payments account"])
        #expect(try wide.text("scope") == "payments")
        let other = try Self.refresh(fixture, wide, ["resource": Self.mail])
        #expect(try other.text("error") == "invalid_target")
        let own = try Self.refresh(fixture, wide, ["resource": "https://auth.example.org"])
        #expect(try own.text("error") == "invalid_target")
        // Neither refusal used up the token.
        #expect(try Self.refresh(fixture, wide).text("scope") == "payments")
        for resource in ["https://unknown.example.org", Self.billing + "/", "billing", "x#y"] {
            let answer = Self.signIn(fixture, ["resource": resource])
            #expect(answer.status == 400)
            #expect(try answer.text("error") == "invalid_target")
        }
    }

    @Test func aClientGetsTheScopesThatItIsRegisteredWith() throws {
        let fixture = try Self.fixture()
        let phone = ["client_id": "phone"]
        #expect(try Self.signIn(fixture, phone).text("scope") == "invoices")
        let all = phone.merging(["scope": "account invoices payments"]) { $1 }
        #expect(try Self.signIn(fixture, all).text("scope") == "invoices")
        let ofBilling = phone.merging(["resource": Self.billing]) { $1 }
        #expect(try Self.signIn(fixture, ofBilling).text("scope") == "invoices")
        let ofMail = phone.merging(["resource": Self.mail]) { $1 }
        #expect(try Self.signIn(fixture, ofMail).text("scope") == "")
        let metadata = fixture.send(.get("/.well-known/oauth-authorization-server"))
        #expect(
            try metadata.object["scopes_supported"] as? [String]
                == ["account", "invoices", "payments", "send"])
    }

    @Test func twoRefreshesGiveOneSuccessorAndTheTokensThatEachAskedFor() throws {
        let fixture = try Self.fixture()
        let tokens = Self.signIn(fixture)
        let first = try Self.refresh(fixture, tokens)
        fixture.wait(.seconds(30))
        let second = try Self.refresh(fixture, tokens, ["resource": Self.billing])
        #expect(try first.text("refresh_token") == second.text("refresh_token"))
        #expect(try second.text("scope") == "invoices payments")
        #expect(try fixture.introspect(first.text("access_token"))["scope"] as? String == "account")
        fixture.wait(.milliseconds(1))
        #expect(try Self.refresh(fixture, tokens).status == 400)
    }
}

@testable import AuthServer
import HTTPServer
import Testing
import TextCoding

/// Revocation (RFC 7009) and introspection (RFC 7662).
@Suite("Revocation and introspection")
struct RevocationTests {
    @Test func aGoodTokenIsDescribed() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let tokens = fixture.signIn()
        let found = try fixture.introspect(tokens.text("access_token"))
        #expect(found["active"] as? Bool == true)
        #expect(found["token_type"] as? String == "Bearer")
        #expect(found["client_id"] as? String == "taskvault")
        #expect(found["username"] as? String == "ada@example.org")
        #expect(found["email_verified"] as? Bool == true)
        #expect((found["sub"] as? String)?.utf8.count == 32)
        #expect(found["iat"] as? Int64 == fixture.now.seconds)
        #expect(found["iss"] as? String == "https://auth.example.org")
    }

    /// A service that accepted a refresh token as a bearer token would accept it for 30 days.
    @Test func aRefreshTokenOfAnotherClientIsInactive() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let token = try fixture.signIn().text("refresh_token")
        let found = try fixture.introspect(token)
        #expect(found.count == 1)
        #expect(found["active"] as? Bool == false)
        #expect(fixture.refresh(token).status == 200)
    }

    @Test func otherTokensAreInactive() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let token = try fixture.signIn().text("access_token")
        fixture.wait(.seconds(900))
        for token in [token, "x", "tva_x", token + "x", "ä"] {
            let found = try fixture.introspect(token)
            #expect(found.count == 1)
            #expect(found["active"] as? Bool == false)
        }
    }

    @Test func onlyAConfidentialClientCanIntrospect() throws {
        let fixture = try ServerFixture()
        for request in [
            HTTPRequest.form("/oauth/introspect", ["token": "x"]),
            .form("/oauth/introspect", ["token": "x", "client_id": "taskvault"]),
            .form("/oauth/introspect", ["token": "x", "client_id": "billing"]),
            .form("/oauth/introspect", ["token": "x"], secret: "wrong"),
            .form(
                "/oauth/introspect", ["token": "x", "client_id": "billing", "client_secret": "y"]),
        ] {
            let answer = fixture.send(request)
            #expect(answer.status == 401)
            #expect(try answer.text("error") == "invalid_client")
        }
        let inForm = fixture.send(
            .form(
                "/oauth/introspect",
                [
                    "token": "x", "client_id": "billing",
                    "client_secret": ServerFixture.clientSecret,
                ]))
        #expect(inForm.status == 200)
        let twice = fixture.send(
            .form(
                "/oauth/introspect", ["token": "x", "client_secret": ServerFixture.clientSecret],
                secret: ServerFixture.clientSecret))
        #expect(try twice.text("error") == "invalid_request")
    }

    @Test func aRefreshTokenEndsTheSession() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let tokens = fixture.signIn()
        let other = fixture.signIn()
        let answer = fixture.send(
            .form(
                "/oauth/revoke",
                ["token": try tokens.text("refresh_token"), "client_id": "taskvault"]))
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(try fixture.introspect(tokens.text("access_token"))["active"] as? Bool == false)
        #expect(try fixture.introspect(other.text("access_token"))["active"] as? Bool == true)
    }

    @Test func anAccessTokenIsRevokedAlone() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let tokens = fixture.signIn()
        let token = try tokens.text("access_token")
        _ = fixture.send(.form("/oauth/revoke", ["token": token, "client_id": "taskvault"]))
        #expect(try fixture.introspect(token)["active"] as? Bool == false)
        #expect(fixture.refresh(try tokens.text("refresh_token")).status == 200)
    }

    @Test func anUnknownTokenCountsAsRevoked() throws {
        let answer = try ServerFixture().send(
            .form("/oauth/revoke", ["token": "x", "client_id": "taskvault"]))
        #expect(answer.status == 200)
    }

    @Test func aTokenOfAnotherClientStays() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let token = try fixture.signIn().text("access_token")
        let answer = fixture.send(
            .form("/oauth/revoke", ["token": token], secret: ServerFixture.clientSecret))
        #expect(try answer.text("error") == "unauthorized_client")
        #expect(try fixture.introspect(token)["active"] as? Bool == true)
    }
}

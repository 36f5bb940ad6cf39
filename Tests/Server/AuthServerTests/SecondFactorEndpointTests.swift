import Accounts
import Foundation
import HTTPServer
import Passkeys
import Testing
import TestSupport
import TextCoding

@testable import AuthServer

/// Second factors over HTTP. The secret and its codes are those of RFC 6238, appendix B.
struct SecondFactorEndpointTests {
    private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    private static let codes = (first: "005924", second: "279037")

    /// A server at a time of the RFC, with an account and a session.
    private static func fixture() throws -> (fixture: ServerFixture, token: String) {
        let fixture = try ServerFixture()
        // 1,234,567,890 s and 2,000,000,000 s have codes; the server began between them.
        fixture.wait(.seconds(2_000_000_000) - .milliseconds(fixture.now.milliseconds))
        try fixture.makeAccount()
        return (fixture, try fixture.signIn().text("access_token"))
    }

    private static func addAuthenticator(
        _ fixture: ServerFixture, _ token: String, code: String = codes.second
    ) -> HTTPResponse {
        fixture.send(
            .json(
                "/account/second-factor",
                ["current_password": ServerFixture.password, "secret": secret, "code": code],
                token: token))
    }

    private static func signIn(
        _ fixture: ServerFixture, _ fields: [String: String] = [:]
    ) -> HTTPResponse {
        let all = [
            "grant_type": "password", "client_id": "taskvault", "username": "ada@example.org",
            "password": ServerFixture.password,
        ].merging(fields) { $1 }
        return fixture.send(.form("/oauth/token", all))
    }

    private static func read(
        _ fixture: ServerFixture, _ token: String
    ) throws -> [String: any Sendable] {
        let answer = fixture.send(
            .get(
                "/account/second-factor", [HTTPHeaders.Field("Authorization", "Bearer " + token)]))
        try #require(answer.status == 200)
        return try answer.object
    }

    @Test func theTokenEndpointTellsWhatIsMissingAndWhatIsWrong() throws {
        let (fixture, token) = try Self.fixture()
        let device = try fixture.signIn().text("device_token")
        let added = Self.addAuthenticator(fixture, token)
        #expect(added.status == 200)
        let codes = try #require(added.object["recovery_codes"] as? [String])
        #expect(codes.count == 10)
        let missing = Self.signIn(fixture)
        #expect(missing.status == 403)
        #expect(try missing.text("error") == "mfa_required")
        #expect(try missing.object["mfa_methods"] as? [String] == ["otp", "recovery_code"])
        #expect(try missing.object["challenge"] == nil)
        for fields in [
            ["otp": "000000"], ["otp": Self.codes.second], ["recovery_code": "AAAA-BBBB-CCCC-DDDD"],
        ] {
            let wrong = Self.signIn(fixture, fields)
            #expect(wrong.status == 403)
            #expect(try wrong.text("error") == "mfa_invalid")
        }
        for fields in [
            ["otp": "1", "recovery_code": "2"], ["credential_id": "AA"],
            ["otp": "1", "signature": "AA"],
            [
                "credential_id": "!", "client_data": "AA", "authenticator_data": "AA",
                "signature": "AA",
            ],
        ] {
            let refused = Self.signIn(fixture, fields)
            #expect(refused.status == 400)
            #expect(try refused.text("error") == "invalid_request")
        }
        let wrongPassword = Self.signIn(fixture, ["password": "x", "recovery_code": codes[0]])
        #expect(try wrongPassword.text("error") == "invalid_grant")
        #expect(
            try Self.signIn(fixture, ["device_token": device]).text("error") == "mfa_required",
            "the password alone made it known")
        let signedIn = Self.signIn(fixture, ["recovery_code": codes[0]])
        #expect(signedIn.status == 200)
        let known = try signedIn.text("device_token")
        #expect(Self.signIn(fixture, ["device_token": known]).status == 200)
        #expect(try fixture.refresh(signedIn.text("refresh_token")).status == 200)
        let read = try Self.read(fixture, try signedIn.text("access_token"))
        #expect(read["recovery_codes_left"] as? Int == 9)
        let factors = try #require(read["factors"] as? [[String: any Sendable]])
        #expect(factors.map { $0["kind"] as? String } == ["totp"])
        for event in [
            "second_factor_added", "second_factor_missing", "second_factor_refused",
            "recovery_code_used",
        ] {
            #expect(fixture.log.contains { $0.contains("\"event\":\"\(event)\"") }, "\(event)")
        }
        let text = fixture.log.joined()
        for secret in codes + [Self.secret, Self.codes.second, ServerFixture.password] {
            #expect(!text.contains(secret))
        }
    }

    @Test func wrongSecondFactorsAreLimitedAndTheAnswerSaysWhen() throws {
        let (fixture, token) = try Self.fixture()
        _ = Self.addAuthenticator(fixture, token)
        for _ in 0..<5 {
            #expect(try Self.signIn(fixture, ["otp": "000000"]).text("error") == "mfa_invalid")
        }
        let waiting = Self.signIn(fixture, ["otp": "000000"])
        #expect(waiting.status == 429)
        #expect(waiting.field("Retry-After") == "900")
    }

    @Test func changesNeedTokenPasswordAndSecondFactor() throws {
        let (fixture, token) = try Self.fixture()
        let paths = ["", "/remove", "/recovery-codes", "/challenge"].map {
            "/account/second-factor" + $0
        }
        for path in paths {
            let answer = fixture.send(
                .json(
                    path,
                    [
                        "": ["current_password": "x", "secret": "A", "code": "1"],
                        "/remove": ["current_password": "x", "factor": "all"],
                        "/recovery-codes": ["current_password": "x"],
                        "/challenge": [
                            "purpose": "register", "page_origin": PageOrigin(port: 8_421).text,
                        ],
                    ][String(path.dropFirst(paths[0].count))] ?? [:], token: "tva_unknown"))
            #expect(answer.status == 401, "\(path)")
        }
        let wrong = fixture.send(
            .json(
                paths[0],
                ["current_password": "wrong horse", "secret": Self.secret, "code": "279037"],
                token: token))
        #expect(wrong.status == 403)
        #expect(try wrong.text("code") == "wrong_password")
        let malformed = Self.addAuthenticator(fixture, token, code: "000000")
        #expect(malformed.status == 422)
        #expect(try malformed.text("code") == "invalid_second_factor")
        let added = Self.addAuthenticator(fixture, token)
        let codes = try #require(added.object["recovery_codes"] as? [String])
        let password = ["current_password": ServerFixture.password]
        for (path, more) in [(paths[1], ["factor": "all"]), (paths[2], [:])] {
            let refused = fixture.send(
                .json(path, password.merging(more) { $1 }, token: token))
            #expect(refused.status == 403)
            #expect(try refused.text("code") == "second_factor_required")
        }
        let spent = fixture.send(
            .json(paths[2], password.merging(["otp": "279037"]) { $1 }, token: token))
        #expect(try spent.text("code") == "wrong_second_factor")
        let renewed = fixture.send(
            .json(paths[2], password.merging(["recovery_code": codes[0]]) { $1 }, token: token))
        let new = try #require(renewed.object["recovery_codes"] as? [String])
        #expect(new.count == 10 && !new.contains(codes[1]))
        let unknown = fixture.send(
            .json(
                paths[1],
                password.merging([
                    "factor": String(repeating: "0", count: 32), "recovery_code": new[0],
                ]) { $1 }, token: token))
        #expect(unknown.status == 404)
        let removed = fixture.send(
            .json(
                paths[1], password.merging(["factor": "all", "recovery_code": new[0]]) { $1 },
                token: token))
        #expect(removed.status == 200)
        #expect(try removed.object["recovery_codes"] == nil)
        #expect(Self.signIn(fixture).status == 200)
    }

    @Test func aPasskeySignsInOnItsPage() throws {
        let (fixture, token) = try Self.fixture()
        let page = PageOrigin(port: 8_421)
        let passkey = TestPasskey(page: page)
        let challenge = fixture.send(
            .json(
                "/account/second-factor/challenge",
                ["purpose": "register", "page_origin": page.text], token: token))
        #expect(challenge.status == 200)
        #expect(try challenge.text("rp_id") == PasskeyCeremonies.relyingPartyID)
        let registration = passkey.registration(try Self.challenge(challenge))
        let added = fixture.send(
            .json(
                "/account/second-factor",
                [
                    "current_password": ServerFixture.password, "label": "blue",
                    "registration_data": Base64.urlText(of: registration.clientData),
                    "attestation_object": Base64.urlText(of: registration.attestationObject),
                ], token: token))
        #expect(added.status == 200)
        for origin in ["https://example.org", "http://localhost:8421", page.text + "/"] {
            let refused = fixture.send(
                .json(
                    "/account/second-factor/challenge",
                    ["purpose": "confirm", "page_origin": origin], token: token))
            #expect(refused.status == 400)
            #expect(try Self.signIn(fixture, ["page_origin": origin]).object["challenge"] == nil)
        }
        let asked = Self.signIn(fixture, ["page_origin": page.text])
        #expect(try asked.text("error") == "mfa_required")
        #expect(try asked.object["mfa_methods"] as? [String] == ["recovery_code", "passkey"])
        #expect(
            try asked.object["credentials"] as? [String] == [Base64.urlText(of: passkey.id)])
        let fields = Self.fields(passkey.assertion(try Self.challenge(asked)))
        let signedIn = Self.signIn(fixture, fields)
        #expect(signedIn.status == 200)
        #expect(try signedIn.text("device_token").hasPrefix("tvd_"))
        #expect(try Self.signIn(fixture, fields).text("error") == "mfa_invalid")
        // Another page's answer, and the removal by the passkey.
        let confirm = fixture.send(
            .json(
                "/account/second-factor/challenge",
                ["purpose": "confirm", "page_origin": page.text], token: token))
        let proof = Self.fields(passkey.assertion(try Self.challenge(confirm)))
        let removed = fixture.send(
            .json(
                "/account/second-factor/remove",
                ["current_password": ServerFixture.password, "factor": "all"].merging(proof) { $1 },
                token: token))
        #expect(removed.status == 200)
        #expect(Self.signIn(fixture).status == 200)
    }

    private static func challenge(_ answer: HTTPResponse) throws -> PasskeyChallenge {
        let bytes = try #require(Base64.bytes(of: answer.text("challenge"), .url))
        return PasskeyChallenge(bytes: bytes, choices: [])
    }

    private static func fields(_ assertion: PasskeyAssertion) -> [String: String] {
        [
            "credential_id": assertion.credentialID, "client_data": assertion.clientData,
            "authenticator_data": assertion.authenticatorData, "signature": assertion.signature,
        ].mapValues { Base64.urlText(of: $0) }
    }
}

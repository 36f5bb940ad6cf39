import SecretMemory
@testable import SignIn
import Testing
import TextCoding

/// The request of a server for a second factor.
func secondFactorMissing() throws -> SignInError {
    let bytes = Array(#"{"error":"mfa_required","mfa_methods":["otp"]}"#.utf8)
    // Safe: the array outlives the span.
    let span = unsafe bytes.span.bytes
    guard let object = JSONObject(answer: span), let request = SecondFactorRequest(object, span)
    else { throw SignInError.broken(detail: "the test's own text") }
    return .secondFactor(request)
}

@Suite("A second factor at TaskVault's own server")
struct SecondFactorRequestTests {
    private static let required = Answer(
        403, #"{"error":"mfa_required","error_description":"x","mfa_methods":["otp","passkey"]}"#)

    private static func request(_ client: OAuthClient) -> SecondFactorRequest? {
        guard case .secondFactor(let request) = client.refusal() else { return nil }
        return request
    }

    @Test("is told apart from a wrong password")
    func told() throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(ScriptedServer.token, Self.required)
            let missing = try #require(Self.request(client))
            #expect(!missing.isRefused && missing.acceptsCode && missing.acceptsPasskey)
            #expect(missing.challenge == nil)
            server.answer(ScriptedServer.token, Answer(403, #"{"error":"mfa_invalid"}"#))
            #expect(try #require(Self.request(client)).isRefused)
            server.answer(ScriptedServer.token, Answer(500, #"{"error":"mfa_required"}"#))
            #expect(Self.request(client) == nil)
        }
    }

    @Test(
        "has a challenge only if it is whole",
        arguments: [
            (#","challenge":"AQID","rp_id":"x.localhost","credentials":["AP8","_w"]"#, true),
            (#","challenge":"AQID","rp_id":"x.localhost","credentials":["AP8","!"]"#, false),
            (#","challenge":"?","rp_id":"x.localhost","credentials":[]"#, false),
            (#","challenge":"AQID","credentials":[]"#, false),
            (#","challenge":"AQID","rp_id":"x.localhost""#, false),
        ])
    func challenge(members: String, isWhole: Bool) throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(
                ScriptedServer.token, Answer(403, #"{"error":"mfa_required"\#(members)}"#))
            let challenge = try #require(Self.request(client)).challenge
            #expect((challenge != nil) == isWhole)
            guard let challenge else { return }
            #expect(challenge.challenge == [1, 2, 3] && challenge.relyingPartyID == "x.localhost")
            #expect(challenge.credentials == [[0, 255], [255]])
        }
    }

    @Test(
        "is sent with the password, as what it is",
        arguments: [
            ("123456", "otp=123456"), ("123 456", "otp=123%20456"),
            ("12345", "recovery_code=12345"), ("1234567", "recovery_code=1234567"),
            ("ABCD-EFGH-IJKL-MNOP", "recovery_code=ABCD-EFGH-IJKL-MNOP"),
        ])
    func sent(typed: String, field: String) throws {
        try ScriptedServer.run { (server, client, _) throws in
            client.answer(secondFactor: SecondFactorAnswer(typed: try secret(typed)))
            _ = try client.signIn()
            client.answer(secondFactor: nil)
            _ = try client.signIn()
            #expect(
                try #require(server.requests.first?.text).hasSuffix("&password=secret&" + field))
            #expect(try #require(server.requests.last?.text).hasSuffix("&password=secret"))
        }
    }

    @Test("of a passkey is sent in Base64 for URLs, and the page before it")
    func passkey() throws {
        try ScriptedServer.run { (server, client, _) throws in
            client.answer(
                secondFactor: SecondFactorAnswer(
                    credential: [255], clientData: [1], authenticatorData: [2], signature: [3]))
            _ = try client.signIn()
            client.answer(secondFactor: SecondFactorAnswer(page: "http://a.b:1"))
            _ = try client.signIn()
            #expect(
                try #require(server.requests.first?.text).hasSuffix(
                    "&credential_id=_w&client_data=AQ&authenticator_data=Ag&signature=Aw"))
            #expect(
                try #require(server.requests.last?.text).hasSuffix(
                    "&page_origin=http%3A%2F%2Fa.b%3A1"))
        }
    }

    @Test("is not sent to another server, which asks for one in vain")
    func foreign() throws {
        try ScriptedServer.run { (server, client, origin) throws in
            server.answer(
                ScriptedServer.description,
                Answer(
                    200, #"{"issuer":"\#(origin)","token_endpoint":"\#(origin)/oauth/token"}"#))
            server.answer(ScriptedServer.token, Self.required)
            client.answer(secondFactor: SecondFactorAnswer(typed: try secret("123456")))
            guard case .refused(.other) = client.refusal() else {
                Issue.record("no refusal")
                return
            }
            #expect(!(try #require(server.requests.last?.text).contains("123456")))
        }
    }

    @Test("is listed and changed, and recovery codes are lines")
    func account() throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer("/account/second-factor") { note in
                note.method == "GET"
                    ? Answer(
                        200,
                        #"{"factors":[{"id":"1","kind":"passkey","label":"blue","created":"c"}],"recovery_codes_left":7}"#
                    )
                    : Answer(200, #"{"recovery_codes":["AAAA-BBBB","CCCC-DDDD"]}"#)
            }
            let token = try secret("tva_1")
            let found = try client.secondFactors(token)
            #expect(found.recoveryCodesLeft == 7 && found.factors.map(\.label) == ["blue"])
            let codes = try client.changeSecondFactors(
                AccountFactorChange(secret: try secret("SECRET"), code: try secret("1")),
                password: try secret("p"),
                confirmedBy: SecondFactorAnswer(typed: try secret("222222")), token)
            let lines =
                switch codes {
                case .some(let codes): text(codes)
                case .none: ""
                }
            #expect(lines == "AAAA-BBBB\nCCCC-DDDD")
            #expect(
                server.requests.last?.text
                    == #"{"current_password":"p","otp":"222222","secret":"SECRET","code":"1"}"#)
            server.answer("/account/second-factor/remove", Answer(200, "{}"))
            let none = try client.changeSecondFactors(
                AccountFactorChange(removing: "all"), password: try secret("p"), confirmedBy: nil,
                token)
            let isNone =
                switch none {
                case .some: false
                case .none: true
                }
            #expect(isNone)
            #expect(server.requests.last?.text == #"{"current_password":"p","factor":"all"}"#)
        }
    }

    @Test(
        "of a change has its own refusals",
        arguments: [
            (403, "second_factor_required", RefusalReason.secondFactor(isMissing: true)),
            (403, "wrong_second_factor", .secondFactor(isMissing: false)),
            (422, "invalid_second_factor", .newSecondFactor),
            (404, "no_second_factor", .noSecondFactor),
        ])
    func refusals(status: Int, code: String, reason: RefusalReason) throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(
                "/account/second-factor/recovery-codes",
                Answer(status, #"{"type":"about:blank","title":"t","code":"\#(code)"}"#))
            #expect(throws: SignInError.refused(reason)) {
                _ = try client.changeSecondFactors(
                    .recoveryCodes, password: try secret("p"), confirmedBy: nil,
                    try secret("tva_1"))
            }
        }
    }
}

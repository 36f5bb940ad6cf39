import Foundation
import HTTPClient
import SignIn
import Testing

@Suite("An answer of an OAuth server")
struct OAuthAnswerTests {
    private static func answer(_ members: String) -> String {
        #"{"access_token":"an access~token","token_type":"bearer","refresh_token":"r"\#(members)}"#
    }

    @Test(
        "has the lifetime of a token, in every usual form",
        arguments: [
            ("", nil), (#","expires_in":900"#, 900), (#","expires_in":"900""#, 900),
            (#","expires_in":3599.9"#, 3599), (#","expires_in":9e2"#, 900),
            (#","expires_in":0"#, 0), (#","expires_in":4294967295"#, .max),
            (#","expires_in":4294967296"#, nil), (#","expires_in":-1"#, nil),
            (#","expires_in":1e999"#, nil), (#","expires_in":"nan""#, nil),
            (#","expires_in":"soon""#, nil), (#","expires_in":null"#, nil),
            (#","expires_in":[900]"#, nil), (#","expires_in":{}"#, nil),
            (#","expires_in":true"#, nil),
        ] as [(String, UInt32?)])
    func lifetimes(member: String, seconds: UInt32?) throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(ScriptedServer.token, Answer(200, Self.answer(member)))
            let (grant, lifetime) = try client.signIn()
            #expect(grant == Grant(access: "an access~token", refresh: "r"))
            #expect(lifetime == seconds)
        }
    }

    @Test("may have any other member, and escapes in a token")
    func others() throws {
        try ScriptedServer.run { (server, client, _) throws in
            let deep = String(repeating: "{\"a\":[", count: 250)
            let end = String(repeating: "]}", count: 250)
            server.answer(
                ScriptedServer.token,
                Answer(
                    200,
                    "{\"x\":\(deep)\(end),\"access_token\":\"\\u0061\\/b\",\"token_type\":\"BEARER\"}"
                ))
            #expect(try client.signIn().0 == Grant(access: "a/b", refresh: ""))
        }
    }

    @Test(
        "is an error if it is not OAuth",
        arguments: [
            "", "OK", "<html></html>", "[]", "null", "{}", #"{"access_token":"a"}"#,
            #"{"token_type":"Bearer"}"#, #"{"access_token":"a","token_type":"mac"}"#,
            #"{"access_token":"","token_type":"Bearer"}"#,
            #"{"access_token":null,"token_type":"Bearer"}"#,
            #"{"access_token":5,"token_type":"Bearer"}"#,
            #"{"access_token":"a\nb","token_type":"Bearer"}"#,
            #"{"access_token":"a\u0000","token_type":"Bearer"}"#,
            #"{"access_token":"\u00e9","token_type":"Bearer"}"#,
            #"{"access_token":"a\u007f","token_type":"Bearer"}"#,
            #"{"access_token":"a","token_type":"Bearer","refresh_token":"b\nc"}"#,
            #"{"access_token":"a","token_type":"Bearer","refresh_token":""}"#,
            #"{"access_token":"a","token_type":"Bearer","refresh_token":7}"#,
            #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":1,"expires_in":1}"#,
            #"{"access_token":"a","token_type":"Bearer""#,
            #"{"access_token":"a","token_type":"Bearer","#,
            #"{"access_token":"a","token_type":"Bearer"}}"#,
            #"{"access_token":"a","token_type":"Bearer","x":"\#u{1}"}"#,
            #"{"access_token":"\#(String(repeating: "a", count: 16_385))","token_type":"Bearer"}"#,
            "{\"access_token\":\"a\",\"token_type\":\"Bearer\",\"x\":"
                + String(repeating: "[", count: 100_000) + "}",
        ])
    func broken(content: String) throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(ScriptedServer.token, Answer(200, content))
            #expect(client.refusal() == .broken(detail: "its answer is not OAuth"))
        }
    }

    @Test("may have no refresh token, or null; then the old one stays valid")
    func noRefreshToken() throws {
        for member in ["", #","refresh_token":null"#] {
            try ScriptedServer.run { (server, client, _) throws in
                server.answer(
                    ScriptedServer.token,
                    Answer(200, #"{"access_token":"a2","token_type":"Bearer"\#(member)}"#))
                #expect(try client.signIn().0 == Grant(access: "a2", refresh: ""))
                let tokens = try client.refresh(try secret("old token"))
                #expect(tokens.texts == Grant(access: "a2", refresh: "old token"))
            }
        }
    }

    @Test("may have a token of the largest size")
    func largest() throws {
        try ScriptedServer.run { (server, client, _) throws in
            let token = String(repeating: "a", count: GrantedTokens.maximumSize)
            server.answer(
                ScriptedServer.token,
                Answer(200, #"{"access_token":"\#(token)","token_type":"Bearer"}"#))
            #expect(try client.signIn().0.access == token)
        }
    }

    static let refusals: [(Answer, SignInError)] = [
        (Answer(400, #"{"error":"invalid_grant"}"#), .rejected),
        (
            Answer(401, #"{"error":"invalid_grant","error_description":"no"}"#),
            .notAccepted(detail: "no")
        ),
        // Authlib's server says so for a wrong password.
        (
            Answer(
                400,
                #"{"error":"invalid_request","error_description":"Invalid \"password\" \u001b[31m"}"#
            ),
            .notAccepted(detail: #"Invalid "password" \u{1B}[31m"#)
        ),
        (Answer(403, #"{"error":"invalid_grant"}"#), .rejected),
        // A proxy in front of the server says nothing about a password.
        (Answer(401, "<html>no</html>"), .broken(detail: "it answered with status 401")),
        (Answer(403, "<html>no</html>"), .broken(detail: "it answered with status 403")),
        (Answer(400, "<html>no</html>"), .broken(detail: "it answered with status 400")),
        (Answer(403, #"{"message":"Forbidden"}"#), .broken(detail: "it answered with status 403")),
        (Answer(401), .broken(detail: "it answered with status 401")),
        (Answer(400), .broken(detail: "it answered with status 400")),
        (
            Answer(400, headers: ["Cache-Control": "no-store"]),
            .broken(detail: "it answered with status 400")
        ),
        (
            Answer(
                400,
                #"{"error":"invalid_grant","error_description":"no","code":"account_disabled"}"#),
            .refused(.disabled)
        ),
        (
            Answer(400, #"{"error":"invalid_grant","error_description":"Account disabled"}"#),
            .notAccepted(detail: "Account disabled")
        ),
        (
            Answer(
                400,
                #"{"error":"invalid_request","error_description":"secret is not your password"}"#),
            .rejected
        ),
        (
            Answer(401, #"{"error":"invalid_client","error_description":"who?"}"#),
            .refused(.other(detail: "the server does not know this client: who?"))
        ),
        (
            Answer(400, #"{"error":"unauthorized_client"}"#),
            .refused(.other(detail: "the server does not know this client"))
        ),
        (Answer(400, #"{"error":"unsupported_grant_type"}"#), .unsupported),
        (
            Answer(400, #"{"error":"invalid_scope","error_description":"too \u001b[31mmuch"}"#),
            .refused(.other(detail: #"too \u{1B}[31mmuch"#))
        ),
        (
            Answer(400, #"{"error":"invalid_scope"}"#),
            .refused(.other(detail: "the server refused the request"))
        ),
        (Answer(429, #"{"error":"invalid_grant"}"#), .throttled(seconds: nil)),
        (Answer(429, headers: ["Retry-After": "120"]), .throttled(seconds: 120)),
        (Answer(429, headers: ["Retry-After": "99999999999"]), .throttled(seconds: 2_147_483_648)),
        (
            Answer(429, headers: ["Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"]),
            .throttled(seconds: nil)
        ),
        (Answer(429, headers: ["Retry-After": "-5"]), .throttled(seconds: nil)),
        // An overloaded server does not limit requests.
        (
            Answer(503, headers: ["Retry-After": "90"]),
            .unreachable(
                detail: "the server cannot answer now (status 503); try again in 1m30s",
                mayHaveArrived: true)
        ),
        (
            Answer(500, #"{"error":"invalid_grant"}"#),
            .broken(detail: "it answered with status 500")
        ),
        (Answer(404, "no JSON"), .broken(detail: "it answered with status 404")),
        (
            Answer(410),
            .unreachable(detail: "the server cannot answer now (status 410)", mayHaveArrived: true)
        ),
        (
            Answer(502, "<html>"),
            .unreachable(detail: "the server cannot answer now (status 502)", mayHaveArrived: true)
        ),
        (Answer(201, #"{"access_token":"a"}"#), .broken(detail: "it answered with status 201")),
        (
            Answer(307, headers: ["Location": "https://other.example.org/"]),
            .broken(detail: "it redirects clients to other.example.org")
        ),
        (
            Answer(302, headers: ["Location": "/oauth/other"]),
            .broken(detail: "it redirects clients to 127.0.0.1")
        ),
    ]

    @Test("with a refusal has its meaning", arguments: 0..<refusals.count)
    func refused(number: Int) throws {
        let (answer, expected) = Self.refusals[number]
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(ScriptedServer.token, answer)
            #expect(client.refusal() == expected)
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "that is late, missing, or not OAuth's, leaves a person signed in offline",
        arguments: [401, 403, 404, 407, 410, 429, 500, 502, 503, 511])
    func offline(status: Int) throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(ScriptedServer.token, Answer(status))
            #expect(client.refusal()?.isOffline == true)
            server.answer(ScriptedServer.token, Answer(401, #"{"error":"invalid_grant"}"#))
            #expect(client.refusal()?.isOffline == false)
        }
    }

    /// Answers of gateways and portals: the member `error` with other words, OAuth's codes of other
    /// requests, and other members.
    static let gateways = [
        Answer(
            403,
            #"{"timestamp":"2026-11-29T09:00:00Z","status":403,"error":"Forbidden","path":"/token"}"#
        ),
        Answer(401, #"{"error":"Unauthorized","code":"account_disabled"}"#),
        Answer(401, #"{"error":"unauthorized","error_description":"Full authentication"}"#),
        Answer(401, #"{"error":"invalid_token"}"#), Answer(403, #"{"error":"access_denied"}"#),
        Answer(400, #"{"error":"expired_token"}"#), Answer(400, #"{"error":"server_error"}"#),
        Answer(400, #"{"error":"INVALID_GRANT"}"#), Answer(400, #"{"error":"invalid_grant "}"#),
        Answer(400, #"{"error":["invalid_grant"]}"#), Answer(400, #"{"error":""}"#),
        Answer(404, #"{"error":"invalid_grant"}"#), Answer(451, #"{"error":"invalid_grant"}"#),
        Answer(500, #"{"error":"invalid_grant"}"#), Answer(400, #"{"message":"Bad Request"}"#),
        Answer(400, #"{"code":"account_disabled"}"#), Answer(400), Answer(401), Answer(403),
        Answer(200, #"{"error":"invalid_grant"}"#),
    ]

    @Test("of a gateway is no verdict on a password or a token", arguments: gateways.indices)
    func gateway(number: Int) throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(ScriptedServer.token, Self.gateways[number])
            server.answer("/oauth/revoke", Self.gateways[number])
            let errors = [
                client.refusal(), Self.error { _ = try client.refresh(try secret("r")) },
                Self.gateways[number].status == 200
                    ? .broken(detail: "") : Self.error { try client.revoke(try secret("r")) },
            ]
            for error in errors {
                guard case .broken = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            #expect(errors.allSatisfy { $0?.isOffline == true })
        }
    }

    @Test(
        "to a refresh that wants the person leads to the page",
        arguments: ["interaction_required", "login_required", "consent_required"])
    func personWanted(code: String) throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(ScriptedServer.token, Answer(400, #"{"error":"\#(code)"}"#))
            #expect(
                Self.error { _ = try client.refresh(try secret("r")) }
                    == .refused(.other(detail: "the server refused the request")))
        }
    }

    @Test("to a refresh that has Glewlwyd's form leads to the page, and is not called a verdict")
    func silent() throws {
        try ScriptedServer.run { (server, client, _) throws in
            for (fields, expected) in [
                (
                    ["Cache-Control": "no-store"],
                    SignInError.refused(.other(detail: "the server refused the stored session"))
                ),
                (["Cache-Control": "no-cache"], .broken(detail: "it answered with status 400")),
                ([:], .broken(detail: "it answered with status 400")),
            ] {
                server.answer(ScriptedServer.token, Answer(400, headers: fields))
                #expect(Self.error { _ = try client.refresh(try secret("r")) } == expected)
            }
        }
    }

    private static func error(_ body: () throws -> Void) -> SignInError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SignInError
        }
    }

    @Test("with a refusal is shown in one short line")
    func long() throws {
        try ScriptedServer.run { (server, client, _) throws in
            let text = "e" + String(repeating: "\u{301}", count: 50_000)
            server.answer(
                ScriptedServer.token,
                Answer(
                    400,
                    "{\"error\":\"invalid_request\",\"error_description\":\"a\\nb\(text)\"}"))
            guard case .notAccepted(let detail) = client.refusal() else {
                Issue.record("it was not taken for a verdict")
                return
            }
            #expect(detail.hasPrefix(#"a\u{A}b"#))
            #expect(detail.unicodeScalars.count < 300)
        }
    }

    @Test("that is too large is not read to its end")
    func huge() throws {
        try ScriptedServer.run(limit: 10_000) { (server, client, _) throws in
            server.answer(
                ScriptedServer.token,
                Answer(
                    200, Self.answer(",\"x\":\"" + String(repeating: "a", count: 900_000) + "\"")))
            let error = client.refusal()
            #expect(
                error == .broken(detail: "its answer is not HTTP, or far too large"))
            #expect(error?.mayHaveSucceeded == true)
        }
    }

    @Test("that ends early leaves the outcome open")
    func cut() throws {
        try CuttingServer.run { (server, client) throws in
            let error = client.refusal()
            #expect(
                error
                    == .unreachable(
                        detail: "the answer ended in the middle", mayHaveArrived: true))
            #expect(error?.mayHaveSucceeded == true)
            #expect(server.postCount == 1)
        }
    }

    @Test("is missing if the connection is refused, and nothing was sent")
    func nobody() throws {
        var address = ""
        try ScriptedServer.run { (_, _, origin) throws in address = origin }
        let client = OAuthClient(try makeIssuer(address), try HTTPClient())
        #expect(
            client.refusal()
                == .unreachable(detail: "connection refused", mayHaveArrived: false))
    }
}

import Foundation
import SignIn
import Testing
import TestSupport

@Suite("A refusal of TaskVault's server")
struct AccountRefusalTests {
    static let refusals: [(Answer, SignInError)] = [
        (Answer(401, #"{"code":"invalid_token"}"#), .rejected),
        // A proxy in front of the server says nothing about a token.
        (Answer(401), .broken(detail: "it answered with status 401")),
        (Answer(401, "<html>no</html>"), .broken(detail: "it answered with status 401")),
        (Answer(403, "<html>no</html>"), .broken(detail: "it answered with status 403")),
        (Answer(403, #"{"code":"wrong_password"}"#), .refused(.password)),
        (
            Answer(422, #"{"code":"password_policy","title":"t","detail":"8 bytes at least"}"#),
            .refused(.newPassword(detail: "8 bytes at least"))
        ),
        (
            Answer(422, #"{"code":"password_policy"}"#),
            .refused(.newPassword(detail: "the server refuses the password"))
        ),
        (Answer(403, #"{"code":"invitation_refused"}"#), .refused(.invitation)),
        (Answer(409, #"{"code":"already_exists"}"#), .refused(.name)),
        (
            Answer(422, #"{"code":"invalid_email","title":"Name refused"}"#),
            .refused(.other(detail: "Name refused"))
        ),
        (Answer(404, #"{"code":"not_found"}"#), .unsupported),
        (Answer(405, #"{"code":"method_not_allowed"}"#), .unsupported),
        // A gateway says nothing about the account, whatever its words.
        (Answer(404, "<html>"), .broken(detail: "it answered with status 404")),
        (Answer(405), .broken(detail: "it answered with status 405")),
        (Answer(401, #"{"code":"UNAUTHORIZED"}"#), .broken(detail: "it answered with status 401")),
        (
            Answer(403, #"{"code":"forbidden","detail":"no"}"#),
            .broken(detail: "it answered with status 403")
        ),
        (
            Answer(429, #"{"code":"too_many_attempts"}"#, headers: ["Retry-After": "60"]),
            .throttled(seconds: 60)
        ),
        (
            Answer(503, #"{"code":"busy"}"#, headers: ["Retry-After": "2"]),
            .unreachable(
                detail: "the server cannot answer now (status 503); try again in 2s",
                mayHaveArrived: false)
        ),
        (
            Answer(503, #"{"code":"unavailable"}"#, headers: ["Retry-After": "5"]),
            .unreachable(
                detail: "the server cannot answer now (status 503); try again in 5s",
                mayHaveArrived: true)
        ),
        (
            Answer(503, "a proxy"),
            .unreachable(detail: "the server cannot answer now (status 503)", mayHaveArrived: true)
        ),
        (
            Answer(500, #"{"code":"wrong_password"}"#),
            .broken(detail: "it answered with status 500")
        ),
        (Answer(502, "a proxy"), .broken(detail: "it answered with status 502")),
        (Answer(418), .broken(detail: "it answered with status 418")),
        (Answer(202, "{}"), .broken(detail: "it answered with status 202")),
    ]

    @Test("has its meaning", arguments: 0..<refusals.count, AccountCall.allCases)
    func refused(number: Int, call: AccountCall) throws {
        guard call != .revoke else { return }
        let (answer, expected) = Self.refusals[number]
        try ScriptedServer.run { (server, client, _) throws in
            for path in ["/account", "/account/password", "/account/remove"] {
                server.answer(path, answer)
            }
            #expect(call.error(client) == expected)
            #expect(server.requests.count == 1)
        }
    }

    @Test("is known by each code of the server's description")
    func codes() throws {
        let description = Checkout.text("Docs/AuthServer.openapi.yaml")
        let problem = try #require(description.components(separatedBy: "\n    Problem:\n").last)
        let listed = try #require(problem.components(separatedBy: "\n          enum:\n").last)
        let codes = listed.components(separatedBy: "\n").prefix { $0.hasPrefix("            - ") }
            .map { String($0.drop { $0 != "-" }.dropFirst(2)) }
        #expect(codes.count > 20 && codes.contains("wrong_password"))
        try ScriptedServer.run { (server, client, _) throws in
            for code in codes {
                server.answer("/account", Answer(422, "{\"code\":\"\(code)\"}"))
                let error = try #require(AccountCall.details.error(client))
                #expect(!error.isOffline, "\(code)")
            }
        }
    }

    @Test("of the end of a session is told apart from a gateway's")
    func session() throws {
        try ScriptedServer.run { (server, client, _) throws in
            let token = try secret("tva_1")
            server.answer("/account/sessions/end", Answer(404, #"{"code":"not_found"}"#))
            #expect(try !client.endSession("a", token))
            server.answer("/account/sessions/end", Answer(404, "<html>"))
            #expect(throws: SignInError.broken(detail: "it answered with status 404")) {
                try client.endSession("a", token)
            }
        }
    }

    @Test("of a code for a new password names the code, not an invitation")
    func resetCode() throws {
        try ScriptedServer.run { (server, client, _) throws in
            let account = AccountName("ada@example.org").unsafelyPresent
            for (answer, expected) in [
                (Answer(403, #"{"code":"invitation_refused"}"#), SignInError.refused(.resetCode)),
                (Answer(403, "<html>"), .broken(detail: "it answered with status 403")),
                (
                    Answer(429, #"{"code":"too_many_attempts"}"#, headers: ["Retry-After": "9"]),
                    .throttled(seconds: 9)
                ),
            ] {
                server.answer("/account/reset", answer)
                #expect(throws: expected) {
                    try client.resetPassword(of: account, to: secret("new"), code: secret("code"))
                }
            }
        }
    }

    @Test("of a new account tells whether it needs an invitation, before there is a password")
    func invitation() throws {
        try ScriptedServer.run { (server, client, _) throws in
            let account = AccountName("ada@example.org").unsafelyPresent
            server.answer("/account", Answer(403, #"{"code":"invitation_refused"}"#))
            #expect(try client.requiresInvitation(for: account))
            server.answer("/account", Answer(422, #"{"code":"password_policy"}"#))
            #expect(try !client.requiresInvitation(for: account))
            #expect(
                server.requests.map(\.text)
                    == Array(repeating: #"{"email":"ada@example.org","password":""}"#, count: 2))
            server.answer("/account", Answer(409, #"{"code":"already_exists"}"#))
            #expect(throws: SignInError.refused(.name)) {
                try client.requiresInvitation(for: account)
            }
        }
    }

    @Test("that makes no sense leaves the outcome open; a failed description does not")
    func maybe() throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer("/account/password", Answer(200, "not JSON"))
            #expect(AccountCall.change.error(client)?.mayHaveSucceeded == true)
            server.answer("/account/password", Answer(503))
            #expect(AccountCall.change.error(client)?.mayHaveSucceeded == true)
            server.answer("/account/password", Answer(403, #"{"code":"wrong_password"}"#))
            #expect(AccountCall.change.error(client)?.mayHaveSucceeded == false)
        }
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(ScriptedServer.description, Answer(200, "not JSON"))
            #expect(AccountCall.change.error(client)?.mayHaveSucceeded == false)
        }
        try CuttingServer.run(.description) { (_, client) throws in
            let error = AccountCall.change.error(client)
            #expect(
                error
                    == .unreachable(
                        detail: "the answer ended in the middle", mayHaveArrived: false))
        }
    }

    @Test("that is lost with the server leaves the outcome open, and is not requested again")
    func dying() throws {
        try CuttingServer.run(.everythingButDescription) { (server, client) throws in
            let error = AccountCall.change.error(client)
            #expect(
                error
                    == .unreachable(
                        detail: "the connection ended before the answer",
                        mayHaveArrived: true))
            #expect(server.postCount == 1)
        }
    }

    @Test(
        "never quotes a password, a token or an invitation",
        arguments: [400, 422, 500])
    func secrets(status: Int) throws {
        let sent = ["token-Kx9", "password-Jw4", "password-Lz8", "invitation-Qp2"]
        try ScriptedServer.run { (server, client, _) throws in
            let paths = ["/account", "/account/password", "/account/remove", "/oauth/revoke"]
            for code in ["password_policy", "invalid_email"] {
                for member in ["detail", "title", "error_description", "error", "code"] {
                    for secret in sent {
                        let body =
                            member == "error" || member == "code"
                            ? "{\"\(member)\":\"\(secret)\"}"
                            : "{\"error\":\"invalid_request\",\"code\":\"\(code)\",\"\(member)\":\"not \(secret)!\"}"
                        for path in paths { server.answer(path, Answer(status, body)) }
                        for call in AccountCall.allCases {
                            let error = try #require(call.error(client))
                            let shown = "\(error) \(String(reflecting: error))"
                            // Only secrets of the request are withheld.
                            guard call.sends(secret) else { continue }
                            #expect(!shown.contains(secret), "\(call)")
                        }
                        server.answer(ScriptedServer.token, Answer(status, body))
                        for password in [true, false] {
                            let refusal = try Self.refusal(client, secret, isPassword: password)
                            let error = try #require(refusal)
                            #expect(!"\(error)".contains(secret))
                        }
                    }
                }
            }
        }
    }

    @Test(
        "never quotes a password in its encoded form",
        arguments: [
            "p%C3%A4ss%22%20%5C%2525", "p%c3%a4ss%22+%5c%2525", #"pä\u0073s\u0022 \\\u002525"#,
            #"pä\/ss"#, #"pass\" \\%25"#,
        ])
    func escapedSecrets(quoted: String) throws {
        let password =
            quoted.contains("/")
            ? "pä/ss" : quoted.contains("pass") ? #"pass" \%25"# : #"päss" \%25"#
        try ScriptedServer.run { (server, client, _) throws in
            var said = Array(#"{"error":"invalid_request","error_description":"not "#.utf8)
            for byte in quoted.utf8 {
                // Escaped for JSON, so that the sentence is the text above.
                if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") {
                    said.append(UInt8(ascii: "\\"))
                }
                said.append(byte)
            }
            server.answer(
                ScriptedServer.token, Answer(400, bytes: said + Array(#"!"}"#.utf8)))
            let error = try #require(try Self.refusal(client, password, isPassword: true))
            #expect(error == .rejected)
            // Only the password is the reason to withhold the sentence.
            let other = try #require(try Self.refusal(client, "another", isPassword: true))
            guard case .notAccepted(let detail) = other else {
                Issue.record("\(other)")
                return
            }
            #expect(detail.hasPrefix("not p"))
        }
    }

    private static func refusal(
        _ client: OAuthClient, _ text: String, isPassword: Bool
    ) throws -> SignInError? {
        let secret = try secret(text)
        do {
            if isPassword {
                _ = try client.signIn(
                    AccountName("ada@example.org").unsafelyPresent, password: secret,
                    continuing: nil)
            } else {
                _ = try client.refresh(secret)
            }
            return nil
        } catch {
            return error as? SignInError
        }
    }
}

extension AccountCall {
    func sends(_ secret: String) -> Bool {
        let sent: [String] =
            switch self {
            case .revoke, .details: ["token-Kx9"]
            case .create: ["password-Jw4", "invitation-Qp2"]
            case .change: ["token-Kx9", "password-Jw4", "password-Lz8"]
            case .remove: ["token-Kx9", "password-Jw4"]
            }
        return sent.contains(secret)
    }
}

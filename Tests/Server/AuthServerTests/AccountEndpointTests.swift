import Accounts
@testable import AuthServer
import HTTPServer
import Testing

/// The caller's own account.
@Suite("The account endpoints")
struct AccountEndpointTests {
    @Test func anInvitationMakesOneAccount() throws {
        let fixture = try ServerFixture()
        let name = try #require(EmailAddress("ada@example.org"))
        let code = try fixture.administration.invite(name, at: fixture.now).code
        let members = ["email": "ada@example.org", "password": "correct horse", "invitation": code]
        var foreign = members
        foreign["email"] = "eve@example.org"
        #expect(try fixture.send(.json("/account", foreign)).text("code") == "invitation_refused")
        let made = fixture.send(.json("/account", members))
        #expect(made.status == 201)
        #expect(try made.text("email") == "ada@example.org")
        #expect(try made.text("created") == made.text("password_changed"))
        #expect(try made.object["email_verified"] as? Bool == true)
        let again = fixture.send(.json("/account", members))
        #expect(again.status == 403)
    }

    @Test func withoutAnInvitationAccountsAreNotRevealed() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        for invitation in [nil, "x", "tvi_x"] {
            let answers = ["ada@example.org", "nobody@example.org"].map { email in
                var members = ["email": email, "password": "correct horse"]
                members["invitation"] = invitation
                return fixture.send(.json("/account", members))
            }
            #expect(answers[0] == answers[1])
            #expect(answers[0].status == 403)
        }
    }

    @Test func openRegistrationRevealsATakenName() throws {
        let fixture = try ServerFixture(registrationIsOpen: true)
        let members = ["email": "ada@example.org", "password": "correct horse"]
        let made = fixture.send(.json("/account", members))
        #expect(made.status == 201)
        #expect(try made.object["email_verified"] as? Bool == false)
        let answer = fixture.send(.json("/account", members))
        #expect(answer.status == 409)
        #expect(answer.field("Content-Type") == "application/problem+json")
        #expect(try answer.text("code") == "already_exists")
    }

    @Test(arguments: [
        (["password": "correct horse"], 400, "malformed"),
        (["email": "ada@example.org"], 400, "malformed"),
        (
            ["email": "ada@example.org", "password": "correct horse", "admin": "1"], 400,
            "malformed"
        ),
        (["email": "ada", "password": "correct horse"], 422, "invalid_email"),
        (["email": "ada@example.org", "password": "1234567"], 422, "password_policy"),
        (["email": "ada@example.org", "password": ""], 422, "password_policy"),
        (
            ["email": "ada@example.org", "password": String(repeating: "a", count: 1_025)], 422,
            "password_policy"
        ),
    ])
    func anInvalidAccountIsRefused(
        _ members: [String: String], _ status: Int, _ code: String
    ) throws {
        let answer = try ServerFixture(registrationIsOpen: true).send(.json("/account", members))
        #expect(answer.status == status)
        #expect(try answer.text("code") == code)
        #expect(try answer.object["status"] as? Int == status)
        #expect(try answer.text("type") == "about:blank")
    }

    @Test func passwordSizesAreInclusive() throws {
        let fixture = try ServerFixture(registrationIsOpen: true)
        for (number, password) in ["Xk29vLq8", String(repeating: "a", count: 1_024)].enumerated() {
            let email = "user\(number)@example.org"
            #expect(
                fixture.send(.json("/account", ["email": email, "password": password])).status
                    == 201)
            #expect(fixture.signIn(email, password).status == 200)
        }
    }

    @Test func aPasswordIsNormalised() throws {
        let fixture = try ServerFixture(registrationIsOpen: true)
        let composed = "caf\u{E9} cr\u{E8}me"
        _ = fixture.send(.json("/account", ["email": "a@b.c", "password": composed]))
        #expect(fixture.signIn("a@b.c", "cafe\u{301} cre\u{300}me").status == 200)
    }

    @Test func theAccountOfATokenIsRead() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let token = try fixture.signIn().text("access_token")
        let answer = fixture.send(.get("/account", [.init("Authorization", "Bearer " + token)]))
        #expect(try answer.text("email") == "ada@example.org")
        for wrong in ["Bearer x", "Bearer " + token + "x", "Bearer", "Basic x"] {
            let answer = fixture.send(.get("/account", [.init("Authorization", wrong)]))
            #expect(answer.status == 401)
            #expect(
                answer.field("WWW-Authenticate")
                    == "Bearer realm=\"taskvault\", error=\"invalid_token\"")
            #expect(try answer.text("code") == "invalid_token")
        }
    }

    /// RFC 6750 section 3.1.
    @Test(arguments: ["Basic YTpi", "Digest x", "", nil])
    func aRequestWithoutATokenGetsNoErrorCode(_ value: String?) throws {
        let fields = value.map { [HTTPHeaders.Field("Authorization", $0)] } ?? []
        let fixture = try ServerFixture()
        for path in ["/account", "/inboxes", "/messages", "/checklists"] {
            let answer = fixture.send(.get(path, fields))
            #expect(answer.status == 401)
            #expect(answer.field("WWW-Authenticate") == "Bearer realm=\"taskvault\"")
            #expect(try answer.text("code") == "token_missing")
        }
    }

    @Test func anotherPasswordEndsAllSessions() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let here = fixture.signIn()
        let there = fixture.signIn()
        let answer = fixture.send(
            .json(
                "/account/password",
                ["current_password": "correct horse", "new_password": "battery staple"],
                token: try here.text("access_token")))
        #expect(answer.status == 200)
        for old in [here, there] {
            #expect(try fixture.introspect(old.text("access_token"))["active"] as? Bool == false)
            #expect(fixture.refresh(try old.text("refresh_token")).status == 400)
        }
        #expect(try fixture.introspect(answer.text("access_token"))["active"] as? Bool == true)
        #expect(fixture.refresh(try answer.text("refresh_token")).status == 200)
        #expect(fixture.signIn().status == 400)
        #expect(fixture.signIn("ada@example.org", "battery staple").status == 200)
    }

    @Test func theCurrentPasswordCountsAsAGuess() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let token = try fixture.signIn().text("access_token")
        for _ in 0..<5 {
            let answer = fixture.send(
                .json(
                    "/account/password",
                    ["current_password": "wrong horse", "new_password": "battery staple"],
                    token: token))
            #expect(try answer.text("code") == "wrong_password")
        }
        let answer = fixture.send(
            .json("/account/remove", ["current_password": "correct horse"], token: token))
        #expect(answer.status == 429)
        #expect(answer.field("Retry-After") == "900")
    }

    @Test(arguments: ["short", "correct horse"])
    func anInvalidTokenIsReportedFirst(_ password: String) throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        for (path, members) in [
            ("/account/remove", ["current_password": password]),
            ("/account/password", ["current_password": password, "new_password": password]),
        ] {
            let answer = fixture.send(.json(path, members, token: "tva_no"))
            #expect(answer.status == 401)
        }
    }

    @Test func aRemovedAccountIsUnknown() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let token = try fixture.signIn().text("access_token")
        let wrong = fixture.send(
            .json("/account/remove", ["current_password": "wrong horse"], token: token))
        #expect(wrong.status == 403)
        let answer = fixture.send(
            .json("/account/remove", ["current_password": "correct horse"], token: token))
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        #expect(try fixture.introspect(token)["active"] as? Bool == false)
        #expect(fixture.signIn().status == 400)
    }

    @Test func contentOfAnotherTypeIsRefused() throws {
        let fixture = try ServerFixture()
        let answer = fixture.send(.form("/account", ["email": "a@b.c"]))
        #expect(answer.status == 415)
        #expect(try answer.text("code") == "unsupported_media_type")
    }
}

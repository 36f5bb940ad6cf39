@testable import Accounts
@testable import AuthServer
import Database
import HTTPServer
import Testing
import TestSupport
import TextCoding

/// Introspections that are answered without the database, and never with an older state of it.
@Suite("Kept answers")
struct KeptAnswerTests {
    @Test func anAnswerIsKeptUntilTheNextCommitOfAnyServer() throws {
        try withTemporaryFolder { folder in
            let place = DatabasePlace.file(folder + "/accounts.db")
            let repository = try AccountRepository.openOrCreate(place)
            defer { repository.close() }
            let other = try AccountRepository.open(place)
            defer { other.close() }
            let answers = KeptAnswers(repository)
            let question = KeptAnswers.Question(token: TokenHash(of: "a"), client: "billing")
            var made = 0
            func ask(_ second: Int64 = 0, of client: String = "billing") throws -> Int {
                let question = KeptAnswers.Question(token: question.token, client: client)
                let response = answers.answer(question, at: PointInTime(seconds: second)) {
                    made += 1
                    return KeptAnswers.Answer(
                        response: HTTPResponse(status: 200 + made), end: PointInTime(seconds: 60))
                }
                return response.status - 200
            }
            #expect(try [ask(), ask(), ask()] == [1, 1, 1])
            #expect(
                try [ask(0, of: "mail"), ask()] == [2, 1], "another client has its own answer")
            let invitation = Invitation(
                code: TokenHash(of: "code"), email: try #require(EmailAddress("a@b.example")),
                created: PointInTime(seconds: 0), expires: PointInTime(seconds: 60))
            try repository.change { try $0.put(invitation) }
            #expect(try [ask(), ask()] == [3, 3])
            _ = try other.change { try $0.removeInvitation(invitation.code) }
            #expect(try [ask(), ask(59)] == [4, 4])
            #expect(try [ask(60), ask()] == [5, 5], "the token is over")
            _ = try repository.read { try $0.invitations() }
            #expect(try ask() == 5, "reading changes nothing")
        }
    }

    @Test func anUnknownTokenIsNotKept() throws {
        let repository = try AccountRepository.openOrCreate(.memory)
        defer { repository.close() }
        let answers = KeptAnswers(repository)
        let question = KeptAnswers.Question(token: TokenHash(of: "a"), client: "billing")
        var made = 0
        for _ in 0..<2 {
            _ = answers.answer(question, at: PointInTime(seconds: 0)) {
                made += 1
                return KeptAnswers.Answer(response: HTTPResponse(status: 200), end: nil)
            }
        }
        #expect(made == 2)
    }

    /// Two servers of one database.
    private static func expectRefusals(_ first: ServerFixture, _ second: ServerFixture) throws {
        try first.makeAccount()
        let name = try #require(EmailAddress("ada@example.org"))
        let servers = [first, second]
        func expectActive(_ isActive: Bool, _ token: String, _ step: String) throws {
            for server in servers {
                for _ in 0..<2 {
                    #expect(
                        try server.introspect(token)["active"] as? Bool == isActive, "\(step)")
                }
            }
        }
        let steps: [(String, (ServerFixture, HTTPResponse) throws -> Void)] = [
            (
                "a revoked access token",
                { server, tokens in
                    _ = server.send(
                        .form(
                            "/oauth/revoke",
                            ["token": try tokens.text("access_token"), "client_id": "taskvault"]))
                }
            ),
            (
                "a revoked refresh token",
                { server, tokens in
                    _ = server.send(
                        .form(
                            "/oauth/revoke",
                            ["token": try tokens.text("refresh_token"), "client_id": "taskvault"]))
                }
            ),
            (
                "an ended session",
                { server, tokens in
                    _ = server.send(
                        .json(
                            "/account/sessions/end", [:], token: try tokens.text("access_token")))
                }
            ),
            (
                "a reused token",
                { server, tokens in
                    let old = try tokens.text("refresh_token")
                    _ = server.refresh(try server.refresh(old).text("refresh_token"))
                    #expect(server.refresh(old).status == 400)
                }
            ),
            ("an operator", { server, _ in try server.administration.endSessions(of: name) }),
        ]
        for (step, end) in steps {
            for server in servers {
                let tokens = first.signIn()
                let token = try tokens.text("access_token")
                try expectActive(true, token, step)
                try end(server, tokens)
                try expectActive(false, token, step)
            }
        }
        let token = try first.signIn().text("access_token")
        try expectActive(true, token, "its lifetime")
        for server in servers { server.wait(.seconds(900)) }
        try expectActive(false, token, "its end")
    }

    @Test func aRevokedTokenIsRefusedByEachServerOfAFileAtItsNextRequest() throws {
        try withTemporaryFolder { folder in
            let place = DatabasePlace.file(folder + "/accounts.db")
            let first = try ServerFixture(at: place)
            defer { first.repository.close() }
            let second = try ServerFixture(at: place)
            defer { second.repository.close() }
            #expect(first.repository.commitCount() != nil)
            try Self.expectRefusals(first, second)
        }
    }

    #if os(Linux)
        @Test(.enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
        func aRevokedTokenIsRefusedByEachServerOfADatabaseServerAtItsNextRequest() throws {
            try withPostgreSQLDatabase { text in
                let place = DatabasePlace.server(try PostgreSQLAddress(text))
                let first = try ServerFixture(readsAtOnce: false, at: place)
                defer { first.repository.close() }
                let second = try ServerFixture(readsAtOnce: false, at: place)
                defer { second.repository.close() }
                try Self.expectRefusals(first, second)
            }
        }
    #endif
}

import Foundation
import HTTPServer
import Testing

@testable import Accounts
@testable import AuthServer

/// The caller's own sessions, and their end.
struct SessionEndpointTests {
    private static func signIn(
        _ fixture: ServerFixture, _ fields: [String: String] = [:]
    ) -> HTTPResponse {
        let all = [
            "grant_type": "password", "client_id": "taskvault", "username": "ada@example.org",
            "password": ServerFixture.password,
        ].merging(fields) { $1 }
        return fixture.send(.form("/oauth/token", all))
    }

    private static func sessions(
        _ fixture: ServerFixture, _ token: String
    ) throws -> [[String: any Sendable]] {
        let answer = fixture.send(
            .get("/account/sessions", [HTTPHeaders.Field("Authorization", "Bearer " + token)]))
        try #require(answer.status == 200)
        return try #require(answer.object["sessions"] as? [[String: any Sendable]])
    }

    @Test func eachHasItsDeviceItsTimesAndItsNetwork() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let first = Self.signIn(fixture, ["device_name": "laptop"])
        fixture.wait(.seconds(60))
        let second = Self.signIn(fixture, ["device_name": String(repeating: "x", count: 500)])
        _ = fixture.refresh(try first.text("refresh_token"))
        let current = try second.text("taskvault_session")
        let list = try Self.sessions(fixture, second.text("access_token"))
        #expect(list.count == 2)
        #expect(list[0]["device"] as? String == "laptop")
        #expect(list[0]["network"] as? String == "127.0.0.0/24")
        #expect(list[0]["current"] as? Bool == false)
        #expect(list[0]["used"] as? String == list[1]["created"] as? String)
        #expect(list[0]["used"] as? String != list[0]["created"] as? String)
        #expect(list[1]["device"] as? String == String(repeating: "x", count: 64))
        #expect(list[1]["current"] as? Bool == true)
        #expect(list[1]["id"] as? String == current)
    }

    /// A password that was typed for a session does not bring it back after its end, but a person who types it again signs in.
    @Test(arguments: [true, false])
    func anEndedSessionIsNotContinued(isOne: Bool) throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let lost = try Self.signIn(fixture).text("taskvault_session")
        let token = try Self.signIn(fixture).text("access_token")
        // Its end by itself does not ask for the password.
        let continued = try Self.signIn(fixture, ["taskvault_session": lost])
            .text("taskvault_session")
        let answer = fixture.send(
            .json("/account/sessions/end", isOne ? ["session": lost] : [:], token: token))
        #expect(answer.status == 200)
        #expect(try answer.object["ended_sessions"] as? Int == (isOne ? 2 : 3))
        // A copy of the vault may have the session before.
        for session in [lost, continued, String(repeating: "0", count: 32)] {
            let refused = Self.signIn(fixture, ["taskvault_session": session])
            #expect(refused.status == 400)
            #expect(try refused.text("error") == "invalid_grant")
            #expect(try refused.text("error_description").contains("ended"))
        }
        #expect(Self.signIn(fixture).status == 200)
    }

    /// The marks and the inboxes of other devices stay, unless all sessions end or the password is changed there.
    @Test(arguments: ["session", "all", "operator", "password", "disabled"])
    func theEndTakesTheDeviceAndTheInboxWithIt(_ way: String) throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let name = try #require(EmailAddress("ada@example.org"))
        let lost = Self.signIn(fixture)
        let own = Self.signIn(fixture)
        let access = try own.text("access_token")
        let inboxes = try [lost, own].map {
            fixture.send(.post("/inboxes", token: try $0.text("access_token")))
        }
        var password = ServerFixture.password
        switch way {
        case "operator": try fixture.administration.endSessions(of: name)
        case "disabled":
            try fixture.administration.setDisabled(name, true)
            try fixture.administration.setDisabled(name, false)
        case "password":
            password = "another horse"
            let members = ["current_password": ServerFixture.password, "new_password": password]
            #expect(
                fixture.send(.json("/account/password", members, token: access)).status == 200)
        default:
            let session = try lost.text("taskvault_session")
            let answer = fixture.send(
                .json(
                    "/account/sessions/end", way == "all" ? [:] : ["session": session],
                    token: access))
            #expect(answer.status == 200)
        }
        for (signedIn, inbox, isKept) in [
            (lost, inboxes[0], false), (own, inboxes[1], ["session", "password"].contains(way)),
        ] {
            for (path, token) in [("/messages", "receive_token"), ("", "acknowledge_token")] {
                let bearer = try HTTPHeaders.Field("Authorization", "Bearer " + inbox.text(token))
                let id = String(repeating: "0", count: 32)
                let answer = fixture.send(
                    path.isEmpty
                        ? .post(
                            "/messages/acknowledge", #"{"messages":["\#(id)"]}"#,
                            token: try inbox.text(token))
                        : .get(path, [bearer]))
                #expect(answer.status == (isKept ? 200 : 401), "\(token)")
            }
            // A copied password still signs in, but as that of a stranger.
            let again = fixture.signIn(
                "ada@example.org", password, device: try signedIn.text("device_token"))
            #expect(again.status == 200)
            #expect(try (again.object["device_token"] == nil) == isKept)
        }
    }

    @Test func aWaitingPollEndsWithItsSession() throws {
        let inbox = try InboxFixture()
        let path = try inbox.subscribe().path
        let poll = inbox.poll()
        #expect(poll.response == nil)
        let other = try inbox.server.signIn().text("access_token")
        _ = inbox.server.send(.json("/account/sessions/end", [:], token: other))
        inbox.push(path)
        #expect(poll.response?.status == 401)
    }

    @Test func anInboxGetsNewTokensAndKeepsItsAddresses() throws {
        let inbox = try InboxFixture()
        let server = inbox.server
        let path = try inbox.subscribe().path
        try server.administration.endSessions(of: #require(EmailAddress("ada@example.org")))
        inbox.push(path)
        #expect(inbox.receive().status == 401)
        let access = try server.signIn().text("access_token")
        let renewed = server.send(.json("/inboxes", ["inbox": inbox.inbox], token: access))
        #expect(renewed.status == 200)
        #expect(try renewed.text("id") == inbox.inbox)
        let answer = server.send(.messages(nil, token: try renewed.text("receive_token")))
        #expect(try answer.messages().count == 1)
        let eve = try InboxFixture(server, "eve@example.org")
        for id in [inbox.inbox, String(repeating: "0", count: 32), "x"] {
            let foreign = server.send(.json("/inboxes", ["inbox": id], token: eve.access))
            #expect(foreign.status == 404)
        }
    }

    @Test func anOperatorsEndIsOneToo() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let session = try Self.signIn(fixture).text("taskvault_session")
        let name = try #require(EmailAddress("ada@example.org"))
        #expect(try fixture.administration.endSessions(of: name) == 1)
        #expect(Self.signIn(fixture, ["taskvault_session": session]).status == 400)
    }

    @Test func aStrangersSessionIsNotEnded() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        try fixture.makeAccount("eve@example.org")
        let session = try Self.signIn(fixture).text("taskvault_session")
        let eve = try fixture.signIn("eve@example.org").text("access_token")
        for id in [session, "0", String(repeating: "0", count: 32)] {
            let answer = fixture.send(
                .json("/account/sessions/end", ["session": id], token: eve))
            #expect(answer.status == 404)
        }
        #expect(Self.signIn(fixture, ["taskvault_session": session]).status == 200)
        #expect(fixture.send(.get("/account/sessions")).status == 401)
    }
}

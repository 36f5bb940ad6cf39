import Accounts
@testable import AuthServer
import Database
import HTTPServer
import Testing
import TestSupport
import TextCoding

/// Who did what to which account, and how often a failure is written.
@Suite("The audit")
struct AuditTests {
    @Test func everyEventNamesItsAccount() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let tokens = fixture.signIn()
        let device = try tokens.text("device_token")
        let name = try #require(EmailAddress("ada@example.org"))
        let id = try #require(try fixture.repository.read { try $0.account(name) }).id.text
        _ = fixture.signIn("ada@example.org", "wrong horse")
        let changed = fixture.send(
            .json(
                "/account/password",
                ["current_password": ServerFixture.password, "new_password": "another horse"],
                token: try tokens.text("access_token")))
        try fixture.administration.resetPassword(
            of: name, to: AccountFixture.password("a third horse"), at: fixture.now)
        try fixture.administration.setDisabled(name, true)
        try fixture.administration.setDisabled(name, false)
        try fixture.administration.endSessions(of: name)
        let code = try fixture.administration.makeResetCode(for: name, at: fixture.now).code
        let reset = fixture.send(
            .json(
                "/account/reset",
                ["email": name.text, "code": code, "new_password": "a fourth horse"]))
        #expect(reset.status == 204)
        let again = fixture.signIn("ada@example.org", "a fourth horse", device: device)
        let ended = fixture.send(
            .json("/account/sessions/end", [:], token: try again.text("access_token")))
        #expect(ended.status == 200)
        #expect(changed.status == 200)
        try fixture.server.writeAudit()
        let events = fixture.log.filter { $0.contains(id) }
        for (event, by, count) in [
            ("created", "owner", 1), ("signed_in", "owner", 2), ("refused", "unknown", 1),
            ("password_changed", "owner", 1), ("password_reset", "owner", 1),
            ("password_reset", "operator", 1), ("reset_code_issued", "operator", 1),
            ("disabled", "operator", 1), ("enabled", "operator", 1),
            ("sessions_ended", "operator", 1), ("sessions_ended", "owner", 1),
        ] {
            let lines = events.filter {
                $0.contains("\"event\":\"\(event)\"") && $0.contains("\"by\":\"\(by)\"")
            }
            #expect(lines.count == count, "\(event)")
        }
        #expect(fixture.log.contains { $0.contains(#""event":"invited""#) })
        try fixture.server.writeAudit()
        #expect(fixture.log.filter { $0.contains(id) } == events, "once")
        #expect(!fixture.log.joined().contains("horse"))
    }

    @Test func reuseRevocationAndNewDevicesAreWrittenAndCounted() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let name = try #require(EmailAddress("ada@example.org"))
        let id = try #require(try fixture.repository.read { try $0.account(name) }).id.text
        let first = fixture.signIn()
        let token = try first.text("refresh_token")
        let second = fixture.refresh(token)
        _ = fixture.refresh(try second.text("refresh_token"))
        #expect(fixture.refresh(token).status == 400)
        let other = fixture.signIn(device: try first.text("device_token"))
        for token in [try other.text("refresh_token"), "tvr_unknown"] {
            let answer = fixture.send(
                .form("/oauth/revoke", ["token": token, "client_id": "taskvault"]))
            #expect(answer.status == 200)
        }
        let metrics = String(decoding: fixture.send(.get("/metrics")).body, as: UTF8.self)
        for (event, by) in [
            ("device_added", "owner"), ("refresh_token_reused", "unknown"),
            ("token_revoked", "owner"),
        ] {
            let lines = fixture.log.filter {
                $0.contains(#""event":"\#(event)","account":"\#(id)","by":"\#(by)""#)
            }
            #expect(lines.count == 1, "\(event)")
            #expect(metrics.contains("taskvault_events_total{event=\"\(event)\"} 1\n"))
        }
    }

    @Test func theOwnerSeesNewDevicesReuseAndGuesses() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        try fixture.makeAccount("eve@example.org")
        _ = fixture.signIn("eve@example.org")
        let first = fixture.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "password", "client_id": "taskvault",
                    "username": "ada@example.org", "password": ServerFixture.password,
                    "device_name": "laptop",
                ]))
        fixture.wait(.seconds(1))
        let token = try first.text("refresh_token")
        _ = fixture.refresh(try fixture.refresh(token).text("refresh_token"))
        #expect(fixture.refresh(token).status == 400)
        fixture.wait(.seconds(1))
        let stranger = ServerFixture.client("192.0.2.1")
        for _ in 0..<6 { _ = fixture.signIn("ada@example.org", "wrong horse", from: stranger) }
        fixture.wait(.seconds(1))
        let own = fixture.signIn(device: try first.text("device_token"))
        let answer = fixture.send(
            .get(
                "/account/sessions",
                [.init("Authorization", "Bearer " + (try own.text("access_token")))]))
        let events = try #require(answer.object["events"] as? [[String: any Sendable]])
        let shown = events.map { event in
            ["action", "network", "device"].map { event[$0] as? String ?? "" }
        }
        #expect(
            shown == [
                ["name_guessed", "192.0.2.0/24", ""],
                ["refresh_token_reused", "127.0.0.0/24", "laptop"],
                ["device_added", "127.0.0.0/24", "laptop"],
            ])
        // The operator sees the same, and the log has the guesses once.
        let name = try #require(EmailAddress("ada@example.org"))
        let listed = try fixture.administration.events(of: name, limit: 9)
        #expect(listed.map(\.event.action.rawValue) == shown.map { $0[0] })
        #expect(listed.allSatisfy { $0.account == name })
        for _ in 0..<2 { try fixture.server.writeAudit() }
        #expect(fixture.log.count { $0.contains(#""event":"name_guessed""#) } == 1)
        #expect(fixture.log.count { $0.contains(#""event":"device_added""#) } == 2)
    }

    @Test func refusalsOfOneNetworkAreWrittenOnceAMinute() throws {
        let fixture = try ServerFixture()
        func refusals() -> [String] {
            fixture.log.filter { $0.contains(#""event":"throttled""#) }
        }
        for _ in 0..<50 { _ = fixture.signIn("ada@example.org", "wrong horse") }
        #expect(refusals().count == 1)
        fixture.wait(.seconds(60))
        _ = fixture.signIn("ada@example.org", "wrong horse")
        #expect(refusals().count == 2)
        #expect(refusals().last?.contains(#""repeated":44}"#) == true)
    }

    @Test func oneFailureIsWrittenOnceAMinute() throws {
        let fixture = try ServerFixture()
        for _ in 0..<100 { fixture.server.note("failure", DatabaseError.busy) }
        fixture.server.note("failure", DatabaseError.full)
        #expect(fixture.log.count == 2)
        fixture.wait(.seconds(60))
        fixture.server.note("failure", DatabaseError.busy)
        #expect(fixture.log.last?.contains(#""repeated":99}"#) == true)
    }

    @Test func manyDifferentLinesAreBounded() {
        let lines = RepeatedLines()
        let now = AccountFixture.start
        let admitted = (0..<10_000).count { lines.admit("\($0)", at: now) != nil }
        #expect(admitted == 1_025)
        #expect(lines.admit("new", at: now.advanced(by: .seconds(60))) != nil)
    }
}

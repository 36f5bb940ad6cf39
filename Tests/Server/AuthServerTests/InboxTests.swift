import Accounts
@testable import AuthServer
import Foundation
import HTTPServer
import Testing

/// Inboxes, their subscriptions, and who may do what with them.
@Suite("Inboxes")
struct InboxTests {
    @Test func theOwnerListsAndEndsSubscriptions() throws {
        let fixture = try InboxFixture()
        let first = try fixture.subscribe()
        fixture.server.wait(.seconds(1))
        let second = try fixture.subscribe()
        #expect(fixture.push(second.path).status == 201)
        func listed() throws -> [[String: any Sendable]] {
            let answer = fixture.server.send(
                .get("/inboxes", [.init("Authorization", "Bearer " + fixture.access)]))
            let inboxes = try #require(answer.object["inboxes"] as? [[String: any Sendable]])
            #expect(inboxes.map { $0["id"] as? String } == [fixture.inbox])
            return try #require(inboxes[0]["subscriptions"] as? [[String: any Sendable]])
        }
        let before = try listed()
        #expect(before.map { $0["id"] as? String } == [first.id, second.id])
        #expect(before.map { $0["waiting"] as? Int } == [0, 1])
        #expect(before[0]["last_push"] is NSNull)
        #expect(before[1]["last_push"] as? String == "2027-01-15T08:00:01Z")
        let end = HTTPRequest.json(
            "/subscriptions/end", ["subscription": second.id], token: fixture.access)
        #expect(fixture.server.send(end).status == 204)
        #expect(fixture.server.send(end).status == 404)
        #expect(try listed().map { $0["id"] as? String } == [first.id])
        // Its message is gone, and its sender learns that it ended.
        #expect(try fixture.bodies().isEmpty)
        let refused = fixture.push(second.path)
        #expect(refused.status == 410)
        #expect(try refused.text("code") == "subscription_ended")
        #expect(fixture.push(first.path).status == 201)
    }

    @Test func aRemovedInboxIsGone() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        fixture.push(path)
        let remove = HTTPRequest.json(
            "/inboxes/remove", ["inbox": fixture.inbox], token: fixture.access)
        #expect(fixture.server.send(remove).status == 204)
        #expect(fixture.server.send(remove).status == 404)
        #expect(fixture.receive().status == 401)
        #expect(fixture.acknowledge([fixture.inbox]).status == 401)
        #expect(fixture.push(path).status == 410)
    }

    @Test func nobodyTouchesTheInboxOfAnotherAccount() throws {
        let fixture = try InboxFixture()
        let eve = try InboxFixture(fixture.server, "eve@example.org")
        let subscription = try fixture.subscribe()
        fixture.push(subscription.path)
        for request in [
            HTTPRequest.json("/inboxes/remove", ["inbox": fixture.inbox], token: eve.access),
            .json("/subscriptions", ["inbox": fixture.inbox], token: eve.access),
            .json(
                "/subscriptions/end", ["subscription": subscription.id], token: eve.access),
        ] {
            let answer = fixture.server.send(request)
            #expect(answer.status == 404)
            #expect(try answer.text("code") == "not_found")
        }
        #expect(try eve.bodies().isEmpty)
        #expect(try fixture.bodies().count == 1)
    }

    @Test func twoInboxesOfOneAccountAreApart() throws {
        let fixture = try InboxFixture()
        let other = try InboxFixture(fixture.server, "ada@example.org")
        fixture.push(try fixture.subscribe().path)
        #expect(try other.bodies().isEmpty)
        let id = try #require(fixture.receive().messages()[0]["id"] as? String)
        // The other inbox's token removes nothing here.
        #expect(try other.acknowledge([id]).object["acknowledged"] as? Int == 0)
        #expect(try fixture.bodies().count == 1)
    }

    /// Each token does one thing.
    @Test func aTokenIsNoOther() throws {
        let fixture = try InboxFixture()
        let subscription = try fixture.subscribe()
        fixture.push(subscription.path)
        let id = try #require(fixture.receive().messages()[0]["id"] as? String)
        let endpoint = String(subscription.path.dropFirst("/push/".count))
        let tokens: [String] = [
            fixture.access, fixture.receiving, fixture.acknowledging, endpoint, "tvl_x", "x",
            "tvl_" + fixture.acknowledging.dropFirst(4), "tvk_" + fixture.receiving.dropFirst(4),
        ]
        for token in tokens {
            let isAccess = token == fixture.access
            let read = fixture.server.send(.messages(nil, token: token))
            #expect(read.status == (token == fixture.receiving ? 200 : 401), "\(token)")
            if token != fixture.acknowledging {
                #expect(fixture.acknowledge([id], token).status == 401)
            }
            let list = fixture.server.send(
                .get("/inboxes", [.init("Authorization", "Bearer " + token)]))
            #expect(list.status == (isAccess ? 200 : 401))
            let subscribe = fixture.server.send(
                .json("/subscriptions", ["inbox": fixture.inbox], token: token))
            #expect(subscribe.status == (isAccess ? 201 : 401))
            #expect(fixture.push("/push/" + token).status == (token == endpoint ? 201 : 404))
        }
        #expect(fixture.server.send(.messages(nil, token: "")).status == 401)
        // Nothing was acknowledged meanwhile.
        #expect(try fixture.bodies().count == 2)
        #expect(
            try fixture.acknowledge([id, id, String(repeating: "0", count: 32)])
                .object["acknowledged"] as? Int == 1)
    }

    @Test func aDisabledAccountReceivesNothing() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        let name = try #require(EmailAddress("ada@example.org"))
        try fixture.server.administration.setDisabled(name, true)
        #expect(fixture.receive().status == 401)
        #expect(fixture.acknowledge([fixture.inbox]).status == 401)
        try fixture.server.administration.setDisabled(name, false)
        // The addresses are kept; the token that receives ended with the sessions.
        #expect(fixture.push(path).status == 201)
        #expect(fixture.receive().status == 401)
        try fixture.server.administration.remove(name)
        #expect(fixture.receive().status == 401)
        #expect(fixture.push(path).status == 404)
    }

    @Test func anAccountHasALimitedNumberOfInboxesAndSubscriptions() throws {
        var limits = PushLimits()
        limits.maximumInboxes = 2
        limits.maximumSubscriptions = 1
        let fixture = try InboxFixture(pushing: limits)
        let ended = try fixture.subscribe()
        let subscribe = HTTPRequest.json(
            "/subscriptions", ["inbox": fixture.inbox], token: fixture.access)
        let refused = fixture.server.send(subscribe)
        #expect(refused.status == 409)
        #expect(try refused.text("code") == "too_many_subscriptions")
        // One that ended makes room.
        _ = fixture.server.send(
            .json("/subscriptions/end", ["subscription": ended.id], token: fixture.access))
        #expect(fixture.server.send(subscribe).status == 201)
        _ = try InboxFixture(fixture.server, "ada@example.org")
        let third = fixture.server.send(.post("/inboxes", token: fixture.access))
        #expect(third.status == 409)
        #expect(try third.text("code") == "too_many_inboxes")
    }

    @Test(arguments: [
        ("/inboxes/remove", "{}", 400), ("/inboxes/remove", #"{"inbox":"x"}"#, 404),
        ("/inboxes/remove", #"{"inbox":1}"#, 400), ("/subscriptions", "", 400),
        ("/subscriptions", #"{"inbox":"x","name":"y"}"#, 400),
        ("/subscriptions/end", #"{"subscription":"../a"}"#, 404),
        ("/messages/acknowledge", "{}", 400), ("/messages/acknowledge", #"{"messages":[]}"#, 400),
        ("/messages/acknowledge", #"{"messages":["x"]}"#, 400),
        ("/messages/acknowledge", #"{"messages":"x"}"#, 400),
        ("/messages/acknowledge", #"{"messages":[[[[]]]]}"#, 400),
        ("/messages/acknowledge", #"{"ids":[]}"#, 400),
    ])
    func malformedRequestsAreRefused(_ path: String, _ content: String, _ status: Int) throws {
        let fixture = try InboxFixture()
        let token = path.hasPrefix("/messages") ? fixture.acknowledging : fixture.access
        let answer = fixture.server.send(.post(path, content, token: token))
        #expect(answer.status == status)
        #expect(answer.field("Content-Type") == "application/problem+json")
    }

    @Test func acknowledgementsAreLimited() throws {
        let fixture = try InboxFixture()
        let ids = (0..<257).map { _ in PushID().text }
        #expect(fixture.acknowledge(Array(ids.prefix(256))).status == 200)
        #expect(fixture.acknowledge(ids).status == 400)
    }

    @Test func theMetadataNamesInboxesAndChecklists() throws {
        let answer = try ServerFixture().send(.get("/.well-known/oauth-authorization-server"))
        for name in ["inbox", "checklist"] {
            let url = try answer.text("taskvault_\(name)_endpoint")
            #expect(Route.find(String(url.dropFirst("https://auth.example.org".count))) != nil)
        }
    }

    @Test func theLogNamesNoEndpointAndNoToken() throws {
        let fixture = try InboxFixture()
        let subscription = try fixture.subscribe()
        fixture.push(subscription.path)
        fixture.push("/push/tvp_unknown")
        _ = fixture.receive()
        _ = fixture.acknowledge([fixture.inbox])
        let text = fixture.server.log.joined()
        #expect(text.contains(#""path":"/push/{endpoint}","status":201"#))
        #expect(text.contains(#""path":"/push/{endpoint}","status":404"#))
        for secret in ["tvp_", "tvl_", "tvk_", subscription.id, fixture.inbox] {
            #expect(!text.contains(secret), "\(secret)")
        }
        let metrics = String(
            decoding: fixture.server.send(.get("/metrics")).body, as: UTF8.self)
        #expect(metrics.contains("route=\"/push/{endpoint}\",status=\"201\"} 1\n"))
        #expect(!metrics.contains("tvp_"))
    }
}

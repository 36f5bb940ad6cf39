import Accounts
@testable import AuthServer
import Foundation
import HTTPServer
import Testing
import TextCoding

/// An account with a token of sync, and requests with it.
struct SyncFixture {
    static let group = String(repeating: "a", count: 32)
    static let chain = String(repeating: "b", count: 32)

    let server: ServerFixture
    let access: String
    let token: String

    init(_ server: ServerFixture, _ email: String = "ada@example.org") throws {
        self.server = server
        if try server.repository.read({ try $0.account(#require(EmailAddress(email))) }) == nil {
            try server.makeAccount(email)
        }
        access = try server.signIn(email).text("access_token")
        let made = server.send(.post("/sync/token", token: access))
        try #require(made.status == 201)
        token = try made.text("sync_token")
    }

    /// Makes a server whose accounts have a quota.
    init(quota: Int64 = SyncLimits().quota) throws {
        var limits = SyncLimits()
        limits.quota = quota
        try self.init(ServerFixture(syncing: limits))
    }

    func put(_ path: String, _ bytes: [UInt8], token: String? = nil) -> HTTPResponse {
        server.send(Self.put(path, bytes, token ?? self.token))
    }

    static func put(
        _ path: String, _ bytes: [UInt8], _ token: String, in group: String = group
    ) -> HTTPRequest {
        HTTPRequest(
            method: "POST", path: "/sync/blobs/\(group)/" + path,
            headers: HTTPHeaders([
                HTTPHeaders.Field("Content-Type", "application/octet-stream"),
                HTTPHeaders.Field("Authorization", "Bearer " + token),
            ]), body: RequestBody(bytes), id: "0123456789abcdef")
    }

    func get(_ path: String, query: String? = nil, token: String? = nil) -> HTTPResponse {
        server.send(request(path, query: query, token: token))
    }

    func request(_ path: String, query: String? = nil, token: String? = nil) -> HTTPRequest {
        HTTPRequest(
            method: "GET", path: path, query: query,
            headers: HTTPHeaders([
                HTTPHeaders.Field("Authorization", "Bearer " + (token ?? self.token))
            ]), id: "0123456789abcdef")
    }

    func read(_ path: String) -> HTTPResponse { get("/sync/blobs/\(Self.group)/" + path) }

    func names(_ area: String, after: String? = nil) throws -> [String] {
        let answer = get(
            "/sync/blobs/" + Self.group + (area.isEmpty ? "" : "/" + area),
            query: after.map { "after=" + $0 })
        try #require(answer.status == 200)
        return try #require(answer.object["names"] as? [String])
    }

    func remove(_ path: String) -> HTTPResponse {
        server.send(.json("/sync/remove", ["blob": "\(Self.group)/\(path)"], token: token))
    }

    /// Waits for a change of the group after a number.
    func poll(after number: Int = 0) -> PendingAnswer {
        server.begin(
            request("/sync/changes/" + Self.group, query: "after=\(number)&wait=300"))
    }
}

/// Blobs of sync over HTTP.
@Suite("Blobs of sync", .timeLimit(.minutes(60)))
struct SyncEndpointTests {
    private static let segment = SyncFixture.chain + "/1"

    @Test func aBlobIsCreatedOnce() throws {
        let fixture = try SyncFixture()
        let bytes = [UInt8](repeating: 7, count: 1_114_112)
        #expect(fixture.put(Self.segment, bytes).status == 201)
        // Its answer may have been lost.
        #expect(fixture.put(Self.segment, bytes).status == 200)
        let refused = fixture.put(Self.segment, [1])
        #expect(refused.status == 409)
        #expect(try refused.text("code") == "occupied")
        let read = fixture.read(Self.segment)
        #expect(read.status == 200 && read.body == bytes)
        #expect(read.field("Content-Type") == "application/octet-stream")
        #expect(fixture.read(SyncFixture.chain + "/2").status == 404)
        #expect(fixture.server.server.metrics.count(of: .blobStored) == 1)
    }

    @Test func eachAreaHasItsLargestSize() throws {
        let fixture = try SyncFixture()
        for (area, size) in [
            (SyncFixture.chain, 1_114_112), ("members", 32_768), ("mailbox", 1_024),
            ("recovery", 1_024), ("files", 1_048_848),
        ] {
            let large = [UInt8](repeating: 1, count: size + 1)
            let answer = fixture.put(area + "/large", large)
            #expect(answer.status == 413, "\(area)")
            #expect(try answer.text("code") == "too_large")
            #expect(fixture.put(area + "/fits", large.dropLast()).status == 201, "\(area)")
        }
    }

    @Test(arguments: [
        "A", "", "a b", "a.b", "a/b", "ä", String(repeating: "a", count: 81), "a%41",
    ])
    func aNameOfAnotherFormIsNotFound(_ name: String) throws {
        let fixture = try SyncFixture()
        #expect(fixture.put(SyncFixture.chain + "/" + name, [1]).status == 404)
        #expect(fixture.put("other/1", [1]).status == 404)
        let longest = SyncFixture.chain + "/" + String(repeating: "a", count: 80)
        #expect(fixture.put(longest, [1]).status == 201)
    }

    @Test func aGroupIsListedWithoutFiles() throws {
        let fixture = try SyncFixture()
        let chain = SyncFixture.chain
        for path in ["recovery/1", "files/1", chain + "/10", "members/1", chain + "/9"] {
            #expect(fixture.put(path, [1]).status == 201)
        }
        let all = [chain + "/10", chain + "/9", "members/1", "recovery/1"]
        #expect(try fixture.names("") == all)
        for (index, path) in all.enumerated() {
            #expect(try fixture.names("", after: path) == Array(all.dropFirst(index + 1)))
        }
        // What is no name is only a place in the order.
        #expect(try fixture.names("", after: "files") == Array(all.dropFirst(2)))
        #expect(try fixture.names("", after: "~") == [])
        #expect(try fixture.get("/sync/blobs/" + chain).object["next"] is NSNull)
        #expect(fixture.get("/sync/blobs/A").status == 404)
    }

    @Test func aGroupIsListedByPages() throws {
        let fixture = try SyncFixture()
        let name = try #require(EmailAddress("ada@example.org"))
        let group = try #require(PushID(SyncFixture.group))
        try fixture.server.repository.change { (writer) throws in
            let account = try #require(try writer.account(name)).id
            for number in 0..<1_001 {
                let area: BlobArea =
                    number < 500 ? .chain(try #require(PushID(SyncFixture.chain))) : .members
                let place = try #require(BlobPlace(group, area, String(10_000 + number)))
                try writer.insertBlob([1], account, place)
            }
        }
        #expect(try fixture.names("").count == 1_000)
        let next = try fixture.get("/sync/blobs/" + SyncFixture.group).text("next")
        #expect(next == "members/10999")
        #expect(try fixture.names("", after: next) == ["members/11000"])
    }

    @Test func areasAreListedByPages() throws {
        let fixture = try SyncFixture()
        #expect(try fixture.names("members") == [])
        let name = try #require(EmailAddress("ada@example.org"))
        let group = try #require(PushID(SyncFixture.group))
        try fixture.server.repository.change { (writer) throws in
            let account = try #require(try writer.account(name)).id
            for number in 0..<1_001 {
                let place = try #require(BlobPlace(group, .members, String(10_000 + number)))
                try writer.insertBlob([1], account, place)
            }
        }
        let names = try fixture.names("members")
        #expect(names.count == 1_000 && names.first == "10000")
        #expect(try fixture.names("members", after: "10999") == ["11000"])
        let answer = fixture.get("/sync/blobs/\(SyncFixture.group)/members")
        #expect(try answer.text("next") == "10999")
        #expect(fixture.get("/sync/blobs/\(SyncFixture.group)/members", query: "x=1").status == 400)
    }

    @Test func statementsStay() throws {
        let fixture = try SyncFixture()
        for area in [SyncFixture.chain, "members", "mailbox", "recovery", "files"] {
            #expect(fixture.put(area + "/1", [1]).status == 201)
            let isKept = area == "members"
            #expect(fixture.remove(area + "/1").status == (isKept ? 403 : 204), "\(area)")
            #expect(fixture.read(area + "/1").status == (isKept ? 200 : 404), "\(area)")
        }
        // What is not there is no error.
        #expect(fixture.remove("mailbox/1").status == 204)
        #expect(fixture.remove("mailbox").status == 404)
    }

    @Test func aFullAccountKeepsRoomForStatements() throws {
        let fixture = try SyncFixture(quota: 3 * 1_048_576)
        let half = [UInt8](repeating: 1, count: 524_288 - 512)
        for number in 1...4 {
            #expect(fixture.put("\(SyncFixture.chain)/\(number)", half).status == 201)
        }
        let full = fixture.put("\(SyncFixture.chain)/5", [1])
        #expect(full.status == 507)
        #expect(fixture.put("files/1", [1]).status == 507)
        #expect(try full.text("code") == "quota_exceeded")
        #expect(fixture.server.server.metrics.count(of: .syncFull) == 2)
        let statement = [UInt8](repeating: 1, count: 32_768 - 512)
        for number in 1...32 {
            #expect(fixture.put("members/\(number)", statement).status == 201)
        }
        #expect(fixture.put("mailbox/1", [1]).status == 507)
        let groups = fixture.get("/sync/groups")
        #expect(try groups.object["groups"] as? [String] == [SyncFixture.group])
        #expect(try groups.object["used"] as? Int == 3 * 1_048_576)
        #expect(try groups.object["quota"] as? Int == 3 * 1_048_576)
        // A removed segment makes room, and the present ones can still be put again.
        #expect(fixture.put("\(SyncFixture.chain)/2", half).status == 200)
        #expect(fixture.remove("\(SyncFixture.chain)/1").status == 204)
        #expect(fixture.put("\(SyncFixture.chain)/5", [1]).status == 201)
    }

    @Test func aRemovedGroupLeavesNothing() throws {
        let fixture = try SyncFixture()
        let eve = try SyncFixture(fixture.server, "eve@example.org")
        for area in [SyncFixture.chain, "members", "mailbox", "recovery", "files"] {
            for each in [fixture, eve] { #expect(each.put(area + "/1", [1, 2]).status == 201) }
        }
        let other = String(repeating: "c", count: 32)
        let kept = SyncFixture.put("members/1", [1], fixture.token, in: other)
        #expect(fixture.server.send(kept).status == 201)
        func remove(_ group: String, _ token: String) -> HTTPResponse {
            fixture.server.send(.json("/sync/groups/remove", ["group": group], token: token))
        }
        // The token that a machine keeps while its vault is locked is not enough.
        #expect(remove(SyncFixture.group, fixture.token).status == 401)
        #expect(remove("members", fixture.access).status == 404)
        #expect(
            fixture.server.send(.json("/sync/groups/remove", [:], token: fixture.access)).status
                == 400)
        for _ in 0..<2 { #expect(remove(SyncFixture.group, fixture.access).status == 204) }
        #expect(try Self.change(of: fixture) == 0)
        #expect(fixture.read("members/1").status == 404)
        #expect(fixture.get("/sync/blobs/\(other)/members/1").body == [1])
        let groups = try fixture.get("/sync/groups").object
        #expect(groups["groups"] as? [String] == [other])
        #expect(groups["used"] as? Int == 513)
        #expect(eve.read("members/1").body == [1, 2])
        #expect(try eve.get("/sync/groups").object["used"] as? Int == 5 * 514)
    }

    @Test func anAccountSeesItsOwnBlobsOnly() throws {
        let fixture = try SyncFixture()
        let eve = try SyncFixture(fixture.server, "eve@example.org")
        #expect(fixture.put(Self.segment, [1]).status == 201)
        #expect(eve.read(Self.segment).status == 404)
        #expect(try eve.names(SyncFixture.chain) == [])
        #expect(eve.remove(Self.segment).status == 204)
        #expect(eve.put(Self.segment, [2]).status == 201)
        #expect(fixture.read(Self.segment).body == [1])
        #expect(try eve.get("/sync/groups").object["used"] as? Int == 513)
    }

    @Test func onlyTokensOfSyncAreAccepted() throws {
        let fixture = try SyncFixture()
        #expect(fixture.put(Self.segment, [1]).status == 201)
        for token in [fixture.access, "tvy_" + String(repeating: "A", count: 43), "x"] {
            for answer in [
                fixture.put(Self.segment, [1], token: token),
                fixture.get("/sync/blobs/\(SyncFixture.group)/\(Self.segment)", token: token),
                fixture.get("/sync/blobs/\(SyncFixture.group)/members", token: token),
                fixture.get("/sync/groups", token: token),
                fixture.get("/sync/changes/" + SyncFixture.group, token: token),
                fixture.server.send(.json("/sync/remove", ["blob": "x"], token: token)),
            ] {
                #expect(answer.status == 401)
            }
        }
        // And it permits nothing else.
        #expect(fixture.get("/account", token: fixture.token).status == 401)
        #expect(fixture.get("/messages", token: fixture.token).status == 401)
        #expect(fixture.server.send(.post("/sync/token", token: fixture.token)).status == 401)
        #expect(fixture.server.send(.get("/sync/groups")).status == 401)
        let form = fixture.server.send(
            .json("/sync/blobs/\(SyncFixture.group)/members/1", [:], token: fixture.token))
        #expect(form.status == 415)
    }

    @Test(arguments: ["session", "all", "disabled", "removed"])
    func aTokenEndsWithItsSession(_ way: String) throws {
        let fixture = try SyncFixture()
        let other = try SyncFixture(fixture.server)
        #expect(fixture.put(Self.segment, [1]).status == 201)
        let poll = fixture.poll(after: try Self.change(of: fixture))
        #expect(poll.response == nil)
        let name = try #require(EmailAddress("ada@example.org"))
        switch way {
        case "disabled": try fixture.server.administration.setDisabled(name, true)
        case "removed": try fixture.server.administration.remove(name)
        default:
            let list = fixture.get("/account/sessions", token: fixture.access)
            let sessions = try #require(list.object["sessions"] as? [[String: any Sendable]])
            let own = sessions.first { $0["current"] as? Bool == true }
            let id = try #require(own?["id"] as? String)
            let answer = fixture.server.send(
                .json(
                    "/account/sessions/end", way == "all" ? [:] : ["session": id],
                    token: other.access))
            #expect(answer.status == 200)
        }
        let isOtherKept = way == "session"
        #expect(fixture.read(Self.segment).status == 401)
        #expect(fixture.put(SyncFixture.chain + "/2", [1]).status == 401)
        #expect(fixture.remove(Self.segment).status == 401)
        #expect(other.read(Self.segment).status == (isOtherKept ? 200 : 401))
        if isOtherKept {
            // A change ends the poll, which learns nothing.
            #expect(other.put(SyncFixture.chain + "/2", [1]).status == 201)
            #expect(poll.response?.status == 401)
        }
    }

    @Test func aDeviceHasOneToken() throws {
        let fixture = try SyncFixture()
        let again = try fixture.server.send(.post("/sync/token", token: fixture.access))
            .text("sync_token")
        #expect(fixture.get("/sync/groups").status == 401)
        #expect(fixture.get("/sync/groups", token: again).status == 200)
    }

    private static func change(of fixture: SyncFixture) throws -> Int {
        let answer = fixture.get("/sync/changes/" + SyncFixture.group)
        return try #require(answer.object["next"] as? Int)
    }

    @Test(arguments: [true, false])
    func aPollEndsWithTheChange(_ readsAtOnce: Bool) throws {
        let server = try ServerFixture(readsAtOnce: readsAtOnce)
        let fixture = try SyncFixture(server)
        let other = try SyncFixture(server)
        let eve = try SyncFixture(server, "eve@example.org")
        let polls = [fixture.poll(), fixture.poll()]
        // The same group of another account is another one.
        #expect(eve.put(Self.segment, [1]).status == 201)
        #expect(polls.allSatisfy { $0.response == nil })
        #expect(other.put("mailbox/1", [1]).status == 201)
        let next = try Self.change(of: fixture)
        for poll in polls { #expect(try poll.response?.object["next"] as? Int == next) }
        let later = fixture.poll(after: next)
        #expect(other.put("mailbox/1", [1]).status == 200)
        #expect(other.remove("mailbox/1").status == 204)
        #expect(later.response == nil)
        #expect(other.put("mailbox/2", [1]).status == 201)
        #expect(later.response?.status == 200)
        // A number that was never given, as after the restore of an older copy.
        #expect(try fixture.poll(after: 999).response?.object["next"] as? Int == next + 1)
    }

    @Test func oneAccountCannotEndThePollsOfAnother() throws {
        let server = try ServerFixture()
        let fixture = try SyncFixture(server)
        let eve = try SyncFixture(server, "eve@example.org")
        let poll = fixture.poll()
        let others = (0..<40).map { _ in eve.poll() }
        #expect(poll.response == nil)
        #expect(others.filter { $0.response != nil }.count == 8)
    }

    @Test func fewStrangersSendLargeContentAtOnce() throws {
        let fixture = try SyncFixture()
        func admit(_ token: String, _ path: String = Self.segment, _ size: Int = 20_000)
            -> HTTPAdmission
        {
            fixture.server.server.admission(of: SyncFixture.put(path, [], token), size: size)
        }
        func places(_ admissions: [HTTPAdmission]) -> Int {
            admissions.count { if case .admitted = $0 { true } else { false } }
        }
        let stranger = "tvy_" + String(repeating: "A", count: 43)
        var held = (0..<80).map { _ in admit(stranger) }
        #expect(places(held) == LargeContents.places.strangers)
        // The token of this device was not seen yet.
        #expect(places([admit(fixture.token)]) == 0)
        #expect(fixture.get("/sync/groups").status == 200)
        let known = (0..<80).map { _ in admit(fixture.token) }
        #expect(places(known) == LargeContents.places.known)
        held = []
        #expect(places([admit(stranger)]) == 1)
        for refused in [
            admit(fixture.access), admit(fixture.token, "members"),
            admit(fixture.token, Self.segment, 1_114_113),
        ] {
            guard case .tooLarge = refused else {
                Issue.record("\(refused)")
                continue
            }
        }
    }
}

import Accounts
@testable import AuthServer
import Foundation
import HTTPServer
import Synchronization
import Testing
import TestSupport
import TextCoding

/// Pushing, limits, and the life of messages.
@Suite("Pushes")
struct PushTests {
    @Test func aMessageWaitsUntilItIsAcknowledged() throws {
        let fixture = try InboxFixture()
        let subscription = try fixture.subscribe()
        let body = (0..<4_096).map { UInt8($0 & 0xFF) }
        let answer = fixture.push(
            subscription.path, body, ["Urgency": "High", "Topic": "abc_-9", "TTL": "3600"])
        #expect(answer.status == 201)
        #expect(answer.body.isEmpty)
        #expect(answer.field("TTL") == "3600")
        let location = try #require(answer.field("Location"))
        let received = fixture.receive()
        let message = try #require(received.messages().first)
        let id = try #require(message["id"] as? String)
        #expect(location == "https://auth.example.org/messages/" + id)
        #expect(message["subscription"] as? String == subscription.id)
        #expect(message["urgency"] as? String == "high")
        #expect(message["topic"] as? String == "abc_-9")
        #expect(message["received"] as? String == "2027-01-15T08:00:00Z")
        #expect(message["expires"] as? String == "2027-01-15T09:00:00Z")
        #expect(message["number"] as? Int == 1)
        #expect(try received.object["next"] as? Int == 1)
        #expect(try fixture.bodies() == [body])
        // Reading removes nothing.
        #expect(try fixture.bodies() == [body])
        #expect(try fixture.acknowledge([id]).object["acknowledged"] as? Int == 1)
        #expect(try fixture.bodies() == [])
        // Another machine was first: no error.
        #expect(try fixture.acknowledge([id]).object["acknowledged"] as? Int == 0)
        // The name of a message is no place to read it.
        let path = String(location.dropFirst("https://auth.example.org".count))
        #expect(fixture.server.send(.get(path)).status == 404)
    }

    @Test(
        arguments: [
            (["TTL": nil], 400), (["TTL": "-1"], 400), (["TTL": "1.5"], 400), (["TTL": ""], 400),
            (["TTL": "1h"], 400), (["Content-Encoding": nil], 400),
            (["Content-Encoding": "aesgcm"], 400), (["Content-Encoding": "gzip, aes128gcm"], 400),
            (["Urgency": "soon"], 400), (["Topic": ""], 400), (["Topic": "a b"], 400),
            (["Topic": String(repeating: "a", count: 33)], 400), (["Topic": "ä"], 400),
            (["Topic": String(repeating: "a", count: 32)], 201),
            (["Content-Encoding": "AES128GCM", "Urgency": "very-low"], 201),
            (["Content-Type": "text/plain", "Prefer": "respond-async"], 201),
        ] as [([String: String?], Int)])
    func fieldsAreChecked(_ fields: [String: String?], _ status: Int) throws {
        let fixture = try InboxFixture()
        let answer = fixture.push(try fixture.subscribe().path, [1], fields)
        #expect(answer.status == status)
        if status == 400 { #expect(try answer.text("code") == "malformed") }
    }

    @Test func aRepeatedFieldIsRefused() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        for name in ["TTL", "Topic", "Urgency", "Content-Encoding"] {
            let usual = HTTPRequest.push(path, [1], ["Topic": "a", "Urgency": "low"])
            var headers = usual.headers
            headers.append(name, try #require(usual.headers.values(name).first))
            let request = HTTPRequest(
                method: "POST", path: path, headers: headers, body: usual.body, id: "1")
            #expect(fixture.server.send(request).status == 400, "\(name)")
        }
    }

    @Test func theSizeIsLimited() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        let answer = fixture.push(path, [UInt8](repeating: 0, count: 4_097))
        #expect(answer.status == 413)
        #expect(try answer.text("code") == "too_large")
        #expect(fixture.push(path, []).status == 400)
        #expect(fixture.push(path, [UInt8](repeating: 0, count: 4_096)).status == 201)
    }

    @Test(arguments: ["", "x", "tvp_", "tvp_" + String(repeating: "A", count: 43), "a/b", "%00"])
    func anUnknownEndpointIsNotFound(_ endpoint: String) throws {
        let fixture = try InboxFixture()
        #expect(fixture.push("/push/" + endpoint).status == 404)
    }

    @Test func aTopicReplacesTheWaitingMessage() throws {
        let fixture = try InboxFixture()
        let (first, second) = (try fixture.subscribe().path, try fixture.subscribe().path)
        fixture.push(first, [1], ["Topic": "weather"])
        fixture.push(first, [2], ["Topic": "news"])
        fixture.push(first, [3])
        fixture.push(second, [4], ["Topic": "weather"])
        fixture.push(first, [5], ["Topic": "weather"])
        #expect(try fixture.bodies() == [[2], [3], [4], [5]])
        // A replacement is a new message with a new number, also for a client that knows the old one.
        #expect(try fixture.bodies(after: 4) == [[5]])
    }

    @Test func aMessageExpires() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        fixture.push(path, [1], ["TTL": "60"])
        #expect(fixture.push(path, [2], ["TTL": "0"]).field("TTL") == "0")
        let tenYears = fixture.push(path, [3], ["TTL": "315360000"])
        #expect(tenYears.field("TTL") == "2419200")
        let endless = fixture.push(path, [4], ["TTL": String(repeating: "9", count: 30)])
        #expect(endless.field("TTL") == "2419200")
        #expect(try fixture.bodies() == [[1], [2], [3], [4]])
        fixture.server.wait(.seconds(5))
        #expect(try fixture.bodies() == [[1], [3], [4]])
        fixture.server.wait(.seconds(55))
        #expect(try fixture.bodies() == [[3], [4]])
        fixture.server.wait(.seconds(28 * 86_400 - 61))
        #expect(try fixture.bodies() == [[3], [4]])
        fixture.server.wait(.seconds(1))
        #expect(try fixture.bodies() == [])
        #expect(try fixture.server.administration.purge(at: fixture.server.now) >= 0)
        fixture.push(path, [5])
        #expect(try fixture.bodies() == [[5]])
    }

    @Test func aSenderIsLimitedByTheHour() throws {
        let fixture = try InboxFixture()
        let (first, second) = (try fixture.subscribe().path, try fixture.subscribe().path)
        let long: [String: String?] = ["TTL": "3600"]
        for _ in 0..<60 { #expect(fixture.push(first, [1], long).status == 201) }
        let refused = fixture.push(first)
        #expect(refused.status == 429)
        #expect(refused.field("Retry-After") == "60")
        #expect(try refused.text("code") == "too_many_messages")
        #expect(fixture.push(second, [2], long).status == 201)
        fixture.server.wait(.seconds(59))
        #expect(fixture.push(first).field("Retry-After") == "1")
        fixture.server.wait(.seconds(1))
        #expect(fixture.push(first).status == 201)
        #expect(fixture.push(first).status == 429)
        #expect(try fixture.bodies().count == 62)
    }

    @Test func aClockThatIsSetBackBlocksNobodyForLong() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        for _ in 0..<60 { fixture.push(path) }
        fixture.server.wait(.seconds(-30 * 86_400))
        #expect(fixture.push(path).field("Retry-After") == "60")
        fixture.server.wait(.seconds(60))
        #expect(fixture.push(path).status == 201)
    }

    @Test func aSenderHasALimitedNumberOfWaitingMessages() throws {
        var limits = PushLimits()
        limits.hourlyOfSender = 0
        limits.waitingOfSender = 2
        let fixture = try InboxFixture(pushing: limits)
        let (first, second) = (try fixture.subscribe().path, try fixture.subscribe().path)
        fixture.push(first, [1], ["Topic": "a", "TTL": "30"])
        fixture.push(first, [2])
        let refused = fixture.push(first, [3])
        #expect(refused.status == 429)
        #expect(refused.field("Retry-After") == "900")
        // A replacement needs no room.
        #expect(fixture.push(first, [4], ["Topic": "a", "TTL": "30"]).status == 201)
        #expect(fixture.push(first, [5], ["Topic": "b"]).status == 429)
        #expect(fixture.push(second, [6]).status == 201)
        #expect(try fixture.bodies() == [[2], [4], [6]])
        // One that expired makes room.
        fixture.server.wait(.seconds(30))
        #expect(fixture.push(first, [7]).status == 201)
        #expect(fixture.push(first, [8]).status == 429)
    }

    @Test func anExpiredMessageMakesRoomForOneOnly() throws {
        var limits = PushLimits()
        limits.waitingOfSender = 1
        let fixture = try InboxFixture(pushing: limits)
        let path = try fixture.subscribe().path
        #expect(fixture.push(path, [1], ["Topic": "a", "TTL": "0"]).status == 201)
        fixture.server.wait(.seconds(5))
        #expect(fixture.push(path, [2]).status == 201)
        // It is not replaced any more.
        #expect(fixture.push(path, [3], ["Topic": "a"]).status == 429)
        #expect(try fixture.bodies() == [[2]])
    }

    @Test func anInboxIsLimited() throws {
        var limits = PushLimits()
        limits.hourlyOfInbox = 3
        limits.waitingOfInbox = 2
        let fixture = try InboxFixture(pushing: limits)
        let (first, second) = (try fixture.subscribe().path, try fixture.subscribe().path)
        #expect(fixture.push(first).status == 201)
        #expect(fixture.push(second).status == 201)
        #expect(fixture.push(second).field("Retry-After") == "900")
        let id = try #require(fixture.receive().messages()[0]["id"] as? String)
        _ = fixture.acknowledge([id])
        #expect(fixture.push(second).status == 201)
        // A refused message did not count.
        #expect(fixture.push(first).field("Retry-After") == "1200")
        let other = try InboxFixture(fixture.server, "eve@example.org")
        #expect(other.push(try other.subscribe().path).status == 201)
    }

    @Test func manyMessagesAreReadInPages() throws {
        var limits = PushLimits()
        limits.hourlyOfSender = 0
        limits.hourlyOfInbox = 0
        limits.waitingOfSender = 0
        limits.waitingOfInbox = 0
        let fixture = try InboxFixture(pushing: limits)
        let path = try fixture.subscribe().path
        for number in 0..<150 { fixture.push(path, [UInt8(number)]) }
        var bodies: [[UInt8]] = []
        var next = 0
        var sizes: [Int] = []
        while true {
            let page = fixture.receive(after: next)
            let messages = try page.messages()
            if messages.isEmpty { break }
            sizes.append(messages.count)
            bodies += try fixture.bodies(after: next)
            next = try #require(page.object["next"] as? Int)
        }
        #expect(sizes == [64, 64, 22])
        #expect(bodies == (0..<150).map { [UInt8($0)] })
        #expect(next == 150)
    }

    @Test func aBusyDatabaseAcceptsNothing() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        fixture.server.failures.fail(1)
        let answer = fixture.push(path)
        #expect(answer.status == 503)
        #expect(answer.field("Retry-After") != nil)
        #expect(try fixture.bodies() == [])
        #expect(fixture.push(path).status == 201)
    }

    /// Those that come during a commit are stored by the next one.
    @Test func pushesAreStoredTogether() throws {
        let queue = BatchQueue<InboxService.Push>(maximum: 3, startsThread: false)
        let hash = TokenHash(of: "x")
        @Sendable func entry(_ number: UInt8) -> BatchQueue<InboxService.Push>.Entry {
            BatchQueue<InboxService.Push>.Entry(
                change: InboxService.Push(
                    endpoint: hash, life: 0, urgency: .normal, topic: nil, body: [number]),
                answer: DeferredResponse { _ in })
        }
        let stored = Mutex<[[UInt8]]>([])
        let taken = Mutex<[Bool]>([])
        let isTaken = queue.add(entry(0)) { batch in
            let count = stored.withLock {
                $0.append(batch.flatMap { $0.change.body })
                return $0.count
            }
            guard count == 1 else { return }
            for number in 1...4 {
                let isTaken = queue.add(entry(UInt8(number))) { _ in
                    Issue.record("two threads store at once")
                }
                taken.withLock { $0.append(isTaken) }
            }
        }
        #expect(isTaken)
        #expect(taken.withLock { $0 } == [true, true, true, false])
        #expect(stored.withLock { $0 } == [[0], [1, 2, 3]])
        let isNextTaken = queue.add(entry(5)) { batch in
            stored.withLock { $0.append(batch.flatMap { $0.change.body }) }
        }
        #expect(isNextTaken)
        #expect(stored.withLock { $0.last } == [5])
    }
}

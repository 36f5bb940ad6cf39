import Accounts
@testable import AuthServer
import Foundation
import HTTPServer
import Platform
import Testing
import TestSupport

/// Requests that wait for a message.
@Suite("Polls", .timeLimit(.minutes(60)))
struct PollTests {
    @Test(arguments: [true, false])
    func aPollEndsWithTheMessage(_ readsAtOnce: Bool) throws {
        let fixture = try InboxFixture(readsAtOnce: readsAtOnce)
        let path = try fixture.subscribe().path
        let polls = [fixture.poll(), fixture.poll()]
        #expect(polls.allSatisfy { $0.response == nil })
        fixture.push(path, [7])
        // Both machines of a vault see it.
        for poll in polls {
            let messages = try #require(poll.response).messages()
            #expect(messages.map { $0["number"] as? Int } == [1])
            #expect(messages[0]["body_base64"] as? String == "Bw==")
        }
        // The fields of all answers are there, too.
        #expect(polls[0].response?.field("X-Request-Id") == "0123456789abcdef")
        #expect(polls[0].response?.field("Cache-Control") == "no-store")
    }

    @Test func aPollWaitsForWhatTheClientDoesNotKnow() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        fixture.push(path, [1])
        #expect(fixture.poll().response != nil)
        let poll = fixture.poll(after: 1)
        #expect(poll.response == nil)
        fixture.push(path, [2])
        #expect(try poll.response?.messages().map { $0["number"] as? Int } == [2])
        // A number that was never given.
        let restored = try #require(fixture.poll(after: 99).response)
        #expect(try restored.messages().map { $0["number"] as? Int } == [1, 2])
    }

    @Test func aPollIsNotWokenByTheMessageOfAnother() throws {
        let fixture = try InboxFixture()
        let eve = try InboxFixture(fixture.server, "eve@example.org")
        let poll = fixture.poll()
        eve.push(try eve.subscribe().path)
        #expect(poll.response == nil)
        fixture.push(try fixture.subscribe().path)
        #expect(poll.response?.status == 200)
    }

    @Test func aPollOfAnAccountThatWasDisabledGetsNoMessage() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        let poll = fixture.poll()
        let name = try #require(EmailAddress("ada@example.org"))
        try fixture.server.administration.setDisabled(name, true)
        #expect(poll.response == nil)
        #expect(fixture.push(path).status == 201)
        #expect(poll.response?.status == 401)
    }

    @Test func anInboxHasALimitedNumberOfPolls() throws {
        let fixture = try InboxFixture()
        let polls = (0..<9).map { _ in fixture.poll() }
        #expect(polls.map { $0.response == nil } == [false] + Array(repeating: true, count: 8))
        let ended = try #require(polls[0].response)
        #expect(ended.status == 200)
        #expect(try ended.messages().isEmpty)
        #expect(try ended.object["next"] as? Int == 0)
    }

    @Test func aPollEndsAtItsTime() throws {
        let fixture = try InboxFixture()
        let polls = fixture.server.server.polls
        let thread = TestThread { polls.run() }
        let poll = fixture.poll(seconds: 1)
        let other = fixture.poll(seconds: 300)
        #expect(until { poll.response != nil })
        #expect(try poll.response?.messages().isEmpty == true)
        #expect(other.response == nil)
        // A poll that ends earlier than those before it.
        let next = fixture.poll(seconds: 1)
        #expect(until { next.response != nil })
        #expect(next.response?.status == 200)
        polls.stop()
        #expect(other.response?.status == 200)
        // From now on, none waits.
        #expect(fixture.poll().response?.status == 200)
        thread.join()
    }

    @Test(arguments: [
        "after=x", "after=-1", "after", "after=1&after=2", "wait=301", "wait=-1", "from=1",
        "after=9223372036854775808",
    ])
    func parametersAreChecked(_ query: String) throws {
        let fixture = try InboxFixture()
        let answer = fixture.server.send(.messages(query, token: fixture.receiving))
        #expect(answer.status == 400, "\(query)")
    }

    /// A message of another server of the database: the signal leads to a look.
    @Test func anotherServersMessageIsDelivered() throws {
        let fixture = try InboxFixture()
        let path = try fixture.subscribe().path
        let poll = fixture.poll()
        let endpoint = String(path.dropFirst("/push/".count))
        let other = InboxService(repository: fixture.server.repository)
        let push = InboxService.Push(
            endpoint: TokenHash(of: endpoint), life: 60, urgency: .normal, topic: nil, body: [1])
        _ = try other.push([push], at: fixture.server.now)
        #expect(poll.response == nil)
        fixture.server.server.deliver()
        #expect(try poll.response?.messages().count == 1)
    }

    /// More inboxes than are looked at together.
    @Test func oneCommitIsDeliveredToManyInboxes() throws {
        var limits = PushLimits()
        limits.maximumInboxes = 0
        let fixture = try InboxFixture(pushing: limits)
        let name = try #require(EmailAddress("ada@example.org"))
        let account = try #require(try fixture.server.repository.read { try $0.account(name) }).id
        let (service, now) = (fixture.server.server.inboxes, fixture.server.now)
        var pushes: [InboxService.Push] = []
        var polls: [PendingAnswer] = []
        for _ in 0..<(2 * InboxService.pageSize + 1) {
            let made = try service.makeInbox(of: account, at: now)
            let sender = try service.subscribe(to: made.inbox.id, of: account, key: nil, at: now)
            pushes.append(
                InboxService.Push(
                    endpoint: sender.subscription.endpoint, life: 60, urgency: .normal, topic: nil,
                    body: [1]))
            polls.append(fixture.server.begin(.messages("wait=300", token: made.receiving)))
        }
        #expect(polls.allSatisfy { $0.response == nil })
        _ = try service.push(pushes, at: now)
        fixture.server.server.deliver()
        #expect(polls.allSatisfy { $0.response != nil })
    }

    @Test func aFailureOfTheDatabaseEndsThePoll() throws {
        let fixture = try InboxFixture()
        fixture.server.repository.close()
        #expect(fixture.receive().status == 503)
    }
}

/// A thread for a blocking call.
private final class TestThread: @unchecked Sendable {
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [ended] in
            body()
            ended.signal()
        }
    }

    /// Waits for its end.
    func join() {
        ended.wait()
    }
}

import SecureStorage
import Testing
import TestSupport
import VaultAgent
import VaultCore

@Suite("Wrong attempts")
struct AttemptThrottleTests {
    private func attempt(_ agent: TestAgent, _ text: String = "wrong") -> Worker<AgentStatus> {
        Worker { try agent.client().unlock(with: TestVault.secret(text)) }
    }

    /// Makes an attempt and lets it wait as long as it has to.
    ///
    /// - Returns: How long that was.
    private func wait(_ agent: TestAgent, _ text: String = "wrong") throws -> Duration {
        let attempt = attempt(agent, text)
        try eventually("the attempt waits or is done") {
            attempt.isDone || !agent.clock.sleepers.isEmpty
        }
        let waited = agent.clock.sleepers.first ?? .zero
        agent.clock.advance(by: waited)
        if text == TestVault.passphraseText {
            _ = try attempt.get()
        } else {
            #expect(throws: AgentError.vault(.wrongPassphrase)) { _ = try attempt.get() }
        }
        return waited
    }

    @Test("make the next one wait twice as long each time, ten seconds at most")
    func delays() throws {
        try withAgent { agent in
            let waited = try (0..<50).map { _ in try wait(agent) }
            let first: [Duration] = [0, 100, 200, 400, 800, 1_600, 3_200, 6_400].map {
                .milliseconds($0)
            }
            #expect(waited == first + [Duration](repeating: .seconds(10), count: 42))
        }
    }

    @Test("are forgotten after a right one")
    func reset() throws {
        try withAgent { agent in
            for _ in 0..<4 { _ = try wait(agent) }
            #expect(try wait(agent, TestVault.passphraseText) == .milliseconds(800))
            #expect(try wait(agent) == .zero)
            #expect(try wait(agent) == .milliseconds(100))
        }
    }

    @Test("do not slow down anything else, and waiting attempts run one by one")
    func others() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            for _ in 0..<3 { _ = try wait(agent) }
            let attempt = attempt(agent)
            try eventually("the attempt waits") { agent.clock.sleepers == [.milliseconds(400)] }
            #expect(try client.status().isVerified)
            #expect(try Samples.bytes(client.value(of: Samples.name)) == [1])
            agent.clock.advance(by: .milliseconds(399))
            #expect(try client.status().isUnlocked)
            #expect(!attempt.isDone)
            #expect(agent.clock.sleepers == [.milliseconds(1)])
            agent.clock.advance(by: .milliseconds(1))
            #expect(throws: AgentError.vault(.wrongPassphrase)) { _ = try attempt.get() }
        }
    }

    @Test("are not refused before the first wrong attempt, however many come at once")
    func manyRight() throws {
        try withAgent { agent in
            let all = (0..<12).map { _ in attempt(agent, TestVault.passphraseText) }
            for one in all {
                let status = try one.get()
                #expect(status.isVerified)
            }
        }
    }

    @Test("are refused when four wait already behind the one whose turn it is")
    func mostWaiting() throws {
        try withAgent { agent in
            _ = try wait(agent)
            let first = attempt(agent)
            try eventually("the first one waits") { !agent.clock.sleepers.isEmpty }
            let others = (0..<5).map { _ in attempt(agent) }
            // One of them is refused at once; the others wait for their turn.
            try eventually("one is refused") { others.contains { $0.isDone } }
            let refused = try #require(others.first { $0.isDone })
            #expect(throws: AgentError.throttled) { _ = try refused.get() }
            #expect(others.count { $0.isDone } == 1)
            #expect(try !agent.client().status().isUnlocked)
            let all = [first] + others
            try eventually("all are done") {
                // Without a waiting client, time would pass for the agent, which ends after a long idle time.
                if !agent.clock.sleepers.isEmpty { agent.clock.advance(by: .seconds(10)) }
                return all.allSatisfy(\.isDone)
            }
            let answers = all.map { attempt -> AgentError? in
                do {
                    _ = try attempt.get()
                    return nil
                } catch {
                    return error as? AgentError
                }
            }
            #expect(answers.count { $0 == .vault(.wrongPassphrase) } == 5)
        }
    }

    @Test(
        "of the recovery code and of verification count, too; a request without a secret does not")
    func kinds() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            #expect(throws: AgentError.vault(.wrongPassphrase)) {
                try client.verify(with: TestVault.secret("wrong"))
            }
            #expect(throws: AgentError.vault(.store(.notFound))) {
                throw AgentError.vault(.store(.notFound))
            }
            try client.lock()
            let attempt = attempt(agent, TestVault.passphraseText)
            try eventually("the attempt waits") { agent.clock.sleepers == [.milliseconds(100)] }
            agent.clock.advance(by: .milliseconds(100))
            #expect(try attempt.get().isUnlocked)
        }
    }
}

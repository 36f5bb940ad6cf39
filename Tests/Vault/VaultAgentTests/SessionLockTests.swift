import Dispatch
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore
import VaultStorage

@Suite("A lock")
struct SessionLockTests {
    /// An agent whose attempts can be held up in the middle.
    private func withHeldAgent(_ body: (TestAgent, BlockingRecords) throws -> Void) throws {
        let records = BlockingRecords()
        try withAgent({ $0.environment = TestVault.environment(rollbackRecords: records) }) {
            agent in
            defer { records.hold(false) }
            try body(agent, records)
        }
    }

    private func attempt(
        _ agent: TestAgent, _ text: String = TestVault.passphraseText
    ) -> Worker<AgentStatus> {
        Worker { try agent.client().unlock(with: TestVault.secret(text)) }
    }

    @Test("wins over an unlocking that has begun")
    func duringUnlocking() throws {
        try withHeldAgent { agent, records in
            records.hold(true)
            let attempt = self.attempt(agent)
            try eventually("the passphrase is checked") { records.heldUp == 1 }
            try agent.client().lock()
            records.hold(false)
            #expect(throws: AgentError.vault(.store(.locked))) { try attempt.get() }
            #expect(try !agent.client().status().isUnlocked)
            // The next one is as good as any.
            #expect(try self.attempt(agent).get().isUnlocked)
        }
    }

    @Test("wins over an unlocking that proves the owner again")
    func duringSecondUnlocking() throws {
        try withHeldAgent { agent, records in
            _ = try agent.unlockedClient()
            records.hold(true)
            let attempt = self.attempt(agent)
            try eventually("the passphrase is checked") { records.heldUp == 1 }
            try agent.client().lock()
            records.hold(false)
            #expect(throws: AgentError.vault(.store(.locked))) { try attempt.get() }
            #expect(try !agent.client().status().isUnlocked)
        }
    }

    @Test("wins over a verification")
    func duringVerification() throws {
        try withHeldAgent { agent, records in
            let client = try agent.unlockedClient()
            records.hold(true)
            let attempt = Worker { try client.verify(with: TestVault.secret()) }
            try eventually("the passphrase is checked") { records.heldUp == 1 }
            try agent.client().lock()
            records.hold(false)
            #expect(throws: AgentError.vault(.store(.locked))) { try attempt.get() }
            #expect(try !agent.client().status().isUnlocked)
        }
    }

    @Test("wins over an unlocking that waits for its turn")
    func duringWaiting() throws {
        try withHeldAgent { agent, _ in
            #expect(throws: AgentError.vault(.wrongPassphrase)) {
                _ = try self.attempt(agent, "wrong").get()
            }
            let attempt = self.attempt(agent)
            try eventually("the attempt waits") { !agent.clock.sleepers.isEmpty }
            try agent.client().lock()
            agent.clock.advance(by: .seconds(1))
            #expect(throws: AgentError.vault(.store(.locked))) { try attempt.get() }
            #expect(try !agent.client().status().isUnlocked)
        }
    }

    @Test("may be asked for twice, and ends verification with the session")
    func twice() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.save(
                Samples.one(), as: Samples.name, SecretAttributes(accessClass: .afterVerification))
            #expect(try !client.lock().isUnlocked)
            #expect(try !client.lock().isUnlocked)
            #expect(throws: SecureStoreError.locked) { _ = try client.value(of: Samples.name) }
            #expect(throws: AgentError.vault(.store(.locked))) {
                try client.verify(with: TestVault.secret())
            }
            #expect(throws: AgentError.vault(.store(.locked))) { _ = try client.settings() }
        }
    }

    /// As a server that is gone holds up a use, for half a minute.
    @Test("is heard although a use holds up the end of the verification")
    func duringUse() throws {
        let records = BlockingRecords()
        let time = Mutex<Int64>(0)
        // A write raises the rollback record while it holds the vault, at most once a second.
        let environment = TestVault.environment(rollbackRecords: records) {
            time.withLock { time in
                time += 2_000
                return time
            }
        }
        try withAgent({ $0.environment = environment }) { agent in
            defer { records.holdRaises(false) }
            let client = try agent.unlockedClient()
            records.holdRaises(true)
            let use = Worker {
                try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            }
            try eventually("the use has the vault") { records.heldUp == 1 }
            agent.clock.advance(by: .seconds(120))
            try agent.letLookAround()
            records.holdRaises(false)
            _ = try use.get()
            #expect(try !agent.client().status().isVerified)
            #expect(try agent.client().status().isUnlocked)
        }
    }

    /// The agent erases expired values after its answer to an unlock.
    @Test("that meets the erasing after an unlocking is answered when that has let go of the vault")
    func duringErasing() throws {
        let records = BlockingRecords()
        let time = Mutex<Int64>(1_000_000)
        let environment = TestVault.environment(rollbackRecords: records) { time.withLock { $0 } }
        let interrupted = DispatchSemaphore(value: 0)
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let agent = try TestAgent(in: folder) {
                $0.environment = environment
                $0.openStorage = { try BusyStorage(path, $0, interrupted: interrupted) }
            }
            defer { try? agent.stop() }
            defer { records.holdRaises(false) }
            let first = try agent.unlockedClient()
            try first.save(Samples.one(), as: Samples.name, SecretAttributes())
            try first.update(Samples.name, to: Samples.two())
            try first.lock()
            #expect(interrupted.wait(timeout: .now()) == .success)
            time.withLock { $0 += Int64(EarlierRetention.standard.days + 1) * 86_400_000 }
            // A change that is a day old says that the time is right.
            let second = try agent.unlockedClient()
            try second.save(
                Samples.one(), as: SecretName(service: "other", account: "bob"), SecretAttributes())
            try second.lock()
            #expect(interrupted.wait(timeout: .now()) == .success)
            time.withLock { $0 += 86_400_000 }
            records.holdRaises(true)
            // The owner does not wait for the erasing.
            let client = try agent.client()
            try client.unlock(with: TestVault.secret())
            try eventually("the erasing has the vault") { records.heldUp == 1 }
            let lock = Worker { try agent.client().lock() }
            #expect(interrupted.wait(timeout: .now() + 60) == .success)
            #expect(try !agent.client().status().isUnlocked)
            #expect(!lock.isDone)
            records.holdRaises(false)
            #expect(try !lock.get().isUnlocked)
            #expect(try !client.status().isUnlocked)
            let again = try agent.unlockedClient()
            #expect(try Samples.bytes(again.value(of: Samples.name)) == [2, 2])
        }
    }

    @Test("ends the answer to a client that does not take it, before it is confirmed")
    func openView() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let size = SecretLimits.maximumValueSize
            try client.save(
                Samples.secret([UInt8](repeating: 7, count: size)), as: Samples.name,
                SecretAttributes())
            let slow = try RawClient(agent.place)
            try slow.greet()
            try slow.send(ReadRequest(name: Samples.name))
            try eventually("the answer is on its way") { try slow.hasAnswer() }
            try client.lock()
            // The bytes that the system had accepted arrive; the others never do.
            let rest = slow.everything()
            #expect(rest.count < size)
        }
    }
}

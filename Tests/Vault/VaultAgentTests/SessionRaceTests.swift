import Foundation
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore
import VaultStorage

/// A clock during whose n-th reading something else happens.
private final class InterruptedClock: SessionClock {
    private let clock = ManualClock()
    private let interruption = Mutex<(after: Int, body: (@Sendable () -> Void)?)>((0, nil))

    var now: Duration {
        let body = interruption.withLock { state -> (@Sendable () -> Void)? in
            state.after -= 1
            return state.after == 0 ? state.body : nil
        }
        body?()
        return clock.now
    }

    func sleep(until time: Duration) { clock.sleep(until: time) }
    func advance(by step: Duration) { clock.advance(by: step) }

    func interrupt(after readings: Int, _ body: @escaping @Sendable () -> Void) {
        interruption.withLock { $0 = (readings, body) }
    }
}

@Suite("A session that is used in between")
struct SessionRaceTests {
    private func read(_ name: SecretName, _ session: AgentSession) throws {
        try session.use { vault in
            let accessClass = try vault.read(name) { item, _ in item.attributes.accessClass }
            return ((), AgentSession.Use(accessClass))
        }
    }

    @Test("shows no protected secret after the window", arguments: 1...6)
    func verificationEnds(readings: Int) throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        // The secret 0 is protected.
        try TestVault.fill(vault, count: 2)
        vault.lock()
        let clock = InterruptedClock()
        let session = AgentSession(
            AgentSession.VaultPlace(
                open: { storage }, environment: TestVault.environment(), isMemoryLocked: { true }),
            clock: clock)
        try session.unlock(with: TestVault.secret(), acceptsOlder: false, while: { true })
        let (protected, plain) = try (TestVault.name(0), TestVault.name(1))
        try read(protected, session)
        clock.advance(by: .seconds(119))
        // A use that begins within the window, and ends while another one looks at the limits.
        let (begun, finish) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let other = Worker {
            try session.use { _ in
                begun.signal()
                finish.wait()
                return ((), .plain)
            }
        }
        begun.wait()
        clock.advance(by: .seconds(1))
        clock.interrupt(after: readings) {
            finish.signal()
            _ = try? other.get()
        }
        #expect(throws: SecureStoreError.notVerified) { try read(protected, session) }
        finish.signal()
        try other.get()
        try read(plain, session)
    }

    /// Requests to an unlocked session whose server is gone.
    enum Question: CaseIterable, Sendable {
        case settings, read, verify, unlock
    }

    @Test("reports a locked vault to a client that a lock interrupts", arguments: Question.allCases)
    func interrupted(question: Question) throws {
        let storage = try UnreachableStorage()
        try TestVault.create(in: storage)
        let session = AgentSession(
            AgentSession.VaultPlace(
                open: { storage }, environment: TestVault.environment(), isMemoryLocked: { true }),
            clock: ManualClock())
        try session.unlock(with: TestVault.secret(), acceptsOlder: false, while: { true })
        let name = try TestVault.name(0)
        // A read comes after a look at the settings.
        if question != .read { storage.stopAnswering() }
        let asking = Worker { () throws in
            switch question {
            case .settings:
                try session.use { vault in
                    (_ = try vault.currentSettings(), .none)
                }
            case .read:
                try session.use { vault in
                    storage.stopAnswering()
                    return (try vault.read(name) { _, _ in }, .plain)
                }
            case .verify: try session.verify(with: TestVault.secret())
            case .unlock:
                try session.unlock(with: TestVault.secret(), acceptsOlder: false, while: { true })
            }
        }
        storage.waitUntilAsked()
        session.lock()
        #expect(throws: SecureStoreError.locked) { try asking.get() }
    }
}

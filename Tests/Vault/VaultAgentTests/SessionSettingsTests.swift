import SecureStorage
import Synchronization
import Testing
import TestSupport
import VaultAgent
import VaultCore

@Suite("A change of the settings")
struct SessionSettingsTests {
    @Test("to a shorter limit holds at once, verified or not")
    func narrower() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            agent.clock.advance(by: .seconds(150))
            #expect(try !client.status().isVerified)
            #expect(try client.change(.idleLimit, to: 60)[.idleLimit] == 60)
            #expect(try client.status().idleTimeLeft == 60_000)
            #expect(try client.change(.absoluteLimit, to: 200)[.absoluteLimit] == 200)
            #expect(try client.status().absoluteTimeLeft == 50_000)
            #expect(try client.change(.verificationWindow, to: 30)[.verificationWindow] == 30)
            try client.verify(with: TestVault.secret())
            #expect(try client.status().verificationLeft == 30_000)
            agent.clock.advance(by: .seconds(50))
            #expect(try !client.status().isUnlocked)
        }
    }

    @Test("to a limit that has passed already locks")
    func passed() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            agent.clock.advance(by: .seconds(150))
            try client.change(.absoluteLimit, to: 100)
            #expect(try !client.status().isUnlocked)
        }
    }

    @Test("to verification by a finger takes verification, and holds from its next end on")
    func finger() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            #expect(try client.status().finger == .off)
            agent.clock.advance(by: .seconds(150))
            #expect(throws: AgentError.vault(.store(.notVerified))) {
                try client.change(.verifyWithFingerprint, to: 1)
            }
            #expect(throws: AgentError.finger(.off)) {
                _ = try client.verifyByFinger { _, _ in true }
            }
            try client.verify(with: TestVault.secret())
            try client.change(.verifyWithFingerprint, to: 1)
            #expect(try client.status().finger == .on)
            agent.clock.advance(by: .seconds(150))
            let status = try client.status()
            #expect(!status.isVerified && status.finger == .on)
            #expect(try !client.change(.verifyWithFingerprint, to: 0).isOn(.verifyWithFingerprint))
            #expect(try client.status().finger == .off)
            try client.lock()
            #expect(throws: AgentError.vault(.store(.locked))) {
                _ = try client.verifyByFinger { _, _ in true }
            }
        }
    }

    @Test("to a longer limit takes verification, and holds at once then")
    func wider() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            agent.clock.advance(by: .seconds(150))
            for (setting, value) in [
                (VaultSetting.verificationWindow, UInt32(121)), (.idleLimit, 901),
                (.absoluteLimit, 43_201),
            ] {
                #expect(throws: AgentError.vault(.store(.notVerified))) {
                    try client.change(setting, to: value)
                }
            }
            #expect(try client.settings() == .standard)
            try client.verify(with: TestVault.secret())
            try client.change(.idleLimit, to: 1_800)
            #expect(try client.status().idleTimeLeft == 1_800_000)
            try client.lock()
            try client.unlock(with: TestVault.secret())
            #expect(try client.settings()[.idleLimit] == 1_800)
        }
    }

    @Test("of the page takes no verification, and another theme or language is refused")
    func look() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            agent.clock.advance(by: .seconds(150))
            for setting in [VaultSetting.theme, .language] {
                for value: UInt32 in [2, 1, 0] {
                    #expect(try client.change(setting, to: value)[setting] == value)
                }
                #expect(throws: AgentError.vault(.invalidSettings)) {
                    try client.change(setting, to: 3)
                }
            }
            #expect(try client.settings() == .standard)
        }
    }

    @Test("outside one second to a day is refused")
    func range() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            for setting in [VaultSetting.verificationWindow, .idleLimit, .absoluteLimit] {
                for value: UInt32 in [0, 86_401, .max] {
                    #expect(throws: AgentError.vault(.invalidSettings)) {
                        try client.change(setting, to: value)
                    }
                }
                #expect(try client.change(setting, to: 86_400)[setting] == 86_400)
            }
            // One second is a session, too.
            try client.change(.idleLimit, to: 1)
            #expect(try client.status().idleTimeLeft == 1_000)
        }
    }

    @Test("to locked memory is refused where there is none, and then no unlock succeeds")
    func lockedMemory() throws {
        let isLocked = IsLocked()
        try withAgent({ $0.isMemoryLocked = { isLocked.value } }) { agent in
            let client = try agent.unlockedClient()
            #expect(try client.status().isMemoryLocked)
            isLocked.value = false
            #expect(try !client.status().isMemoryLocked)
            #expect(throws: AgentError.memoryNotLocked) {
                try client.change(.requireLockedMemory, to: 1)
            }
            #expect(try client.settings() == .standard)
            isLocked.value = true
            #expect(try client.change(.requireLockedMemory, to: 1).isOn(.requireLockedMemory))
            try client.lock()
            isLocked.value = false
            #expect(throws: AgentError.memoryNotLocked) {
                try client.unlock(with: TestVault.secret())
            }
            #expect(try !client.status().isUnlocked)
            isLocked.value = true
            #expect(try client.unlock(with: TestVault.secret()).isUnlocked)
            // To do without is wider.
            agent.clock.advance(by: .seconds(121))
            #expect(throws: AgentError.vault(.store(.notVerified))) {
                try client.change(.requireLockedMemory, to: 0)
            }
        }
    }

    private final class IsLocked: Sendable {
        private let isLocked = Mutex(true)
        var value: Bool {
            get { isLocked.withLock { $0 } }
            set { isLocked.withLock { $0 = newValue } }
        }
    }
}

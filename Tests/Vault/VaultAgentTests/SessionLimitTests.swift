import Foundation
import SecureStorage
import Testing
import TestSupport
import VaultAgent
import VaultCore

@Suite("The limits of a session")
struct SessionLimitTests {
    /// The standard settings, in milliseconds.
    private static let window: UInt64 = 120_000
    private static let idle: UInt64 = 900_000
    private static let absolute: UInt64 = 43_200_000

    /// An unlocked vault with the protected secret 0 and the plain secret 1.
    private func withSession(_ body: (TestAgent, AgentClient) throws -> Void) throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            for index in 0...1 {
                try client.save(
                    Samples.secret("value \(index)"), as: TestVault.name(index),
                    SecretAttributes(
                        accessClass: index == 0 ? .afterVerification : .whileUnlocked))
            }
            // As if unlocked just now.
            try client.verify(with: TestVault.secret())
            try body(agent, client)
        }
    }

    private func readProtected(_ client: AgentClient) throws {
        _ = try client.value(of: TestVault.name(0))
    }

    private func readPlain(_ client: AgentClient) throws {
        _ = try client.value(of: TestVault.name(1))
    }

    @Test("are those of the settings, from the unlocking on")
    func beginning() throws {
        try withSession { agent, client in
            var status = try client.status()
            #expect(status.isUnlocked && status.isVerified)
            #expect(status.verificationLeft == Self.window)
            #expect(status.idleTimeLeft == Self.idle)
            #expect(status.absoluteTimeLeft == Self.absolute)
            agent.clock.advance(by: .seconds(100))
            status = try client.status()
            #expect(status.verificationLeft == Self.window - 100_000)
            #expect(status.idleTimeLeft == Self.idle - 100_000)
            #expect(status.absoluteTimeLeft == Self.absolute - 100_000)
        }
    }

    @Test("end verification to the millisecond, and leave credentials readable")
    func windowIsExact() throws {
        try withSession { agent, client in
            agent.clock.advance(by: .milliseconds(119_999))
            #expect(try client.status().isVerified)
            #expect(try client.status().verificationLeft == 1)
            agent.clock.advance(by: .milliseconds(1))
            #expect(throws: SecureStoreError.notVerified) { try readProtected(client) }
            try readPlain(client)
            let status = try client.status()
            #expect(status.isUnlocked && !status.isVerified)
            #expect(status.verificationLeft == 0)
        }
    }

    @Test("let verification slide with each use of a protected secret, ten minutes at most")
    func slidingWindow() throws {
        try withSession { agent, client in
            for _ in 0..<5 {
                agent.clock.advance(by: .seconds(119))
                try readProtected(client)
                #expect(try client.status().verificationLeft <= Self.window)
            }
            // 595 seconds after the proof.
            #expect(try client.status().verificationLeft == 5_000)
            agent.clock.advance(by: .milliseconds(4_999))
            try readProtected(client)
            agent.clock.advance(by: .milliseconds(1))
            #expect(throws: SecureStoreError.notVerified) { try readProtected(client) }
            // Another proof begins anew.
            try client.verify(with: TestVault.secret())
            #expect(try client.status().verificationLeft == Self.window)
            try readProtected(client)
        }
    }

    @Test("let verification last as long as the window where that is longer than ten minutes")
    func longWindow() throws {
        try withSession { agent, client in
            try client.change(.verificationWindow, to: 800)
            agent.clock.advance(by: .seconds(799))
            try readProtected(client)
            #expect(try client.status().verificationLeft == 1_000)
            agent.clock.advance(by: .seconds(1))
            #expect(throws: SecureStoreError.notVerified) { try readProtected(client) }
        }
    }

    @Test("lock when nothing was used for the idle time, to the millisecond")
    func idleLimit() throws {
        try withSession { agent, client in
            agent.clock.advance(by: .milliseconds(899_999))
            try readPlain(client)
            agent.clock.advance(by: .milliseconds(899_999))
            #expect(try client.status().idleTimeLeft == 1)
            agent.clock.advance(by: .milliseconds(1))
            #expect(throws: SecureStoreError.locked) { try readPlain(client) }
            let status = try client.status()
            #expect(!status.isUnlocked && !status.isVerified)
            #expect(status.idleTimeLeft == 0 && status.absoluteTimeLeft == 0)
        }
    }

    @Test("lock after the absolute time, however often the session is used and proved")
    func absoluteLimit() throws {
        try withSession { agent, client in
            for _ in 0..<(43_200 / 450 - 1) {
                agent.clock.advance(by: .seconds(450))
                try readPlain(client)
            }
            try client.verify(with: TestVault.secret())
            try client.unlock(with: TestVault.secret())
            agent.clock.advance(by: .milliseconds(449_999))
            try readPlain(client)
            #expect(try client.status().absoluteTimeLeft == 1)
            agent.clock.advance(by: .milliseconds(1))
            #expect(throws: SecureStoreError.locked) { try readPlain(client) }
        }
    }

    @Test("are extended by successful uses only, not by status, list or failures")
    func onlyUsesExtend() throws {
        try withSession { agent, client in
            agent.clock.advance(by: .seconds(100))
            _ = try client.status()
            _ = try client.list()
            _ = try client.settings()
            #expect(throws: SecureStoreError.notFound) {
                _ = try client.value(of: TestVault.name(9))
            }
            #expect(throws: SecureStoreError.duplicate) {
                try client.save(Samples.one(), as: TestVault.name(1), SecretAttributes())
            }
            #expect(throws: SecureStoreError.conflict(found: 1)) {
                try client.update(TestVault.name(0), to: Samples.one(), expecting: 7)
            }
            #expect(throws: AgentError.vault(.wrongPassphrase)) {
                try client.verify(with: TestVault.secret("wrong"))
            }
            #expect(throws: AgentError.vault(.invalidSettings)) {
                try client.change(.idleLimit, to: 0)
            }
            let status = try client.status()
            #expect(status.verificationLeft == Self.window - 100_000)
            #expect(status.idleTimeLeft == Self.idle - 100_000)
            // A plain secret extends the session, not the verification.
            try readPlain(client)
            #expect(try client.status().verificationLeft == Self.window - 100_000)
            #expect(try client.status().idleTimeLeft == Self.idle)
            try readProtected(client)
            #expect(try client.status().verificationLeft == Self.window)
        }
    }

    @Test("are not extended by messages, which come at any time")
    func messages() throws {
        try withSession { agent, client in
            agent.clock.advance(by: .seconds(100))
            for service in ["taskvault.inbox", "taskvault.inbox-token", "taskvault.message"] {
                let name = try SecretName(service: service, account: "a")
                try client.save(Samples.one(), as: name, SecretAttributes())
                _ = try client.value(of: name)
                try client.update(name, to: Samples.one())
            }
            #expect(try client.status().idleTimeLeft == Self.idle - 100_000)
            let other = try SecretName(service: "taskvault.messages", account: "a")
            try client.save(Samples.one(), as: other, SecretAttributes())
            #expect(try client.status().idleTimeLeft == Self.idle)
        }
    }

    @Test("are not extended by a client in the background, such as a round of sync")
    func background() throws {
        try withSession { agent, client in
            let background = try AgentClient(
                agent.place, programVersion: "test", isBackground: true)
            agent.clock.advance(by: .seconds(100))
            try readProtected(background)
            try readPlain(background)
            try background.save(Samples.one(), as: TestVault.name(2), SecretAttributes())
            try background.change([
                SecretChange(TestVault.name(2), expecting: nil, .remove(permanently: false))
            ])
            var status = try client.status()
            #expect(status.verificationLeft == Self.window - 100_000)
            #expect(status.idleTimeLeft == Self.idle - 100_000)
            // Its limits are those of the session.
            agent.clock.advance(by: .seconds(20))
            #expect(throws: SecureStoreError.notVerified) { try readProtected(background) }
            // Other clients extend them as before.
            try readPlain(client)
            status = try client.status()
            #expect(status.idleTimeLeft == Self.idle)
        }
    }

    @Test("apply without a request")
    func keptWithoutRequests() throws {
        try withSession { agent, client in
            let log = agent.place.vault.path + "-wal"
            #expect(FileManager.default.fileExists(atPath: log), "the vault is open")
            agent.clock.advance(by: .seconds(901))
            try eventually("the vault is closed") { !FileManager.default.fileExists(atPath: log) }
        }
    }
}

import SecureStorage
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore

@Suite("Slots, through the agent")
struct KeyRequestTests {
    private static let output = [UInt8](0x40..<0x60)
    private static let otherOutput = [UInt8](0x60..<0x80)

    private static func record(_ name: String = "blue key", credential: UInt8 = 7) -> SlotRecord {
        SlotRecord(
            transport: .securityKey, isSynchronised: false, input: [UInt8](1...32),
            credentialID: [credential], publicKey: [8], name: name)
    }

    private static func key(_ output: [UInt8] = output) throws -> VaultSecret {
        .authenticator(AuthenticatorOutput(try Samples.secret(output)))
    }

    private func refusal(_ body: () throws -> Void) -> VaultError? {
        do {
            try body()
            return nil
        } catch AgentError.vault(let error) {
            return error
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test("of keys are added, open and verify, and leave the session as it is")
    func addAndOpen() throws {
        try withAgent { agent in
            let client = try agent.client()
            #expect(try client.slots().map(\.kind) == [.passphrase, .recoveryCode])
            let slots = try client.addKey(
                Self.record(), with: Self.key(), verifiedBy: TestVault.secret())
            #expect(slots.map(\.record) == [nil, nil, Self.record()])
            #expect(try !client.status().isUnlocked)
            #expect(try client.unlock(with: Self.key()).isVerified)
            try client.save(
                Samples.one(), as: Samples.name, SecretAttributes(accessClass: .afterVerification))
            agent.clock.advance(by: .seconds(121))
            #expect(throws: SecureStoreError.notVerified) {
                try client.read(Samples.name) { _, _ in }
            }
            #expect(try client.verify(with: Self.key()).isVerified)
            // With the vault unlocked, a key adds another one.
            try client.addKey(
                Self.record("red key", credential: 9), with: Self.key(Self.otherOutput),
                verifiedBy: Self.key())
            try client.read(Samples.name) { _, _ in }
            try client.lock()
            #expect(try client.unlock(with: Self.key(Self.otherOutput)).isUnlocked)
            #expect(try client.slots().count == 4)
        }
    }

    @Test("of keys are renamed by the key, and removed with new keys")
    func renameAndRemove() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.addKey(Self.record(), with: Self.key(), verifiedBy: TestVault.secret())
            let renamed = try client.renameKey(to: "work", with: Self.key())
            #expect(renamed.map(\.record?.name) == [nil, nil, "work"])
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            let id = try #require(renamed.last).id

            let kept = try client.removeSlot(
                id: id, keepingKeys: true, verifiedBy: TestVault.secret())
            #expect(kept.count == 2)
            #expect(try client.describe(Samples.name).revision == 1)

            try client.addKey(Self.record(), with: Self.key(), verifiedBy: TestVault.secret())
            let again = try #require(client.slots().last).id
            #expect(try client.removeSlot(id: again, verifiedBy: Self.key()).count == 2)
            #expect(try !client.status().isUnlocked)
            #expect(refusal { try client.unlock(with: Self.key()) } == .wrongKey)
            agent.clock.advance(by: .seconds(10))
            try client.unlock(with: TestVault.secret())
            #expect(try client.describe(Samples.name).revision == 1)
        }
    }

    @Test("are refused with the vault's own errors")
    func refused() throws {
        try withAgent { agent in
            let client = try agent.client()
            let owner = try TestVault.secret()
            try client.addKey(Self.record(), with: Self.key(), verifiedBy: owner)
            let slots = try client.slots()
            func added(_ record: SlotRecord) -> VaultError? {
                refusal { try client.addKey(record, with: Self.key(), verifiedBy: owner) }
            }
            #expect(added(Self.record("other")) == .duplicateKey)
            #expect(added(Self.record(credential: 1)) == .duplicateLabel)
            #expect(
                refusal { try client.renameKey(to: "a\nb", with: Self.key()) }
                    == .store(.invalidName(field: "label", .controlCharacter)))
            for id in [[UInt8](repeating: 0, count: 16), [1]] {
                #expect(refusal { try client.removeSlot(id: id, verifiedBy: owner) } == .noSuchSlot)
            }
            let wrongKey = try Self.key(Self.otherOutput)
            let wrong = try TestVault.secret("wrong")
            let attempts: [(VaultError, () throws -> Void)] = [
                (
                    .wrongKey,
                    {
                        try client.addKey(
                            Self.record("x", credential: 1), with: Self.key(), verifiedBy: wrongKey)
                    }
                ),
                (.wrongKey, { try client.renameKey(to: "x", with: wrongKey) }),
                (.wrongPassphrase, { try client.removeSlot(id: slots[2].id, verifiedBy: wrong) }),
            ]
            for (error, attempt) in attempts {
                #expect(refusal(attempt) == error)
                agent.clock.advance(by: .seconds(10))
            }
            #expect(try client.slots() == slots)

            try client.removeSlot(id: slots[1].id, keepingKeys: true, verifiedBy: owner)
            let last = refusal { try client.removeSlot(id: slots[0].id, verifiedBy: Self.key()) }
            #expect(last == .lastSlot)
            for number in 3...8 {
                try client.addKey(
                    Self.record("key \(number)", credential: UInt8(number + 100)), with: Self.key(),
                    verifiedBy: owner)
            }
            #expect(added(Self.record("ninth", credential: 90)) == .tooManySlots)
        }
    }

    @Test("wait after wrong outputs like wrong passphrases")
    func throttled() throws {
        try withAgent { agent in
            let client = try agent.client()
            try client.addKey(Self.record(), with: Self.key(), verifiedBy: TestVault.secret())
            for delay in [0, 100, 200, 400] {
                let isRenaming = delay.isMultiple(of: 200)
                let attempt = Worker {
                    let wrong = try Self.key(Self.otherOutput)
                    let client = try agent.client()
                    if isRenaming {
                        try client.renameKey(to: "x", with: wrong)
                    } else {
                        try client.unlock(with: wrong)
                    }
                }
                try eventually("the attempt waits or is done") {
                    attempt.isDone || !agent.clock.sleepers.isEmpty
                }
                #expect((agent.clock.sleepers.first ?? .zero) == .milliseconds(delay))
                agent.clock.advance(by: .milliseconds(delay))
                #expect(throws: AgentError.vault(.wrongKey)) { try attempt.get() }
            }
        }
    }
}

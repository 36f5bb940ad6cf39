import SecretMemory
import SecureStorage
import TestSupport
import Testing
import VaultCore

@testable import VaultAgent

@Suite("Secrets that end with the session")
struct SessionSecretsTests {
    private static func name(_ account: String = "a") throws -> SecretName {
        try SecretName(service: SecretName.sessionService, account: account)
    }

    @Test("are read and changed like others, and are not in the vault")
    func whileUnlocked() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let before = try client.generation()
            let value = try SecretBytes(count: 3)
            try client.save(value, as: Self.name(), SecretAttributes(label: "one"))
            #expect(try client.value(of: Self.name()).isEqual(to: value))
            #expect(try client.describe(Self.name()).attributes.label == "one")
            #expect(try client.list().map(\.name) == [Self.name()])
            let after = try client.generation()
            #expect(after.counter == before.counter)
            #expect(after.sessionSecrets == before.sessionSecrets + 1)
            try client.edit(Self.name(), SecretEdit(label: "two"), expecting: nil)
            try client.update(Self.name(), to: SecretBytes(count: 0))
            #expect(try client.describe(Self.name()).attributes.label == "two")
            try client.remove(Self.name())
            #expect(throws: SecureStoreError.notFound) { try client.describe(Self.name()) }
            // A name cannot move a secret between memory and vault.
            try client.save(value, as: Samples.name, SecretAttributes())
            let edit = SecretEdit(name: try Self.name())
            #expect(throws: SecureStoreError.self) {
                try client.edit(Samples.name, edit, expecting: nil)
            }
        }
    }

    @Test("are gone after a lock")
    func afterLock() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.save(SecretBytes(count: 3), as: Self.name(), SecretAttributes())
            let before = try client.generation()
            try client.lock()
            #expect(throws: SecureStoreError.locked) { try client.describe(Self.name()) }
            #expect(throws: AgentError.vault(.store(.locked))) { _ = try client.generation() }
            try client.unlock(with: TestVault.secret())
            #expect(throws: SecureStoreError.notFound) { try client.describe(Self.name()) }
            #expect(try client.generation() != before)
        }
    }

    @Test("of another process have another generation")
    func beginning() {
        #expect(SessionSecrets().generation != SessionSecrets().generation)
    }

    @Test("are a thousand at most")
    func limit() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            for number in 0..<SessionSecrets.most {
                try client.save(
                    SecretBytes(count: 0), as: Self.name("\(number)"), SecretAttributes())
            }
            #expect(throws: SecureStoreError.self) {
                try client.save(SecretBytes(count: 0), as: Self.name("x"), SecretAttributes())
            }
            try client.update(Self.name("0"), to: SecretBytes(count: 1))
        }
    }

    @Test("a generation differs after a change of the vault, and is no use of the session")
    func generation() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let before = try client.generation()
            let left = try client.status().idleTimeLeft
            agent.clock.advance(by: .seconds(5))
            #expect(try client.generation() == before)
            #expect(try client.status().idleTimeLeft == left - 5_000)
            try client.save(SecretBytes(count: 1), as: Samples.name, SecretAttributes())
            #expect(try client.generation().counter == before.counter + 1)
        }
    }
}

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
        }
    }

    @Test("are moved between memory and vault by no request")
    func moves() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let refusal = SecureStoreError.invalidName(field: "service", .reserved)
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            let into = SecretEdit(name: try Self.name())
            #expect(throws: refusal) { try client.edit(Samples.name, into, expecting: nil) }
            #expect(throws: refusal) {
                try client.update(Samples.name, to: Samples.two(), into, expecting: nil)
            }
            #expect(throws: refusal) {
                try client.change([SecretChange(Samples.name, expecting: nil, .edit(into))])
            }
            for isReplacing in [false, true] {
                let refused = try client.saveAll(replacing: isReplacing) { save in
                    try save(Samples.one(), Self.name(), SecretAttributes(), nil)
                }
                #expect(refused == [0: refusal])
            }
            try client.remove(Samples.name)
            let id = try #require(try client.removed().first).id
            #expect(throws: refusal) { try client.restore(removed: id, as: Self.name()) }
            #expect(try client.list().isEmpty)
            // The other way.
            try client.save(Samples.one(), as: Self.name(), SecretAttributes())
            let out = SecretEdit(name: Samples.name)
            #expect(throws: refusal) { try client.edit(Self.name(), out, expecting: nil) }
            #expect(throws: refusal) {
                try client.update(Self.name(), to: Samples.two(), out, expecting: nil)
            }
            #expect(throws: SecureStoreError.notFound) {
                try client.change([SecretChange(Self.name(), expecting: nil, .edit(out))])
            }
            #expect(try Samples.bytes(client.value(of: Self.name())) == [1])
            // Within its side each has another name.
            let other = try SecretEdit(name: Self.name("b"))
            #expect(try client.edit(Self.name(), other, expecting: nil).revision == 2)
        }
    }

    @Test("are never of the class that needs a verification")
    func classes() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let protected = SecretAttributes(accessClass: .afterVerification)
            #expect(throws: SecureStoreError.notVerified) {
                try client.save(Samples.one(), as: Self.name(), protected)
            }
            try client.save(Samples.one(), as: Self.name(), SecretAttributes())
            let raise = SecretEdit(accessClass: .afterVerification)
            #expect(throws: SecureStoreError.notVerified) {
                try client.edit(Self.name(), raise, expecting: nil)
            }
            #expect(throws: SecureStoreError.notVerified) {
                try client.update(Self.name(), to: Samples.two(), raise, expecting: nil)
            }
            #expect(try client.describe(Self.name()).attributes.accessClass == .whileUnlocked)
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

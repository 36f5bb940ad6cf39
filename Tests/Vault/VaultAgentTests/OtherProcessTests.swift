import Foundation
import Sealing
import SecureStorage
import Testing
import TestSupport
import VaultAgent
import VaultCore
import VaultStorage

@Suite("A change of the vault by another process")
struct OtherProcessTests {
    /// Runs `body` with another opener of the agent's vault.
    private func elsewhere<Result>(
        _ agent: TestAgent, _ body: (any RecordStorage) throws -> Result
    ) throws -> Result {
        let storage = try VaultDatabase.openFile(at: agent.place.vault.path, mode: .readWrite)
        defer { storage.close() }
        return try body(storage)
    }

    private func change(_ agent: TestAgent, _ body: (UnlockedVault) throws -> Void) throws {
        try elsewhere(agent) { storage in
            let vault = try TestVault.unlock(storage)
            try body(vault)
            vault.lock()
        }
    }

    @Test("is seen before the next answer, in both directions")
    func changes() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.save(Samples.one(), as: TestVault.name(1), SecretAttributes())
            for round in 2..<12 {
                let value = [UInt8(round)]
                try change(agent) { vault in
                    try vault.update(TestVault.name(round - 1), to: Samples.secret(value))
                    try vault.save(
                        Samples.secret(value), as: TestVault.name(round), SecretAttributes())
                }
                #expect(try Samples.bytes(client.value(of: TestVault.name(round - 1))) == value)
                #expect(try client.list().count == round)
                try client.remove(TestVault.name(round - 1), expecting: 2)
                try change(agent) { vault in
                    #expect(throws: SecureStoreError.notFound) {
                        _ = try vault.value(of: TestVault.name(round - 1))
                    }
                    try vault.save(
                        Samples.secret(value), as: TestVault.name(round - 1), SecretAttributes())
                }
            }
        }
    }

    @Test("to the settings holds for the very next use")
    func settings() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.save(
                Samples.one(), as: Samples.name, SecretAttributes(accessClass: .afterVerification))
            agent.clock.advance(by: .seconds(50))
            try change(agent) { try $0.changeSettings { $0[.verificationWindow] = 40 } }
            #expect(throws: SecureStoreError.notVerified) {
                _ = try client.value(of: Samples.name)
            }
            try change(agent) { try $0.changeSettings { $0[.idleLimit] = 45 } }
            #expect(throws: SecureStoreError.locked) { _ = try client.list() }
            #expect(try !client.status().isUnlocked)
        }
    }

    @Test("to the keys locks it, and the new ones unlock it")
    func rekey() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            try elsewhere(agent) { storage in
                _ = try TestVault.authenticate(storage).rekey()
            }
            #expect(try !client.status().isUnlocked, "the old keys open nothing")
            #expect(throws: SecureStoreError.keysReplaced) {
                _ = try client.value(of: Samples.name)
            }
            #expect(throws: SecureStoreError.locked) { _ = try client.value(of: Samples.name) }
            #expect(try client.unlock(with: TestVault.secret()).isVerified)
            #expect(try Samples.bytes(client.value(of: Samples.name)) == [1])
        }
    }

    @Test("to the keys, between two proofs, unlocks with the new ones")
    func rekeyBeforeProof() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try elsewhere(agent) { storage in
                _ = try TestVault.authenticate(storage).rekey()
            }
            #expect(try client.unlock(with: TestVault.secret()).isVerified)
            #expect(try client.list().isEmpty)
        }
    }

    @Test(
        "to the keys is told once, to the first request that finds it",
        arguments: ["read", "verify", "settings", "save all"])
    func rekeyIsTold(request: String) throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            try elsewhere(agent) { storage in
                _ = try TestVault.authenticate(storage).rekey()
            }
            func error() -> AgentError? {
                do {
                    switch request {
                    case "verify": try client.verify(with: TestVault.secret())
                    case "settings": _ = try client.settings()
                    case "save all":
                        _ = try client.saveAll(replacing: true) { save in
                            try save(Samples.one(), Samples.name, SecretAttributes(), nil)
                        }
                    default: _ = try client.value(of: Samples.name)
                    }
                    return nil
                } catch let error as SecureStoreError {
                    return .vault(.store(error))
                } catch {
                    return error as? AgentError
                }
            }
            #expect(error() == .vault(.store(.keysReplaced)))
            #expect(error() == .vault(.store(.locked)))
        }
    }

    @Test("to the keys is no news after a lock or an unlock", arguments: [false, true])
    func rekeyIsOldNews(unlocks: Bool) throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try elsewhere(agent) { storage in
                _ = try TestVault.authenticate(storage).rekey()
            }
            // Finds it, and does not tell.
            #expect(try !client.status().isUnlocked)
            if unlocks { try client.unlock(with: TestVault.secret()) }
            if unlocks { agent.clock.advance(by: .seconds(43_201)) } else { try client.lock() }
            #expect(throws: SecureStoreError.locked) { _ = try client.list() }
        }
    }

    @Test("to the passphrase lets it go on, and the next proof takes the new one")
    func passphrase() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.save(
                Samples.one(), as: Samples.name, SecretAttributes(accessClass: .afterVerification))
            try elsewhere(agent) { storage in
                _ = try TestVault.authenticate(storage).changePassphrase(
                    to: TestVault.passphrase("new passphrase"), cost: TestVault.cost,
                    keepingKeys: true)
            }
            #expect(try client.status().isVerified)
            #expect(try Samples.bytes(client.value(of: Samples.name)) == [1])
            agent.clock.advance(by: .seconds(121))
            #expect(throws: AgentError.vault(.wrongPassphrase)) {
                try client.verify(with: TestVault.secret())
            }
            agent.clock.advance(by: .seconds(1))
            #expect(try client.verify(with: TestVault.secret("new passphrase")).isVerified)
            #expect(try Samples.bytes(client.value(of: Samples.name)) == [1])
        }
    }

    @Test("by a restore waits for a lock; the restored vault is the one that is unlocked next")
    func restore() throws {
        let environment = TestVault.environment()
        try withAgent({ $0.environment = environment }) { agent in
            let client = try agent.unlockedClient()
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            let copy = agent.place.vault.folder + "/copy.db"
            try elsewhere(agent) { try ($0 as? VaultDatabase)?.backup(to: copy) }
            try client.update(Samples.name, to: Samples.two())
            func restore() throws {
                _ = try TestBackup.install(
                    copy, at: agent.place.vault.path, with: TestVault.secret(), replacing: true,
                    environment)
            }
            #expect(throws: VaultError.storage(.busy)) { try restore() }
            #expect(try Samples.bytes(client.value(of: Samples.name)) == [2, 2])
            try client.lock()
            try restore()
            #expect(throws: SecureStoreError.locked) { _ = try client.value(of: Samples.name) }
            try client.unlock(with: TestVault.secret())
            #expect(try Samples.bytes(client.value(of: Samples.name)) == [1])
        }
    }

    @Test(
        "by a rename over it never gives an answer of the old file",
        arguments: ["an older copy", "another vault", "no vault"])
    func rename(what: String) throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let path = agent.place.vault.path
            let other = agent.place.vault.folder + "/other.db"
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            switch what {
            case "an older copy":
                try elsewhere(agent) { try ($0 as? VaultDatabase)?.backup(to: other) }
            case "another vault":
                _ = try VaultFile.create(
                    at: other, TestVault.environment(), passphrase: TestVault.passphrase(),
                    cost: TestVault.cost)
            default:
                try Data("no vault".utf8).write(to: URL(filePath: other))
                unsafe chmod(other, 0o600)
            }
            try client.update(Samples.name, to: Samples.two())
            #expect(try Samples.bytes(client.value(of: Samples.name)) == [2, 2])
            try #require(unsafe Foundation.rename(other, path) == 0)
            for suffix in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
            #expect(throws: SecureStoreError.self) { _ = try client.value(of: Samples.name) }
            #expect(throws: SecureStoreError.self) { _ = try client.list() }
            #expect(throws: SecureStoreError.self) {
                _ = try client.value(of: TestVault.name(77))
            }
            #expect(throws: AgentError.self) { _ = try client.settings() }
        }
    }

    @Test("by a rename over it is where the next proof looks, too")
    func renameBeforeProof() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            let path = agent.place.vault.path
            let other = agent.place.vault.folder + "/other.db"
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            _ = try VaultFile.create(
                at: other, TestVault.environment(),
                passphrase: TestVault.passphrase("other passphrase"), cost: TestVault.cost)
            try #require(unsafe Foundation.rename(other, path) == 0)
            for suffix in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
            #expect(throws: AgentError.vault(.wrongPassphrase)) {
                try client.verify(with: TestVault.secret())
            }
            agent.clock.advance(by: .seconds(1))
            #expect(throws: AgentError.vault(.otherVault(isDestroyed: false))) {
                try client.unlock(with: TestVault.secret("other passphrase"))
            }
            #expect(
                try client.unlock(
                    with: TestVault.secret("other passphrase"), acceptsOther: true
                ).isVerified)
            #expect(try client.list().isEmpty)
        }
    }
}

import Foundation
import SecureStorage
import Testing
import TestSupport
@testable import VaultAgent
import VaultCore
import VaultStorage

@Suite("An agent")
struct AgentLifeTests {
    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("ends when a client asks for it, and leaves nothing behind")
    func end() throws {
        try withTemporaryFolder { folder in
            let agent = try TestAgent(in: folder)
            let client = try agent.unlockedClient()
            try client.save(Samples.one(), as: Samples.name, SecretAttributes())
            try AgentClient.end(agent.place, programVersion: "test")
            try agent.waitForEnd()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["vault.db"])
            #expect(throws: SecureStoreError.locked) { _ = try client.value(of: Samples.name) }
            #expect(throws: AgentError.notRunning) { _ = try client.status() }
            #expect(throws: AgentError.notRunning) { _ = try agent.client() }
            #expect(throws: AgentError.notRunning) {
                try AgentClient.end(agent.place, programVersion: "test")
            }
        }
    }

    @Test("can be followed by another one as soon as its end was confirmed")
    func successor() throws {
        try withTemporaryFolder { folder in
            var agent = try TestAgent(in: folder)
            let client = try agent.unlockedClient()
            for round in 0..<5 {
                try AgentClient.end(agent.place, programVersion: "test")
                agent = try TestAgent(in: folder)
                // The old client finds the new agent.
                #expect(try !client.status().isUnlocked)
                #expect(try client.unlock(with: TestVault.secret()).isUnlocked, "round \(round)")
            }
            try agent.stop()
        }
    }

    @Test("refuses an unlock once it has begun to end")
    func endWins() throws {
        let records = BlockingRecords()
        try withTemporaryFolder { folder in
            let agent = try TestAgent(in: folder) {
                $0.environment = TestVault.environment(rollbackRecords: records)
            }
            records.hold(true)
            let attempt = Worker { try agent.client().unlock(with: TestVault.secret()) }
            try eventually("the passphrase is checked") { records.heldUp == 1 }
            try AgentClient.end(agent.place, programVersion: "test")
            try agent.waitForEnd()
            records.hold(false)
            #expect(throws: AgentError.self) { _ = try attempt.get() }
            try eventually("the vault is closed") { !exists(folder + "/vault.db-wal") }
        }
    }

    @Test("does not unlock for a client that hung up meanwhile")
    func interrupted() throws {
        let records = BlockingRecords()
        try withAgent({ $0.environment = TestVault.environment(rollbackRecords: records) }) {
            agent in
            records.hold(true)
            var raw: RawClient? = try RawClient(agent.place)
            try raw?.greet()
            let typed = Array(TestVault.passphraseText.utf8)
            raw?.send(
                payload: UnlockRequest(kind: .passphrase).head
                    + RawClient.length(typed.count) + typed)
            try eventually("the passphrase is checked") { records.heldUp == 1 }
            raw = nil
            records.hold(false)
            try eventually("the vault is closed") { !exists(agent.place.vault.path + "-wal") }
            #expect(try !agent.client().status().isUnlocked)
            #expect(try agent.unlockedClient().status().isUnlocked)
        }
    }

    @Test("ends after a long time locked and without a request, not before")
    func rest() throws {
        try withTemporaryFolder { folder in
            let agent = try TestAgent(in: folder)
            let raw = try RawClient(agent.place)
            try raw.greet()
            agent.clock.advance(by: .seconds(899))
            try raw.send(StatusRequest())
            #expect(raw.payload()?.first == 0x82)
            raw.finish()
            agent.clock.advance(by: .seconds(899))
            try agent.letLookAround()
            #expect(!agent.hasEnded)
            agent.clock.advance(by: .seconds(1))
            try agent.waitForEnd()
        }
    }

    @Test("does not end while it is unlocked")
    func unlockedStays() throws {
        try withAgent { agent in
            let client = try agent.unlockedClient()
            try client.change(.idleLimit, to: 80_000)
            agent.clock.advance(by: .seconds(40_000))
            try agent.letLookAround()
            #expect(!agent.hasEnded)
            #expect(try client.status().isUnlocked)
        }
    }

    @Test(
        "ends when its folder, the vault or the socket is gone",
        arguments: ["", "/vault.db", "/agent.sock"])
    func gone(what: String) throws {
        try withTemporaryFolder { folder in
            let home = folder + "/home"
            try VaultLocation.prepareFolder(at: home)
            let agent = try TestAgent(in: home)
            _ = try agent.unlockedClient()
            try FileManager.default.removeItem(atPath: home + what)
            try agent.waitForEnd()
        }
    }

    @Test("that ends because its folder is gone leaves the new files there alone")
    func newFolder() throws {
        try withTemporaryFolder { folder in
            let home = folder + "/home"
            try VaultLocation.prepareFolder(at: home)
            let old = try TestAgent(in: home)
            try FileManager.default.moveItem(atPath: home, toPath: folder + "/away")
            try VaultLocation.prepareFolder(at: home)
            let new = try TestAgent(in: home)
            try old.waitForEnd()
            #expect(try new.unlockedClient().status().isUnlocked)
            #expect(!exists(folder + "/away/agent.sock"))
            try new.stop()
        }
    }

    @Test("is the only one of its vault")
    func second() throws {
        try withAgent { (agent) throws in
            #expect(throws: AgentError.alreadyRunning) {
                _ = try TestAgent(in: agent.place.vault.folder)
            }
            #expect(try agent.unlockedClient().status().isUnlocked)
        }
    }

    @Test("takes the place of one that died")
    func deadSocket() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/agent.sock"
            close(try FakeAgent.listen(at: path))
            #expect(exists(path))
            let agent = try TestAgent(in: folder)
            #expect(try agent.unlockedClient().status().isUnlocked)
            try agent.stop()
            #expect(!exists(path))
        }
    }

    @Test("that died is none")
    func deadAgent() throws {
        try withAgent { agent in
            try agent.stop()
            close(try FakeAgent.listen(at: agent.place.socket.path))
            #expect(throws: AgentError.notRunning) { _ = try agent.client() }
        }
    }

    @Test("works in a folder whose path is too long for a socket")
    func longPath() throws {
        try withTemporaryFolder { folder in
            let home = folder + String(repeating: "/a folder with a long name", count: 8)
            try VaultLocation.prepareFolder(at: home)
            let agent = try TestAgent(in: home)
            #expect(agent.place.socket.path.utf8.count > 200)
            #expect(try agent.unlockedClient().status().isUnlocked)
            #expect(exists(home + "/agent.sock"))
            try agent.stop()
            #expect(!exists(home + "/agent.sock"))
        }
    }

    @Test("has its socket in the runtime folder where there is one, by the vault's path")
    func runtimeFolder() throws {
        try withTemporaryFolder { folder in
            for name in ["runtime", "one", "two"] {
                try VaultLocation.prepareFolder(at: folder + "/" + name)
            }
            let agents = try ["one", "two"].map { name in
                try TestAgent(in: folder + "/" + name) { $0.runtimeFolder = folder + "/runtime" }
            }
            let folders = try FileManager.default.contentsOfDirectory(
                atPath: folder + "/runtime/taskvault")
            #expect(folders.count == 2)
            #expect(folders.allSatisfy { $0.utf8.count == 16 })
            for agent in agents {
                #expect(agent.place.socket.folder.hasPrefix(folder + "/runtime/taskvault/"))
            }
            _ = try agents[0].unlockedClient()
            #expect(try !agents[1].client().status().isUnlocked)
            #expect(!exists(folder + "/one/agent.sock"))
            for agent in agents { try agent.stop() }
        }
    }

    @Test("of one home has nothing to do with that of another")
    func twoHomes() throws {
        try withAgent { one in
            try withAgent { two in
                let client = try one.unlockedClient()
                try client.save(Samples.one(), as: Samples.name, SecretAttributes())
                #expect(try !two.client().status().isUnlocked)
                let other = try two.unlockedClient()
                #expect(try other.list().isEmpty)
                try client.lock()
                #expect(try other.status().isUnlocked)
            }
        }
    }

    @Test("is not started where there is no vault")
    func noVault() throws {
        try withTemporaryFolder { (folder) throws in
            let options = Agent.Options(
                vaultFile: folder + "/vault.db", runtimeFolder: nil,
                environment: TestVault.environment(), programVersion: "test")
            #expect(throws: AgentError.vault(.storage(.notFound))) { _ = try Agent(options) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }
}

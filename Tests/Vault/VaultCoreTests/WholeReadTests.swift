import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Reading all values at once, as an export does.
@Suite("All secrets of a vault") struct WholeReadTests {
    /// The records that are read, by name, in the order in which they come.
    private func values(
        of vault: UnlockedVault, _ meanwhile: () throws -> Void = {}
    ) throws -> [(name: SecretName, value: [UInt8])] {
        var found: [(SecretName, [UInt8])] = []
        try vault.forEachValue { (item, value) in
            if found.isEmpty { #expect(throws: Never.self) { try meanwhile() } }
            found.append((item.name, Samples.bytes(value)))
            return true
        }
        return found
    }

    @Test("are read with what describes them, in the order of their names")
    func all() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        #expect(try values(of: vault).isEmpty)
        try TestVault.fill(vault, count: 12)
        let found = try values(of: vault)
        #expect(found.map(\.name) == (try vault.list()).map(\.name))
        for (name, value) in found {
            #expect(try Samples.bytes(vault.value(of: name)) == value)
        }
        var count = 0
        try vault.forEachValue { (_, _) in
            count += 1
            return count < 3
        }
        #expect(count == 3)
        vault.endVerification()
        #expect(throws: SecureStoreError.notVerified) { _ = try values(of: vault) }
    }

    @Test("are neither opened nor logged where they are not wanted")
    func someOnly() throws {
        let storage = try VaultDatabase.inMemory()
        let logged = Mutex<[SecretName]>([])
        var environment = TestVault.environment()
        environment.logRead = { name in logged.withLock { $0.append(name) } }
        try TestVault.create(in: storage, environment)
        let vault = try TestVault.unlock(storage, environment)
        try vault.save(
            Samples.one(), as: TestVault.name(0), SecretAttributes(accessClass: .afterVerification))
        try vault.save(Samples.two(), as: TestVault.name(1), SecretAttributes())
        vault.endVerification()
        var found: [SecretName] = []
        try vault.forEachValue(of: { $0.attributes.accessClass == .whileUnlocked }) { item, _ in
            found.append(item.name)
            return true
        }
        #expect(try found == [TestVault.name(1)])
        #expect(logged.withLock { $0 } == found)
    }

    @Test("are of one moment, whoever gives them other names or values meanwhile")
    func oneSnapshot() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/vault.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            try TestVault.create(in: storage)
            let vault = try TestVault.unlock(storage)
            try TestVault.fill(vault, count: 6)
            let before = try values(of: vault)
            let others = try VaultDatabase.openFile(at: path, mode: .readWrite)
            defer { others.close() }
            let other = try TestVault.unlock(others)
            let found = try values(of: vault) {
                try other.edit(
                    TestVault.name(4),
                    SecretEdit(name: SecretName(service: "a service", account: "first")),
                    expecting: nil)
                try other.update(TestVault.name(5), to: Samples.secret("another"))
                try other.remove(TestVault.name(3), expecting: nil)
            }
            #expect(found.map(\.name) == before.map(\.name))
            #expect(found.map(\.value) == before.map(\.value))
            #expect(try values(of: vault).count == 5)
        }
    }
}

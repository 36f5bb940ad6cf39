import Foundation
import Sealing
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Rollback of the whole file")
struct RollbackTests {
    @Test("is refused where a newer state was seen, until the owner accepts it")
    func refused() throws {
        let storage = try VaultDatabase.inMemory()
        let marks = MemoryRollbackMarks()
        var environment = TestVault.environment(marks: marks)
        try TestVault.create(in: storage, environment)
        let old = try Records(of: storage)
        let vault = try TestVault.unlock(storage, environment)
        try TestVault.fill(vault, count: 3)
        vault.lock()
        try old.put(into: storage)
        #expect(throws: VaultError.rolledBack(found: 1, seen: 4)) {
            _ = try TestVault.unlock(storage, environment)
        }
        environment.acceptsOlder = true
        #expect(try TestVault.unlock(storage, environment).list().isEmpty)
        environment.acceptsOlder = false
        #expect(try TestVault.unlock(storage, environment).list().isEmpty)
    }

    @Test("is noticed also after a session that never ended: its mark rises once a second")
    func interval() throws {
        let storage = try VaultDatabase.inMemory()
        let marks = MemoryRollbackMarks()
        let clock = Mutex<Int64>(5_000)
        let environment = TestVault.environment(marks: marks) { clock.withLock { $0 } }
        try TestVault.create(in: storage, environment)
        let vault = try TestVault.unlock(storage, environment)
        defer { vault.lock() }
        let id = try LockedVault(storage, environment).id
        let steps: [(time: Int64, counter: UInt64)] = [
            (5_000, 1), (5_999, 1), (6_000, 4), (6_100, 4), (1_000, 6), (1_999, 6), (2_000, 8),
        ]
        for (index, step) in steps.enumerated() {
            clock.withLock { $0 = step.time }
            try TestVault.fillOne(vault, index)
            #expect(try marks.mark(of: id)?.counter == step.counter)
        }
    }

    @Test("is refused for another state of the same age")
    func sameAge() throws {
        let storage = try VaultDatabase.inMemory()
        let environment = TestVault.environment(marks: MemoryRollbackMarks())
        try TestVault.create(in: storage, environment)
        let start = try Records(of: storage)
        let other = TestVault.environment()
        try TestVault.fill(TestVault.unlock(storage, other), count: 1)
        let branch = try Records(of: storage)
        try start.put(into: storage)
        try TestVault.fill(TestVault.unlock(storage, environment), count: 1)
        try branch.put(into: storage)
        #expect(throws: VaultError.rolledBack(found: 2, seen: 2)) {
            _ = try TestVault.unlock(storage, environment)
        }
    }

    @Test("is refused inside a session, mark or no mark")
    func session() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        let old = try Records(of: storage)
        try TestVault.fill(vault, count: 2)
        try old.put(into: storage)
        #expect(throws: SecureStoreError.damaged(failure: "rolled_back")) { _ = try vault.list() }
        #expect(throws: SecureStoreError.damaged(failure: "rolled_back")) {
            try TestVault.fill(vault, count: 1)
        }
    }

    @Test("marks in files are raised, never lowered, and damage is told")
    func files() throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.inMemory()
            let marks = FileRollbackMarks(folder: folder + "/a/b/marks")
            var environment = TestVault.environment(marks: marks)
            try TestVault.create(in: storage, environment)
            let vaultID = try LockedVault(storage, environment).id
            let first = try #require(try marks.mark(of: vaultID))
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fill(vault, count: 3)
            #expect(vault.lock() == nil)
            #expect(try marks.mark(of: vaultID)?.counter == 4)
            try marks.remember(first, force: false)
            #expect(try marks.mark(of: vaultID)?.counter == 4)

            let file = try #require(
                try FileManager.default.contentsOfDirectory(atPath: folder + "/a/b/marks")
                    .first { $0 != "lock" })
            let path = folder + "/a/b/marks/" + file
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            #expect(bytes.count == 96)
            bytes[50] ^= 1
            try Data(bytes).write(to: URL(filePath: path))
            #expect(throws: VaultError.damaged(.markDamaged)) {
                _ = try TestVault.unlock(storage, environment)
            }
            environment.acceptsOlder = true
            #expect(try TestVault.unlock(storage, environment).list().count == 3)
            #expect(try marks.mark(of: vaultID)?.counter == 4)
        }
    }

    @Test("a place for marks that cannot be written stops nothing, and is told")
    func unwritable() throws {
        try withTemporaryFolder { folder in
            try Data("in the way".utf8).write(to: URL(filePath: folder + "/marks"))
            let storage = try VaultDatabase.inMemory()
            let environment = TestVault.environment(
                marks: FileRollbackMarks(folder: folder + "/marks/here"))
            try TestVault.create(in: storage, environment)
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fill(vault, count: 1)
            #expect(vault.lock() != nil)
        }
    }
}

import Platform
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Events around the commit of a restore over a vault: other processes, and a record that fails.
@Suite("A restore over a vault that others use")
struct RestoreRaceTests {
    private let records = FailingRecords()
    private var environment: VaultEnvironment { TestVault.environment(rollbackRecords: records) }

    /// A vault with two secrets, its backup, and a storage that a test can disturb.
    private func withVault(
        _ body: (String, HookedStorage, any RecordStorage) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            let others = try VaultDatabase.openFile(at: folder + "/vault.db", mode: .readWrite)
            defer {
                others.close()
                storage.close()
            }
            try TestVault.create(in: storage, environment)
            try TestVault.fill(TestVault.unlock(storage, environment), count: 2)
            try TestBackup.write(
                storage, to: folder + "/backup", authenticatedBy: TestBackup.key(), environment)
            try body(folder, HookedStorage(storage), others)
        }
    }

    private func restore(_ folder: String, over storage: any RecordStorage) throws -> RestoreOutcome
    {
        try TestBackup.open(
            folder + "/backup", in: folder, with: TestVault.secret(), environment
        ) { backup in
            let vault = try TestVault.authenticate(storage, environment)
            return try VaultFile.restore(
                backup, over: vault, keepingOldBesides: folder + "/vault.db")
        }
    }

    private func keptFiles(_ folder: String) throws -> [String] {
        try FileSystem.names(in: folder).filter { $0.contains("replaced") }
    }

    @Test("has a commit in the copy that another process made after the first copy")
    func lateCommit() throws {
        try withVault { folder, storage, others in
            let other = try TestVault.unlock(others, environment)
            let count = Mutex(0)
            storage.set { hooks in
                hooks.afterBackup = {
                    let isFirst = count.withLock { count in
                        count += 1
                        return count == 1
                    }
                    if isFirst { #expect(throws: Never.self) { try TestVault.fillOne(other, 7) } }
                }
            }
            let outcome = try restore(folder, over: storage)
            #expect(count.withLock { $0 } == 2)
            #expect(outcome.secrets == 2)
            #expect(try keptFiles(folder) == ["vault.db.replaced-1"])
            let kept = try VaultDatabase.openFile(
                at: #require(outcome.previousVaultPath), mode: .readWrite)
            defer { kept.close() }
            let copy = try TestVault.unlock(kept, TestVault.environment())
            #expect(try copy.list().map(\.name).contains(TestVault.name(7)))
            #expect(try TestVault.unlock(others, environment).list().count == 2)
        }
    }

    @Test("ends if another process changes the vault all the time, and leaves nothing")
    func busy() throws {
        try withVault { folder, storage, others in
            let other = try TestVault.unlock(others, environment)
            let count = Mutex(10)
            storage.set { hooks in
                hooks.afterBackup = {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    #expect(throws: Never.self) { try TestVault.fillOne(other, number) }
                }
            }
            #expect(throws: VaultError.storage(.busy)) { try restore(folder, over: storage) }
            #expect(try keptFiles(folder).isEmpty)
            #expect(try other.list().count == 2 + count.withLock { $0 } - 10)
        }
    }

    @Test("keeps the copy if it is stored and cannot be recorded", arguments: [true, false])
    func notRecorded(isDamaged: Bool) throws {
        try withVault { folder, storage, others in
            let vault = try TestVault.authenticate(others, environment).unlock()
            try vault.changeSettings { $0[.requireRollbackRecord] = 1 }
            let before = try Records(of: others)
            storage.set { hooks in
                hooks.afterWrite = { [records] in
                    records.fail(isDamaged ? .damaged : .unavailable(path: "nowhere", code: 13))
                }
            }
            let outcome = try restore(folder, over: storage)
            #expect(
                outcome.rollbackRecordFailure
                    == (isDamaged ? .damaged(.rollbackRecordDamaged) : .noRollbackRecord))
            let kept = try VaultDatabase.openFile(
                at: #require(outcome.previousVaultPath), mode: .readOnly)
            defer { kept.close() }
            #expect(try Records(of: kept).state == before.state)
            records.fail(nil)
            let state = try #require(
                try TestVault.authenticate(others, environment).session.newest
            ).state
            #expect(state.restoredFrom == 1_000 && state.restoredAt == state.counter)
        }
    }

    @Test("keeps the copy if the commit is stored, and only then", arguments: [true, false])
    func commitFails(isStored: Bool) throws {
        try withVault { folder, storage, others in
            let before = try Records(of: others)
            storage.set { hooks in
                if isStored { hooks.commitIsDenied = true } else { hooks.commitIsLost = true }
            }
            if isStored {
                _ = try restore(folder, over: storage)
                #expect(try keptFiles(folder) == ["vault.db.replaced-1"])
            } else {
                #expect(throws: VaultError.self) { try restore(folder, over: storage) }
                #expect(try keptFiles(folder).isEmpty)
                #expect(try Records(of: others).state == before.state)
            }
        }
    }

    @Test("refuses a vault that was exchanged meanwhile")
    func otherVault() throws {
        try withVault { folder, _, _ in
            let other = try VaultDatabase.inMemory()
            let elsewhere = TestVault.environment()
            try TestVault.create(in: other, elsewhere)
            let before = try Records(of: other)
            try TestBackup.open(
                folder + "/backup", in: folder, with: TestVault.secret(), environment
            ) { backup in
                let vault = try TestVault.authenticate(other, elsewhere)
                // What is borrowed cannot be named in a closure of `#expect`.
                do {
                    _ = try VaultFile.restore(
                        backup, over: vault, keepingOldBesides: folder + "/vault.db")
                    Issue.record("it was restored over another vault")
                } catch {
                    #expect(error as? VaultError == .otherVault(isDestroyed: false))
                }
            }
            #expect(try Records(of: other).state == before.state)
            #expect(try keptFiles(folder).isEmpty)
        }
    }
}

/// Rollback records that fail when a test says so.
private final class FailingRecords: RollbackRecords {
    private let records = MemoryRollbackRecords()
    private let failure = Mutex<RollbackRecordError?>(nil)

    func fail(_ error: RollbackRecordError?) { failure.withLock { $0 = error } }

    private func require() throws(RollbackRecordError) {
        if let error = failure.withLock({ $0 }) { throw error }
    }

    func read() throws(RollbackRecordError) -> RollbackRecord? {
        try require()
        return try records.read()
    }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        try require()
        return try records.readElsewhere()
    }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        try require()
        return try records.exchange(old, for: new)
    }

    func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        try require()
        try records.replace(with: record)
    }

    func sync() throws(RollbackRecordError) {}
}

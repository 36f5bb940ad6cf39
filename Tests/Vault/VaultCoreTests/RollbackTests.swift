import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Rollback of the whole file")
struct RollbackTests {
    private let storage: VaultDatabase
    private let records = MemoryRollbackRecords()
    private var environment: VaultEnvironment { TestVault.environment(rollbackRecords: records) }
    private var accepting: VaultEnvironment {
        var environment = environment
        environment.acceptsOlder = true
        return environment
    }

    init() throws {
        storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage, environment)
    }

    @Test("is refused where a newer state was seen, until the owner accepts it")
    func refused() throws {
        let old = try Records(of: storage)
        let vault = try TestVault.unlock(storage, environment)
        try TestVault.fill(vault, count: 3)
        vault.lock()
        try old.put(into: storage)
        #expect(throws: VaultError.rolledBack(found: 1, seen: 4)) {
            _ = try TestVault.unlock(storage, environment)
        }
        #expect(try TestVault.unlock(storage, accepting).list().isEmpty)
        #expect(try TestVault.unlock(storage, environment).list().isEmpty)
    }

    @Test("is refused after a rekey, also for a state with a higher counter")
    func keyEpoch() throws {
        let old = try Records(of: storage)
        _ = try TestVault.authenticate(storage, environment).rekey()
        try old.put(into: storage)
        try TestVault.fill(TestVault.unlock(storage), count: 5)
        #expect(throws: VaultError.rolledBack(found: 6, seen: 2)) {
            _ = try TestVault.unlock(storage, environment)
        }
    }

    @Test("is noticed also after a session that never ended: each commit is recorded first")
    func eachCommit() throws {
        let vault = try TestVault.unlock(storage, environment)
        for index in 0..<5 {
            try TestVault.fillOne(vault, index)
            #expect(try records.read()?.counter == UInt64(index) + 2)
        }
        let other = try TestVault.unlock(storage)
        try TestVault.fillOne(other, 5)
        #expect(try vault.list().count == 6)
        #expect(try records.read()?.counter == 7)
        try TestVault.fillOne(other, 6)
        _ = try vault.value(of: TestVault.name(6))
        #expect(try records.read()?.counter == 8)
    }

    @Test("is refused inside a session, record or no record")
    func session() throws {
        for environment in [
            environment, TestVault.environment(rollbackRecords: UnwritableRecords()),
        ] {
            let vault = try TestVault.unlock(storage, environment)
            let old = try Records(of: storage)
            try TestVault.fill(vault, count: 2)
            let new = try Records(of: storage)
            try old.put(into: storage)
            #expect(throws: SecureStoreError.damaged(failure: "rolled_back")) {
                _ = try vault.list()
            }
            #expect(throws: SecureStoreError.damaged(failure: "rolled_back")) {
                try TestVault.fill(vault, count: 1)
            }
            try new.put(into: storage)
            #expect(try vault.list().count == 2)
            try vault.remove(TestVault.name(0))
            try vault.remove(TestVault.name(1))
        }
    }

    @Test(
        "is refused by a session that saw nothing newer, if another one of this machine did",
        arguments: [false, true])
    func otherSession(isInFiles: Bool) throws {
        try withTemporaryFolder { folder in
            // Two objects, as two programs have.
            func environment() -> VaultEnvironment {
                TestVault.environment(
                    rollbackRecords: isInFiles
                        ? FileRollbackRecords(
                            folder: folder + "/rollback", place: folder + "/vault.db")
                        : records)
            }
            let first = try TestVault.unlock(storage, environment())
            try TestVault.fillOne(first, 1)
            let old = try Records(of: storage)
            for _ in 0..<2 { _ = try first.value(of: TestVault.name(1)) }
            let second = try TestVault.unlock(storage, environment())
            try TestVault.fillOne(second, 2)
            try old.put(into: storage)
            for _ in 0..<2 {
                #expect(throws: SecureStoreError.damaged(failure: "rolled_back")) {
                    _ = try first.value(of: TestVault.name(1))
                }
                #expect(throws: SecureStoreError.damaged(failure: "rolled_back")) {
                    _ = try first.list()
                }
            }
        }
    }

    @Test("is refused inside a session, also after a newer state without all its bucket records")
    func incomplete() throws {
        for environment in [
            environment, TestVault.environment(rollbackRecords: UnwritableRecords()),
        ] {
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fillOne(vault, 1)
            let old = try Records(of: storage)
            try TestVault.fillOne(TestVault.unlock(storage), 2)
            let new = try Records(of: storage)
            var incomplete = new
            incomplete.buckets.removeFirst()
            try incomplete.put(into: storage)
            #expect(throws: SecureStoreError.damaged(failure: "buckets_sum")) {
                _ = try vault.value(of: TestVault.name(1))
            }
            try old.put(into: storage)
            #expect(throws: SecureStoreError.damaged(failure: "rolled_back")) {
                _ = try vault.value(of: TestVault.name(1))
            }
            #expect(throws: SecureStoreError.damaged(failure: "rolled_back")) {
                try TestVault.fillOne(vault, 3)
            }
            try new.put(into: storage)
            #expect(try vault.list().count == 2)
            try vault.remove(TestVault.name(1))
            try vault.remove(TestVault.name(2))
        }
    }

    @Test("is looked for again when a record that was unavailable can be read")
    func availableAgain() throws {
        let damaged = DamagedRecords()
        damaged.isAvailable = false
        let vault = try TestVault.unlock(storage, TestVault.environment(rollbackRecords: damaged))
        try TestVault.fillOne(vault, 1)
        _ = try vault.value(of: TestVault.name(1))
        damaged.isAvailable = true
        #expect(throws: SecureStoreError.damaged(failure: "rollback_record_damaged")) {
            _ = try vault.value(of: TestVault.name(1))
        }
    }

    @Test("cannot be hidden by a damaged record")
    func damagedRecord() throws {
        let damaged = DamagedRecords()
        var environment = TestVault.environment(rollbackRecords: damaged)
        #expect(throws: VaultError.damaged(.rollbackRecordDamaged)) {
            _ = try TestVault.unlock(storage, environment)
        }
        environment.acceptsOlder = true
        _ = try TestVault.unlock(storage, environment)
        environment.acceptsOlder = false
        #expect(throws: Never.self) { _ = try TestVault.unlock(storage, environment) }
    }

    @Test("is not noticed where records cannot be written, which is told")
    func unwritable() throws {
        let environment = TestVault.environment(rollbackRecords: UnwritableRecords())
        let old = try Records(of: storage)
        let vault = try TestVault.unlock(storage, environment)
        #expect(vault.rollbackRecordFailure == UnwritableRecords.failure)
        try TestVault.fill(vault, count: 1)
        #expect(vault.lock() == UnwritableRecords.failure)
        try old.put(into: storage)
        #expect(try TestVault.unlock(storage, environment).list().isEmpty)
    }

    @Test("is impossible without records if the settings require them")
    func required() throws {
        let vault = try TestVault.unlock(storage, environment)
        try vault.changeSettings { $0[.requireRollbackRecord] = 1 }
        vault.endVerification()
        #expect(throws: VaultError.store(.notVerified)) {
            try vault.changeSettings { $0[.requireRollbackRecord] = 0 }
        }
        #expect(throws: VaultError.noRollbackRecord) {
            _ = try TestVault.unlock(
                storage, TestVault.environment(rollbackRecords: UnwritableRecords()))
        }
        // The records become unwritable under a session.
        let failing = UnwritableRecords(isWritable: true)
        let session = try TestVault.unlock(storage, TestVault.environment(rollbackRecords: failing))
        try TestVault.fillOne(session, 1)
        failing.isWritable = false
        #expect(throws: SecureStoreError.damaged(failure: "no_rollback_record")) {
            try TestVault.fillOne(session, 2)
        }
        #expect(throws: SecureStoreError.damaged(failure: "no_rollback_record")) {
            _ = try session.value(of: TestVault.name(1))
        }
        failing.isWritable = true
        #expect(try session.list().count == 1)
        // They become so between commit and record: the change is made, and not acknowledged.
        failing.isWritable = false
        failing.isReadable = true
        #expect(throws: SecureStoreError.damaged(failure: "no_rollback_record")) {
            try TestVault.fillOne(session, 2)
        }
        #expect(throws: SecureStoreError.damaged(failure: "no_rollback_record")) {
            _ = try session.list()
        }
        failing.isWritable = true
        #expect(try session.list().count == 2)
        #expect(try failing.read()?.counter == 4)
    }

    @Test("the setting cannot be made where no record can be written")
    func refusedSetting() throws {
        let vault = try TestVault.unlock(
            storage, TestVault.environment(rollbackRecords: UnwritableRecords()))
        #expect(throws: VaultError.noRollbackRecord) {
            try vault.changeSettings { $0[.requireRollbackRecord] = 1 }
        }
        #expect(try vault.currentSettings() == .standard)
    }

    @Test("a restore on another machine is told where the vault was seen before")
    func restored() throws {
        func restore(at time: Int64) throws {
            let session = try TestVault.authenticate(storage).session
            try session.write { changes in
                changes.state.restoredFrom = time
                changes.state.restoredAt = changes.state.counter + 1
            }
        }
        _ = try TestVault.unlock(storage, environment)
        try restore(at: 1_234)
        #expect(try TestVault.authenticate(storage, environment).restoredBackup == 1_234)
        #expect(try TestVault.unlock(storage, environment).restoredBackup == nil)
        try restore(at: 5_678)
        #expect(try TestVault.unlock(storage, environment).restoredBackup == 5_678)
        #expect(try TestVault.unlock(storage).restoredBackup == nil)
    }
}

/// Rollback records that can be written or not.
final class UnwritableRecords: RollbackRecords, @unchecked Sendable {
    static let failure = RollbackRecordError.unavailable(path: "nowhere", code: 13)

    private let records = MemoryRollbackRecords()
    var isWritable: Bool
    var isReadable = false

    init(isWritable: Bool = false) { self.isWritable = isWritable }

    private func require() throws(RollbackRecordError) {
        if !isWritable { throw Self.failure }
    }

    func read() throws(RollbackRecordError) -> RollbackRecord? {
        if !isReadable { try require() }
        return try records.read()
    }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        if !isReadable { try require() }
        return []
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

/// A damaged rollback record, until it is replaced.
private final class DamagedRecords: RollbackRecords, @unchecked Sendable {
    private let records = MemoryRollbackRecords()
    private var isDamaged = true
    var isAvailable = true

    func read() throws(RollbackRecordError) -> RollbackRecord? {
        try require()
        return try records.read()
    }

    private func require() throws(RollbackRecordError) {
        if !isAvailable { throw .unavailable(path: "/rollback", code: 13) }
        if isDamaged { throw .damaged }
    }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] { [] }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        try require()
        return try records.exchange(old, for: new)
    }

    func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        isDamaged = false
        try records.replace(with: record)
    }

    func sync() throws(RollbackRecordError) {}
}

import Sealing
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// A storage that shows one thing now and another later, to somebody who has a revoked passphrase or an older copy.
@Suite("A storage that changes its mind")
struct ChangingStorageTests {
    private let storage: VaultDatabase
    private let environment = TestVault.environment()

    init() throws { storage = try VaultDatabase.inMemory() }

    /// Replaces ``TestVault/passphraseText`` by `new one`, and returns the records from before. The keys stay, so that nothing but the state
    /// refuses the old slot.
    private func revoke() throws -> Records {
        let before = try Records(of: storage)
        _ = try TestVault.authenticate(storage)
            .changePassphrase(
                to: TestVault.passphrase("new one"), cost: TestVault.cost, keepingKeys: true)
        return before
    }

    private func expectRevoked() {
        #expect(throws: VaultError.wrongPassphrase) { _ = try TestVault.unlock(storage) }
        #expect(throws: Never.self) { _ = try TestVault.unlock(storage, with: "new one").list() }
    }

    @Test("cannot have an old header sealed into a new state")
    func launderedHeader() throws {
        try TestVault.create(in: storage)
        let old = try revoke()
        let vault = try TestVault.unlock(storage, with: "new one")
        try TestVault.fill(vault, count: 2)
        let honest = try Records(of: storage)
        var shown = honest
        shown.header = old.header
        shown.state[60] ^= 1
        try shown.put(into: storage)
        #expect(throws: SecureStoreError.damaged(failure: "state_seal")) { _ = try vault.list() }
        shown.state = honest.state
        try shown.put(into: storage)
        #expect(throws: SecureStoreError.damaged(failure: "state_seal")) {
            try TestVault.fillOne(vault, 7)
        }
        try honest.put(into: storage)
        try TestVault.fillOne(vault, 7)
        expectRevoked()
    }

    @Test("cannot have a write acknowledged over a header that is gone")
    func missingHeader() throws {
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        try TestVault.fillOne(vault, 1)
        var shown = try Records(of: storage)
        shown.header = []
        try shown.put(into: storage)
        #expect(throws: SecureStoreError.damaged(failure: "header_truncated")) {
            try TestVault.fillOne(vault, 2)
        }
    }

    @Test("cannot show a session another state of the same age")
    func fork() throws {
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        let start = try Records(of: storage)
        try TestVault.fillOne(TestVault.unlock(storage), 1)
        let fork = try Records(of: storage)
        try start.put(into: storage)
        try TestVault.fillOne(vault, 2)
        try fork.put(into: storage)
        #expect(throws: SecureStoreError.damaged(failure: "forked")) { _ = try vault.list() }
    }

    @Test("cannot repeat one row in place of another; a later list reads no rows")
    func repeatedRow() throws {
        try TestVault.create(in: storage)
        // Of so many, two are in one bucket.
        try TestVault.fill(TestVault.unlock(storage), count: 100)
        let hooked = HookedStorage(storage)
        let vault = try TestVault.unlock(hooked, environment)
        hooked.set { $0.repeatsRows = true }
        #expect(throws: SecureStoreError.damaged(failure: "row_shape")) { _ = try vault.list() }
        hooked.set { $0.repeatsRows = false }
        let names = try vault.list().map(\.name)
        #expect(Set(names).count == 100)
        hooked.set { $0.repeatsRows = true }
        #expect(try vault.list().map(\.name) == names)
        #expect(throws: SecureStoreError.damaged(failure: "row_shape")) {
            try vault.forEachValue { _, _ in true }
        }
    }

    @Test("cannot bring a revoked passphrase in while the vault is being unlocked")
    func swappedHeader() throws {
        try TestVault.create(in: storage)
        let old = try revoke()
        let hooked = HookedStorage(storage)
        hooked.set { $0.header = old.header }
        let locked = try LockedVault(hooked, environment)
        hooked.set { $0.header = nil }
        // What is consumed cannot be named in a closure of `#expect`.
        do {
            _ = try locked.unlock(with: TestVault.secret())
            Issue.record("a revoked passphrase unlocked the vault")
        } catch {
            #expect(error as? VaultError == .conflict)
        }
    }

    @Test(
        "cannot have an older state verified in a session that saw a newer one",
        arguments: [true, false])
    func olderVerification(hasRecord: Bool) throws {
        let environment = TestVault.environment(
            rollbackRecords: hasRecord ? MemoryRollbackRecords() : UnwritableRecords())
        try TestVault.create(in: storage, environment)
        let vault = try TestVault.unlock(storage, environment)
        vault.endVerification()
        let old = try revoke()
        _ = try vault.list()
        try old.put(into: storage)
        #expect(throws: VaultError.rolledBack(found: 1, seen: 2)) {
            try vault.verify(with: TestVault.secret())
        }
        #expect(!vault.isVerified)
    }

    @Test("cannot use the acceptance of an older vault twice")
    func acceptedOnce() throws {
        var accepting = TestVault.environment(rollbackRecords: MemoryRollbackRecords())
        try TestVault.create(in: storage, accepting)
        let old = try Records(of: storage)
        accepting.acceptsOlder = true
        let vault = try TestVault.unlock(storage, accepting)
        try TestVault.fill(vault, count: 5)
        vault.endVerification()
        try old.put(into: storage)
        #expect(throws: VaultError.self) { try vault.verify(with: TestVault.secret()) }
        vault.lock()
        accepting.acceptsOlder = false
        #expect(throws: VaultError.rolledBack(found: 1, seen: 6)) {
            _ = try TestVault.unlock(storage, accepting)
        }
    }

    @Test("cannot bring back a session whose keys were replaced")
    func replacedKeys() throws {
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        let before = try Records(of: storage)
        _ = try TestVault.authenticate(storage).rekey()
        #expect(throws: SecureStoreError.keysReplaced) { _ = try vault.list() }
        #expect(!vault.isVerified)
        try before.put(into: storage)
        #expect(throws: SecureStoreError.locked) { _ = try vault.list() }
    }

    @Test("cannot keep a session going over a vault that was restored")
    func newLineage() throws {
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        try TestVault.authenticate(storage).startLineage(above: 10)
        #expect(throws: SecureStoreError.keysReplaced) { _ = try vault.list() }
        #expect(!vault.isVerified)
    }

    @Test("slots that were changed meanwhile are not undone by rekey or repair")
    func staleProofs() throws {
        try TestVault.create(in: storage, environment)
        try TestVault.fill(TestVault.unlock(storage, environment), count: 3)
        let proved = try TestVault.authenticate(storage, environment)
        let repairable = try LockedVault(storage, environment)
            .authenticateForRepair(with: TestVault.secret())
        _ = try revoke()
        #expect(throws: VaultError.conflict) { _ = try repairable.repair() }
        do {
            _ = try proved.rekey()
            Issue.record("a revoked slot was sealed into the new header")
        } catch {
            #expect(error == .conflict)
        }
        expectRevoked()
        #expect(try TestVault.unlock(storage, with: "new one").list().count == 3)
    }

    @Test("a commit that is reported as failed counts when it is there")
    func deniedCommit() throws {
        let hooked = HookedStorage(storage)
        try TestVault.create(in: hooked, environment)
        let vault = try TestVault.unlock(hooked, environment)
        let proved = try TestVault.authenticate(hooked, environment)
        hooked.set { $0.commitIsDenied = true }
        try TestVault.fillOne(vault, 1)
        let oldBytes = try TestVault.authenticate(hooked, environment).rekey()
        #expect(oldBytes == .erased)
        hooked.set { $0.commitIsDenied = false }
        #expect(try TestVault.unlock(storage, environment).list().count == 1)
        // What is consumed cannot be named in a closure of `#expect`.
        do {
            _ = try proved.revokeSlots(.recoveryCode)
            Issue.record("old keys sealed a new header")
        } catch {
            #expect(error == .store(.keysReplaced))
        }
    }

    @Test("a change of slots is told as done when only the erasing failed")
    func failedErasing() throws {
        let hooked = HookedStorage(storage)
        try TestVault.create(in: hooked, environment)
        hooked.set { $0.eraseFails = true }
        let made = try TestVault.authenticate(hooked, environment).replaceRecoveryCode()
        #expect(made.oldBytes == .pending)
        let proof = VaultSecret.recoveryCode(try RecoveryCode(typed: made.code.text()))
        #expect(try LockedVault(storage, environment).unlock(with: proof).isVerified)
    }

    @Test("a write by others between two looks is no rollback")
    func noFalseAlarm() throws {
        try withTemporaryFolder { folder in
            let records = RacingRecords()
            let environment = TestVault.environment(rollbackRecords: records)
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            try TestVault.create(in: storage, environment)
            let others = try VaultDatabase.openFile(at: folder + "/vault.db", mode: .readWrite)
            let other = try TestVault.unlock(others, environment)
            // This snapshot does not have what the record has then.
            records.beforeNextRead {
                #expect(throws: Never.self) { try TestVault.fillOne(other, 1) }
            }
            let vault = try TestVault.unlock(storage, environment)
            #expect(try vault.list().count == 1)
            records.beforeNextRead {
                #expect(throws: Never.self) { try TestVault.fillOne(other, 2) }
            }
            #expect(try vault.list().count == 2)
            other.lock()
            others.close()
            storage.close()
        }
    }

    @Test("what is written while the owner is proved again is no rollback")
    func noFalseAlarmOfVerification() throws {
        let hooked = HookedStorage(storage)
        try TestVault.create(in: hooked, environment)
        let vault = try TestVault.unlock(hooked, environment)
        vault.endVerification()
        let written = Mutex(0)
        hooked.set {
            $0.afterRead = {
                let count = written.withLock { $0 }
                // None that needs the verification to be written.
                #expect(throws: Never.self) { try TestVault.fillOne(vault, 3 * count + 1) }
                written.withLock { $0 += 1 }
            }
        }
        try vault.verify(with: TestVault.secret())
        hooked.set { $0.afterRead = nil }
        #expect(vault.isVerified)
        let count = written.withLock { $0 }
        #expect(count > 0)
        #expect(try vault.list().count == count)
    }

    @Test("settings that no vault may have are refused")
    func badSettings() throws {
        var settings = VaultSettings.standard
        settings[.idleLimit] = 0
        #expect(throws: VaultError.invalidSettings) {
            _ = try VaultCreation.create(
                in: storage, environment, passphrase: TestVault.passphrase(),
                cost: TestVault.cost, settings: settings)
        }
        try TestVault.create(in: storage, environment)
        #expect(throws: VaultError.invalidSettings) {
            try TestVault.authenticate(storage, environment).unlock()
                .changeSettings { $0 = settings }
        }
    }
}

/// Rollback records that run a function right before each read.
private final class RacingRecords: RollbackRecords {
    private let base = MemoryRollbackRecords()
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func beforeNextRead(_ body: @escaping @Sendable () -> Void) { action.withLock { $0 = body } }

    func read() throws(RollbackRecordError) -> RollbackRecord? {
        let run = action.withLock { action in
            defer { action = nil }
            return action
        }
        run?()
        return try base.read()
    }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        try base.readElsewhere()
    }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool { try base.exchange(old, for: new) }

    func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        try base.replace(with: record)
    }

    func sync() throws(RollbackRecordError) {}
}

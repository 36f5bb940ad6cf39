import Sealing
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// A storage that shows each machine another branch of a vault, as its owner, a file synchronisation or a snapshot can.
@Suite("Forks")
struct ForkTests {
    private let storage: VaultDatabase
    private let ours = MemoryRollbackRecords()
    private let theirs = MemoryRollbackRecords()
    private var here: VaultEnvironment { TestVault.environment(rollbackRecords: ours) }
    private var there: VaultEnvironment { TestVault.environment(rollbackRecords: theirs) }

    init() throws {
        storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage, here)
        try TestVault.fillOne(TestVault.unlock(storage, there), 0)
        _ = try TestVault.unlock(storage, here)
    }

    /// Machine A saves one secret, which machine B is never shown; B saves others, and the storage shows them to A.
    private func fork(
        _ secrets: ClosedRange<Int>
    ) throws -> (session: UnlockedVault, branch: Records) {
        let session = try TestVault.unlock(storage, here)
        let start = try Records(of: storage)
        try TestVault.fillOne(session, 1)
        let ours = try Records(of: storage)
        try start.put(into: storage)
        let other = try TestVault.unlock(storage, there)
        for index in secrets { try TestVault.fillOne(other, index) }
        let branch = try Records(of: storage)
        #expect(branch != ours)
        return (session, branch)
    }

    @Test(
        "are refused when opening, in a session and when verifying",
        arguments: [2...2, 2...3, 2...4])
    func refused(secrets: ClosedRange<Int>) throws {
        let (session, _) = try fork(secrets)
        let found = UInt64(secrets.count) + 2
        let forked = VaultError.forked(seen: 3, found: found)
        #expect(throws: forked) { _ = try TestVault.unlock(storage, here) }
        #expect(throws: SecureStoreError.damaged(failure: "forked")) { _ = try session.list() }
        #expect(throws: SecureStoreError.damaged(failure: "forked")) {
            _ = try session.value(of: TestVault.name(0))
        }
        #expect(throws: SecureStoreError.damaged(failure: "forked")) {
            try TestVault.fillOne(session, 9)
        }
        #expect(throws: forked) { try session.verify(with: TestVault.secret()) }
        #expect(throws: forked) { _ = try session.currentSettings() }
        #expect(try session.check().problems.map(\.failure) == [.forked])
        // B never saw A's branch.
        #expect(try TestVault.unlock(storage, there).list().count == secrets.count + 1)
    }

    @Test("cannot bring back a recovery code that was revoked on another branch")
    func revokedCode() throws {
        let made = try TestVault.authenticate(storage, here).replaceRecoveryCode()
        let code = try Samples.bytes(made.code.text())
        func unlock(_ environment: VaultEnvironment) throws -> UnlockedVault {
            try LockedVault(storage, environment)
                .unlock(with: VaultSecret(.recoveryCode, typed: Samples.secret(code)))
        }
        _ = try TestVault.unlock(storage, there)
        let before = try Records(of: storage)
        _ = try TestVault.authenticate(storage, here)
            .revokeSlots(.recoveryCode, keepingKeys: true)
        try before.put(into: storage)
        let other = try TestVault.unlock(storage, there)
        for index in 5..<9 { try TestVault.fillOne(other, index) }
        #expect(throws: VaultError.forked(seen: 4, found: 7)) {
            _ = try unlock(here)
        }
        #expect(try unlock(there).isVerified)
    }

    @Test("accepted on one machine are still refused on another")
    func acceptedOnce() throws {
        let (_, branch) = try fork(2...4)
        var older = here
        older.acceptsOlder = true
        #expect(try TestVault.unlock(storage, older).list().count == 4)
        #expect(try TestVault.unlock(storage, here).list().count == 4)
        // A goes on with B's branch.
        try TestVault.fillOne(TestVault.unlock(storage, here), 5)
        #expect(try TestVault.unlock(storage, there).list().count == 5)
        let joined = try Records(of: storage)
        try branch.put(into: storage)
        let others = try TestVault.unlock(storage)
        try TestVault.fillOne(others, 6)
        try TestVault.fillOne(others, 7)
        for environment in [here, there] {
            #expect(throws: VaultError.forked(seen: 6, found: 7)) {
                _ = try TestVault.unlock(storage, environment)
            }
        }
        older = there
        older.acceptsOlder = true
        _ = try TestVault.unlock(storage, older)
        #expect(throws: VaultError.forked(seen: 6, found: 7)) {
            _ = try TestVault.unlock(storage, here)
        }
        try joined.put(into: storage)
        #expect(try TestVault.unlock(storage, here).list().count == 5)
    }

    @Test("another lineage of the same vault is one")
    func lineage() throws {
        let old = try Records(of: storage)
        try TestVault.authenticate(storage).startLineage(above: 5)
        let mine = try TestVault.unlock(storage)
        #expect(try mine.check().problems.isEmpty)
        #expect(throws: VaultError.forked(seen: 2, found: 6)) {
            _ = try TestVault.unlock(storage, here)
        }
        try old.put(into: storage)
        #expect(throws: Never.self) { _ = try TestVault.unlock(storage, here) }
    }

    // Crashes and races.

    @Test("are not what a crash between commit and record leaves")
    func crash() throws {
        let before = try #require(try ours.read())
        let session = try TestVault.unlock(storage, here)
        try TestVault.fillOne(session, 1)
        try ours.replace(with: before)
        // The commit is there, also if it was never acknowledged.
        #expect(try TestVault.unlock(storage, here).list().count == 2)
        #expect(try ours.read()?.counter == 3)
        #expect(try session.list().count == 2)
    }

    @Test("are not what two processes of a machine leave that end in either order")
    func eitherOrder() throws {
        for isReversed in [false, true] {
            let records = HeldBackRecords(ours)
            let slow = try TestVault.unlock(
                storage, TestVault.environment(rollbackRecords: records))
            _ = try slow.list()
            let counter = try #require(try ours.read()?.counter)
            // Another process commits after the slow one, and is done before it.
            records.beforeNextExchange {
                let fast = try? TestVault.unlock(storage, here)
                if isReversed, let fast { try? TestVault.fillOne(fast, 20) }
                fast?.lock()
            }
            try TestVault.fillOne(slow, isReversed ? 11 : 10)
            #expect(try ours.read()?.counter == counter + (isReversed ? 2 : 1))
            #expect(try slow.list().count == (isReversed ? 4 : 2))
            slow.lock()
        }
    }

    @Test("are what two processes leave that saw two branches: the later is not acknowledged")
    func divergingProcesses() throws {
        let records = HeldBackRecords(ours)
        let start = try Records(of: storage)
        let storage = storage
        let here = here
        for (secrets, expected) in [
            (20...20, VaultError.forked(seen: 3, found: 3)),
            (20...21, .forked(seen: 3, found: 4)),
        ] {
            try start.put(into: storage)
            try ours.replace(with: try #require(try theirs.read()))
            let slow = try TestVault.unlock(
                storage, TestVault.environment(rollbackRecords: records))
            _ = try slow.list()
            records.beforeNextExchange {
                try? start.put(into: storage)
                guard let fast = try? TestVault.unlock(storage, here) else { return }
                for index in secrets { try? TestVault.fillOne(fast, index) }
            }
            #expect(throws: SecureStoreError.damaged(failure: "forked"), "\(expected)") {
                try TestVault.fillOne(slow, 1)
            }
        }
    }

    @Test("are refused to each of two machines with a cloned state folder")
    func clonedState() throws {
        let clone = MemoryRollbackRecords()
        try clone.replace(with: try #require(try ours.read()))
        let cloned = TestVault.environment(rollbackRecords: clone)
        _ = try fork(2...3)
        #expect(try TestVault.unlock(storage, cloned).list().count == 3)
        #expect(throws: VaultError.forked(seen: 3, found: 4)) {
            _ = try TestVault.unlock(storage, here)
        }
    }

    @Test("a commit whose outcome is unknown is recorded only if it is there")
    func unknownOutcome() throws {
        let hooked = HookedStorage(storage)
        let session = try TestVault.unlock(hooked, here)
        hooked.set { $0.commitIsDenied = true }
        try TestVault.fillOne(session, 1)
        #expect(try ours.read()?.counter == 3)
        hooked.set { $0.commitIsLost = true }
        #expect(throws: SecureStoreError.self) { try TestVault.fillOne(session, 2) }
        #expect(try ours.read()?.counter == 3)
        #expect(try session.list().count == 2)
    }
}

/// Rollback records that let something happen before one is written.
private final class HeldBackRecords: RollbackRecords {
    private let base: MemoryRollbackRecords
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ base: MemoryRollbackRecords) { self.base = base }

    func beforeNextExchange(_ body: @escaping @Sendable () -> Void) {
        action.withLock { $0 = body }
    }

    func read() throws(RollbackRecordError) -> RollbackRecord? { try base.read() }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        try base.readElsewhere()
    }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        let run = action.withLock { action in
            defer { action = nil }
            return action
        }
        run?()
        return try base.exchange(old, for: new)
    }

    func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        try base.replace(with: record)
    }

    func sync() throws(RollbackRecordError) {}
}

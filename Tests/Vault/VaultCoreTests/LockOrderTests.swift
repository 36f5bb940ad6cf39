import Foundation
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Locking")
struct LockOrderTests {
    @Test("wipes the keys before it remembers anything, and lets nobody wait meanwhile")
    func order() throws {
        let storage = try VaultDatabase.inMemory()
        let records = WatchingRecords()
        let environment = TestVault.environment(rollbackRecords: records)
        try TestVault.create(in: storage, environment)
        let vault = try TestVault.unlock(storage, environment)
        try TestVault.fill(vault, count: 1)
        try vault.use { session in records.watch(session, of: vault) }
        #expect(records.seen == nil)
        #expect(vault.lock() == nil)
        #expect(records.seen == WatchingRecords.Seen(hasKeys: false, answer: .locked))
    }
}

/// Rollback records that use the vault during a sync, which is as slow as a disk may be.
private final class WatchingRecords: RollbackRecords {
    struct Seen: Equatable {
        /// Whether the session, which has the keys, is still in memory.
        var hasKeys: Bool
        /// The answer to another thread meanwhile; nil if it had to wait.
        var answer: SecureStoreError?
    }

    private struct Watched {
        weak var session: VaultSession?
        weak var vault: UnlockedVault?
        var seen: Seen?
    }

    private let watched = Mutex(Watched())
    private let records = MemoryRollbackRecords()

    var seen: Seen? { watched.withLock { $0.seen } }

    func watch(_ session: VaultSession, of vault: UnlockedVault) {
        watched.withLock {
            $0.session = session
            $0.vault = vault
        }
    }

    func read() throws(RollbackRecordError) -> RollbackRecord? { try records.read() }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        try records.readElsewhere()
    }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool { try records.exchange(old, for: new) }

    func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        try records.replace(with: record)
    }

    func sync() throws(RollbackRecordError) {
        let vault = watched.withLock { $0.vault }
        guard let vault else { return }
        let hasKeys = watched.withLock { $0.session != nil }
        let answer = Self.answer(of: vault)
        watched.withLock { $0.seen = $0.seen ?? Seen(hasKeys: hasKeys, answer: answer) }
    }

    /// The answer to a list on another thread; nil if there is no answer before this thread goes on.
    private static func answer(of vault: UnlockedVault) -> SecureStoreError? {
        let answer = Mutex<SecureStoreError?>(nil)
        let isAnswered = DispatchSemaphore(value: 0)
        let other = Thread {
            do throws(SecureStoreError) {
                _ = try vault.list()
            } catch {
                answer.withLock { $0 = error }
            }
            isAnswered.signal()
        }
        other.start()
        // Only a call that waits for this one takes so long.
        _ = isAnswered.wait(timeout: .now() + 120)
        return answer.withLock { $0 }
    }
}

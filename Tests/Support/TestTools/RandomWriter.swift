import Platform
import Sealing
import SecureStorage
import Synchronization
import TestSupport
import VaultCore
import VaultStorage

/// Runs random operations and notes what came of each, for a test that asks whether all processes saw one history.
enum RandomWriter {
    /// Runs `count` operations of the seed, and prints a ``HistoryLine`` for each.
    static func run(
        _ storage: any RecordStorage, proof: borrowing VaultSecret, seed: UInt64, count: Int
    ) throws {
        let observer = CommitObserver()
        let environment = TestVault.environment(rollbackRecords: observer)
        var random = SeededGenerator(seed: seed)
        var vault = try LockedVault(storage, environment).unlock(with: proof)
        for _ in 0..<count {
            let operation = RandomOperation(using: &random)
            _ = observer.takeCounter()
            let began = nanoseconds()
            let answer = operation.run(on: vault)
            let ended = nanoseconds()
            // A read records commits of others.
            let counter = operation.isMade(answer) ? observer.takeCounter() : nil
            print(
                HistoryLine(began: began, ended: ended, counter: counter, answer: answer).text)
            // A session that begins has verified nothing yet.
            if random.next().isMultiple(of: 97) {
                vault.lock()
                vault = try LockedVault(storage, environment).unlock(with: proof)
            }
        }
        vault.lock()
    }

    private static func nanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Learns the counter of each commit: it is where a session keeps its rollback record, which it writes after each commit.
private final class CommitObserver: RollbackRecords {
    private let records = MemoryRollbackRecords()
    private let counter = Mutex<UInt64?>(nil)

    func read() throws(RollbackRecordError) -> RollbackRecord? { try records.read() }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] { [] }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        counter.withLock { $0 = new.counter }
        return try records.exchange(old, for: new)
    }

    func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        try records.replace(with: record)
    }

    func sync() throws(RollbackRecordError) {}

    func takeCounter() -> UInt64? {
        counter.withLock { counter in
            defer { counter = nil }
            return counter
        }
    }
}

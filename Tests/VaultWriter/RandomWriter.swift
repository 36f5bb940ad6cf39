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
        let environment = TestVault.environment(marks: observer, now: observer.now)
        var random = SeededGenerator(seed: seed)
        var vault = try LockedVault(storage, environment).unlock(with: proof)
        for _ in 0..<count {
            let operation = RandomOperation(using: &random)
            _ = observer.takeCounter()
            let began = nanoseconds()
            let answer = operation.run(on: vault)
            let ended = nanoseconds()
            print(
                HistoryLine(
                    began: began, ended: ended, counter: observer.takeCounter(), answer: answer
                ).text)
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

/// Learns the counter of each commit: it is where a session keeps its mark, which a session raises with each write if a second has
/// passed, and by its clock one always has.
private final class CommitObserver: RollbackMarks {
    private let counter = Mutex<UInt64?>(nil)
    private let time = Mutex<Int64>(0)

    func now() -> Int64 {
        time.withLock { time in
            time += 1_000
            return time
        }
    }

    func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? { nil }

    func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) {
        counter.withLock { $0 = mark.counter }
    }

    func takeCounter() -> UInt64? {
        counter.withLock { counter in
            defer { counter = nil }
            return counter
        }
    }
}

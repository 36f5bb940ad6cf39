import Dispatch
import Synchronization
import VaultStorage

/// A storage whose server can stop answering: whoever asks it then waits until it is interrupted.
final class InterruptedStorage: RecordStorage {
    private enum State {
        case answers, isGone, isInterrupted
    }

    private let base = try VaultDatabase.inMemory()
    private let state = Mutex(State.answers)
    private let waiting = DispatchSemaphore(value: 0)
    private let interrupted = DispatchSemaphore(value: 0)

    /// Answers no more.
    func stopAnswering() { state.withLock { $0 = .isGone } }

    /// Waits until somebody waits for an answer.
    func waitUntilAsked() { waiting.wait() }

    func interrupt() {
        state.withLock { $0 = .isInterrupted }
        interrupted.signal()
    }

    private func requireAnswer() throws(DatabaseError) {
        if state.withLock({ $0 == .isGone }) {
            waiting.signal()
            interrupted.wait()
        }
        if state.withLock({ $0 != .answers }) { throw .unreachable(reason: "interrupted") }
    }

    func read<Result, Failure: Error>(
        _ body: (any RecordReader) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        do throws(DatabaseError) {
            try requireAnswer()
        } catch {
            throw .storage(error)
        }
        return try base.read(body)
    }

    func write<Result, Failure: Error>(
        _ body: (any RecordWriter) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        do throws(DatabaseError) {
            try requireAnswer()
        } catch {
            throw .storage(error)
        }
        return try base.write(body)
    }

    func stateAndItem(tag: [UInt8]) throws(DatabaseError) -> (state: [UInt8]?, item: ItemRecord?) {
        try requireAnswer()
        return try base.stateAndItem(tag: tag)
    }

    func eraseOldBytes() throws(DatabaseError) -> Bool? { try base.eraseOldBytes() }
    func backup(to path: String) throws(DatabaseError) { try base.backup(to: path) }
    func close() { base.close() }
}

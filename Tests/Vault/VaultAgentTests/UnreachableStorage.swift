import Dispatch
import Synchronization
import VaultStorage

/// A storage whose server can stop answering: each call then waits until it is interrupted.
final class UnreachableStorage: RecordStorage {
    private enum State {
        case answers, isGone, isInterrupted
    }

    private let base: VaultDatabase
    private let state = Mutex(State.answers)
    private let waiting = DispatchSemaphore(value: 0)
    private let interrupted = DispatchSemaphore(value: 0)

    init() throws { base = try VaultDatabase.inMemory() }

    /// Answers no more.
    func stopAnswering() { state.withLock { $0 = .isGone } }

    /// Waits until a call waits for an answer.
    func waitUntilAsked() { waiting.wait() }

    func interrupt() {
        state.withLock { $0 = .isInterrupted }
        interrupted.signal()
    }

    private func requireAnswer() throws {
        if state.withLock({ $0 == .isGone }) {
            waiting.signal()
            interrupted.wait()
        }
        if state.withLock({ $0 != .answers }) {
            throw DatabaseError.unreachable(reason: "interrupted")
        }
    }

    func read<Result>(
        _ body: (any RecordReader) throws -> Result
    ) throws -> Result {
        try requireAnswer()
        return try base.read(body)
    }

    func write<Result>(
        _ body: (any RecordWriter) throws -> Result
    ) throws -> Result {
        try requireAnswer()
        return try base.write(body)
    }

    func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?) {
        try requireAnswer()
        return try base.stateAndItem(tag: tag)
    }

    func eraseOldBytes() throws -> Bool? { try base.eraseOldBytes() }
    func backup(to path: String) throws { try base.backup(to: path) }
    func close() { base.close() }
}

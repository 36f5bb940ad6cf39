import Dispatch
import VaultStorage

/// A vault file whose users wait longer for its lock than any test, and that says when a write begins, and when a lock interrupts it.
final class BusyStorage: RecordStorage {
    private let base: VaultDatabase
    private let began: DispatchSemaphore?
    private let interrupted: DispatchSemaphore?

    init(
        _ path: String, _ mode: StorageMode, began: DispatchSemaphore? = nil,
        interrupted: DispatchSemaphore? = nil
    ) throws {
        base = try VaultDatabase.open(.file(path), mode: mode, lockTimeout: .seconds(600))
        self.began = began
        self.interrupted = interrupted
    }

    func write<Result>(_ body: (any RecordWriter) throws -> Result) throws -> Result {
        began?.signal()
        return try base.write(body)
    }

    func read<Result>(_ body: (any RecordReader) throws -> Result) throws -> Result {
        try base.read(body)
    }

    func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?) {
        try base.stateAndItem(tag: tag)
    }

    func eraseOldBytes() throws -> Bool? { try base.eraseOldBytes() }
    func backup(to path: String) throws { try base.backup(to: path) }
    func followPath() throws { try base.followPath() }
    func interrupt() {
        base.interrupt()
        interrupted?.signal()
    }
    func close() { base.close() }
}

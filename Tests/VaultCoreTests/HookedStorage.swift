import Synchronization
@testable import VaultCore
import VaultStorage

/// A storage that does what another does, except for what a test asks of it.
final class HookedStorage: RecordStorage {
    struct Hooks: Sendable {
        /// What readers get as header.
        var header: [UInt8]?
        /// Whether old bytes cannot be erased.
        var eraseFails = false
        /// Whether a transaction is reported as failed after it was committed.
        var commitIsDenied = false
        /// What happens after each read, but for those that it does itself.
        var afterRead: (@Sendable () -> Void)?
    }

    private let base: any RecordStorage
    private let hooks = Mutex(Hooks())

    init(_ base: any RecordStorage) { self.base = base }

    func set(_ change: (inout Hooks) -> Void) { hooks.withLock { change(&$0) } }

    func read<Result, Failure: Error>(
        _ body: (any RecordReader) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        let header = hooks.withLock { $0.header }
        defer { runAfterRead() }
        return try base.read { (reader) throws(Failure) in
            guard let header else { return try body(reader) }
            return try body(ReaderWithHeader(reader, header))
        }
    }

    private func runAfterRead() {
        guard let action = hooks.withLock({ $0.afterRead }) else { return }
        set { $0.afterRead = nil }
        action()
        set { $0.afterRead = action }
    }

    func write<Result, Failure: Error>(
        _ body: (any RecordWriter) throws(Failure) -> Result
    ) throws(StorageFailure<Failure>) -> Result {
        let result = try base.write(body)
        if hooks.withLock({ $0.commitIsDenied }) {
            throw .storage(.inputOutput(operation: "commit", code: 5))
        }
        return result
    }

    func stateAndItem(tag: [UInt8]) throws(DatabaseError) -> (state: [UInt8]?, item: ItemRecord?) {
        try base.stateAndItem(tag: tag)
    }

    func eraseOldBytes() throws(DatabaseError) -> Bool? {
        if hooks.withLock({ $0.eraseFails }) { throw .full }
        return try base.eraseOldBytes()
    }

    func backup(to path: String) throws(DatabaseError) { try base.backup(to: path) }
    func close() { base.close() }
}

private struct ReaderWithHeader: RecordReader {
    let base: any RecordReader
    let shown: [UInt8]

    init(_ base: any RecordReader, _ shown: [UInt8]) {
        self.base = base
        self.shown = shown
    }

    func header() throws(DatabaseError) -> [UInt8]? { shown }
    func state() throws(DatabaseError) -> [UInt8]? { try base.state() }
    func buckets() throws(DatabaseError) -> [BucketRecord] { try base.buckets() }
    func item(tag: [UInt8]) throws(DatabaseError) -> ItemRecord? { try base.item(tag: tag) }
    func forEachItem<Failure: Error>(
        inBucket bucket: UInt8, _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) { try base.forEachItem(inBucket: bucket, body) }
    func forEachItem<Failure: Error>(
        _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) { try base.forEachItem(body) }
}

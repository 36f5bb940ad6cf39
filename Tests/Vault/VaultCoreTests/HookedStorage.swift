import Synchronization
@testable import VaultCore
import VaultStorage

/// A storage that does what another does, except for what a test asks of it.
final class HookedStorage: RecordStorage {
    struct Hooks: Sendable {
        /// The header that readers get.
        var header: [UInt8]?
        /// Whether readers get the first row of each bucket again in place of the second one.
        var repeatsRows = false
        /// The links that readers get.
        var links: (@Sendable (inout [LinkRecord]) -> Void)?
        /// Whether old bytes cannot be erased.
        var eraseFails = false
        /// Whether a transaction is reported as failed after it was committed.
        var commitIsDenied = false
        /// Whether that happens although it was not committed.
        var commitIsLost = false
        /// The hook after each read, but for those that it does itself.
        var afterRead: (@Sendable () -> Void)?
        /// The hook after each copy.
        var afterBackup: (@Sendable () -> Void)?
        /// The hook after each commit.
        var afterWrite: (@Sendable () -> Void)?
    }

    private let base: any RecordStorage
    private let hooks = Mutex(Hooks())

    init(_ base: any RecordStorage) { self.base = base }

    func set(_ change: (inout Hooks) -> Void) { hooks.withLock { change(&$0) } }

    func read<Result>(
        _ body: (any RecordReader) throws -> Result
    ) throws -> Result {
        let hooks = hooks.withLock { $0 }
        defer { runAfterRead() }
        return try base.read { reader in
            guard hooks.header != nil || hooks.repeatsRows || hooks.links != nil else {
                return try body(reader)
            }
            return try body(HookedReader(reader, hooks))
        }
    }

    private func runAfterRead() {
        guard let action = hooks.withLock({ $0.afterRead }) else { return }
        set { $0.afterRead = nil }
        action()
        set { $0.afterRead = action }
    }

    func write<Result>(
        _ body: (any RecordWriter) throws -> Result
    ) throws -> Result {
        let result = try base.write { writer in
            let result = try body(writer)
            if hooks.withLock({ $0.commitIsLost }) {
                throw DatabaseError.inputOutput(operation: "commit", code: 5)
            }
            return result
        }
        if hooks.withLock({ $0.commitIsDenied }) {
            throw DatabaseError.inputOutput(operation: "commit", code: 5)
        }
        hooks.withLock { $0.afterWrite }?()
        return result
    }

    func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?) {
        try base.stateAndItem(tag: tag)
    }

    func eraseOldBytes() throws -> Bool? {
        if hooks.withLock({ $0.eraseFails }) { throw DatabaseError.full }
        return try base.eraseOldBytes()
    }

    func backup(to path: String) throws {
        try base.backup(to: path)
        hooks.withLock { $0.afterBackup }?()
    }

    func followPath() throws { try base.followPath() }
    func close() { base.close() }
}

private struct HookedReader: RecordReader {
    let base: any RecordReader
    let hooks: HookedStorage.Hooks

    init(_ base: any RecordReader, _ hooks: HookedStorage.Hooks) {
        self.base = base
        self.hooks = hooks
    }

    func header() throws -> [UInt8]? { try hooks.header ?? base.header() }
    func state() throws -> [UInt8]? { try base.state() }
    func buckets() throws -> [BucketRecord] { try base.buckets() }
    func forEachLink(
        _ range: ClosedRange<UInt64>, _ body: (LinkRecord) throws -> Void
    ) throws {
        var links: [LinkRecord] = []
        try base.forEachLink(range) { links.append($0) }
        hooks.links?(&links)
        for link in links { try body(link) }
    }
    func item(tag: [UInt8]) throws -> ItemRecord? { try base.item(tag: tag) }
    func hasRow(over size: Int, in table: RecordTable) throws -> Bool {
        try base.hasRow(over: size, in: table)
    }
    func forEachItem(
        inBucket bucket: UInt8, _ body: (ItemRecord) throws -> Void
    ) throws {
        var rows: [ItemRecord] = []
        try base.forEachItem(inBucket: bucket) { rows.append($0) }
        if hooks.repeatsRows, rows.count > 1 { rows[1] = rows[0] }
        for row in rows { try body(row) }
    }
    func forEachItem(
        _ body: (ItemRecord) throws -> Void
    ) throws { try base.forEachItem(body) }
    func earlier(itemID: [UInt8], revision: UInt64) throws -> EarlierRecord? {
        try base.earlier(itemID: itemID, revision: revision)
    }
    func forEachEarlier(
        inBucket bucket: UInt8, _ body: (EarlierRecord) throws -> Void
    ) throws {
        var rows: [EarlierRecord] = []
        try base.forEachEarlier(inBucket: bucket) { rows.append($0) }
        if hooks.repeatsRows, rows.count > 1 { rows[1] = rows[0] }
        for row in rows { try body(row) }
    }
    func forEachEarlier(
        _ body: (EarlierRecord) throws -> Void
    ) throws { try base.forEachEarlier(body) }
}

import Synchronization
import TestSupport
import VaultStorage

/// All records of a vault as a value, which can be kept, shown and put back.
struct ShownRecords: Sendable {
    var header: [UInt8]?
    var state: [UInt8]?
    var buckets: [Int: [UInt8]] = [:]
    var links: [UInt64: [UInt8]] = [:]
    var items: [[UInt8]: ItemRecord] = [:]
    var earlier: [EarlierRecord] = []

    /// The same state with rows, bucket records and links of this branch and of another one, at random.
    func merged(with other: ShownRecords, _ random: inout SeededGenerator) -> ShownRecords {
        var copy = self
        func isTaken() -> Bool { random.next() % 2 == 0 }
        for (tag, item) in other.items.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
        where isTaken() { copy.items[tag] = item }
        for tag in items.keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
        where other.items[tag] == nil && isTaken() { copy.items[tag] = nil }
        for (number, bytes) in other.buckets.sorted(by: { $0.key < $1.key }) where isTaken() {
            copy.buckets[number] = bytes
        }
        for (counter, bytes) in other.links.sorted(by: { $0.key < $1.key }) where isTaken() {
            copy.links[counter] = bytes
        }
        return copy
    }
}

/// A storage in memory whose owner decides what it shows, and what becomes of a commit.
final class ShownStorage: RecordStorage {
    /// The fate of a commit.
    enum Outcome: Sendable {
        case done
        /// It is made, and reported as failed.
        case madeAndDenied
        /// It is not made, and reported as failed.
        case lost
    }

    private struct State: Sendable {
        var records = ShownRecords()
        var outcome = Outcome.done
    }

    private let state = Mutex(State())

    /// The records that are shown and changed.
    var records: ShownRecords {
        get { state.withLock { $0.records } }
        set { state.withLock { $0.records = newValue } }
    }

    /// The fate of the next commits.
    var outcome: Outcome {
        get { state.withLock { $0.outcome } }
        set { state.withLock { $0.outcome = newValue } }
    }

    func read<Result>(_ body: (any RecordReader) throws -> Result) throws -> Result {
        try body(ShownTransaction(records))
    }

    func write<Result>(_ body: (any RecordWriter) throws -> Result) throws -> Result {
        let transaction = ShownTransaction(records)
        let result = try body(transaction)
        let outcome = outcome
        if outcome != .lost { records = transaction.records }
        guard outcome == .done else { throw DatabaseError.outcomeUnknown }
        return result
    }

    func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?) {
        let records = records
        return (records.state, records.items[tag])
    }

    func eraseOldBytes() throws -> Bool? { true }
    func backup(to path: String) throws { throw DatabaseError.readOnly }
    func close() {}
}

private final class ShownTransaction: RecordWriter {
    var records: ShownRecords

    init(_ records: ShownRecords) { self.records = records }

    func header() throws -> [UInt8]? { records.header }
    func state() throws -> [UInt8]? { records.state }

    func buckets() throws -> [BucketRecord] {
        records.buckets.sorted { $0.key < $1.key }
            .map { BucketRecord(number: Int64($0.key), bytes: $0.value) }
    }

    func forEachLink(
        _ range: ClosedRange<UInt64>, _ body: (LinkRecord) throws -> Void
    ) throws {
        for (counter, bytes) in records.links.sorted(by: { $0.key < $1.key })
        where range.contains(counter) {
            try body(LinkRecord(counter: counter, bytes: bytes))
        }
    }

    func item(tag: [UInt8]) throws -> ItemRecord? { records.items[tag] }

    func forEachItem(inBucket bucket: UInt8, _ body: (ItemRecord) throws -> Void) throws {
        for item in records.items.values where item.tag.first == bucket { try body(item) }
    }

    func forEachItem(_ body: (ItemRecord) throws -> Void) throws {
        for item in records.items.values.sorted(by: {
            $0.tag.lexicographicallyPrecedes($1.tag)
        }) { try body(item) }
    }

    func putChunk(_ chunk: ChunkRecord) throws { throw DatabaseError.readOnly }
    func removeChunks(version: [UInt8], limit: Int) throws -> Int { 0 }
    func removeAllChunks() throws {}
    func earlier(itemID: [UInt8], revision: UInt64) throws -> EarlierRecord? {
        records.earlier.first { $0.itemID == itemID && $0.revision == revision }
    }

    func forEachEarlier(
        inBucket bucket: UInt8, _ body: (EarlierRecord) throws -> Void
    ) throws {
        for row in records.earlier where row.itemID.first == bucket { try body(row) }
    }

    func forEachEarlier(_ body: (EarlierRecord) throws -> Void) throws {
        for row in records.earlier.sorted(by: {
            $0.itemID == $1.itemID
                ? $0.revision < $1.revision : $0.itemID.lexicographicallyPrecedes($1.itemID)
        }) { try body(row) }
    }

    func putHeader(_ bytes: [UInt8]) throws { records.header = bytes }

    func insertState(_ bytes: [UInt8]) throws {
        guard records.state == nil else { throw DatabaseError.alreadyExists }
        records.state = bytes
    }

    func replaceState(_ old: [UInt8], with new: [UInt8]) throws -> Bool {
        guard records.state == old else { return false }
        records.state = new
        return true
    }

    func putBucket(_ number: Int, bytes: [UInt8]?) throws { records.buckets[number] = bytes }
    func putLink(_ link: LinkRecord) throws { records.links[link.counter] = link.bytes }

    func removeLinks(_ range: ClosedRange<UInt64>) throws {
        records.links = records.links.filter { !range.contains($0.key) }
    }

    func insertItem(_ item: ItemRecord) throws {
        guard records.items.updateValue(item, forKey: item.tag) == nil else {
            throw DatabaseError.alreadyExists
        }
    }

    func replaceItem(_ item: ItemRecord) throws {
        guard records.items.updateValue(item, forKey: item.tag) != nil else {
            throw DatabaseError.missing
        }
    }

    func removeItem(tag: [UInt8]) throws {
        guard records.items.removeValue(forKey: tag) != nil else { throw DatabaseError.missing }
    }

    func insertEarlier(_ row: EarlierRecord) throws {
        guard try earlier(itemID: row.itemID, revision: row.revision) == nil else {
            throw DatabaseError.alreadyExists
        }
        records.earlier.append(row)
    }

    func removeEarlier(itemID: [UInt8], revision: UInt64) throws {
        guard try earlier(itemID: itemID, revision: revision) != nil else {
            throw DatabaseError.missing
        }
        records.earlier.removeAll { $0.itemID == itemID && $0.revision == revision }
    }

    func removeAllEarlier() throws { records.earlier = [] }

    func removeAllBuckets() throws { records.buckets = [:] }
}

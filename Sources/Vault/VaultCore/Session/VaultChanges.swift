internal import Sealing
internal import SecureStorage
internal import VaultStorage

/// The changes of one transaction, and the resulting buckets and state.
///
/// Only elements of verified rows are subtracted, so a new sum never covers tampered rows.
final class VaultChanges {
    let session: VaultSession
    let writer: any RecordWriter
    private let old: VerifiedIndex
    /// The changed buckets by number.
    private var buckets = [ChangedBucket?](repeating: nil, count: Bucket.totalCount)
    /// New rows not yet written to the storage, and the total size of their blobs.
    private var pending: [ItemRecord] = []
    private var pendingSize = 0
    /// The size at which pending rows are written.
    private static let maximumPendingSize = 16_777_216
    private var newHeader: VaultHeader?
    /// The counter before these changes.
    var oldCounter: UInt64 { old.state.counter }
    /// The next state; sums, history and counter are set at the end.
    var state: VaultState
    /// The sealed values that were removed and that no row has again, by the start of their random nonces. No copy of them may stay in the
    /// storage's log.
    private var removedValues: Set<[UInt8]> = []
    private static let nonceSize = 8

    /// A bucket with changed rows.
    fileprivate struct ChangedBucket {
        var bucket: Bucket
        /// The digests of the changed rows; nil for a removed row.
        var digests: [RowKey: RowDigest?] = [:]
        /// The descriptions of new and replaced items, where the index has those of the bucket; nil for too many.
        var items: [RowKey: BucketDescriptions]? = [:]
        /// The new record; nil for an empty bucket.
        var record: [UInt8]?
    }

    /// The number of changed items of a bucket from which reading all descriptions again is faster.
    private static let mostDescribed = 64

    init(_ session: VaultSession, _ writer: any RecordWriter, _ old: VerifiedIndex) {
        self.session = session
        self.writer = writer
        self.old = old
        state = old.state
    }

    /// Reads the verified row with this tag, as this transaction sees it.
    func item(tag: [UInt8]) throws -> ItemRecord? {
        let key = RowKey(tag: tag)
        return try session.matched(try writer.item(tag: tag), key, digest: digest(of: key))
    }

    /// Reads the verified earlier row with this key, as this transaction sees it.
    func earlier(_ key: RowKey) throws -> EarlierRecord? {
        let row = try writer.earlier(itemID: key.itemID, revision: key.revision)
        return try session.matched(row, key, digest: digest(of: key))
    }

    /// Whether there is a row with this tag.
    func contains(tag: [UInt8]) throws -> Bool { try digest(of: RowKey(tag: tag)) != nil }

    /// Whether this transaction changed the row with this tag.
    func hasChanged(tag: [UInt8]) -> Bool {
        let key = RowKey(tag: tag)
        return buckets[key.bucket]?.digests[key] != nil
    }

    /// The keys of an item's earlier rows, the newest revision first.
    func earlierKeys(of itemID: [UInt8]) throws -> [RowKey] {
        let first = RowKey(itemID: itemID, revision: 0)
        try session.verifyBucket(first.bucket, writer)
        let changed = buckets[first.bucket]?.digests ?? [:]
        let known = session.index?.buckets[first.bucket]?.digests.keys.filter { changed[$0] == nil }
        let all = (known ?? []) + changed.compactMap { $1 == nil ? nil : $0 }
        return all.filter { $0.hasSameItem(as: first) }.sorted { $0.revision > $1.revision }
    }

    private func digest(of key: RowKey) throws -> RowDigest? {
        try session.verifyBucket(key.bucket, writer)
        if let changed = buckets[key.bucket]?.digests[key] { return changed }
        return session.index?.buckets[key.bucket]?.digests[key]
    }

    /// Adds a row with an unused tag.
    func insert(_ row: ItemRecord) throws {
        try session.verifyBucket(row.key.bucket, writer)
        try inserting { try writer.insertItem(row) }
        try add(row)
        try describe(row)
    }

    /// Adds a row with an unused tag in a verified bucket, for callers that do not read it again in this transaction.
    ///
    /// Such rows are written in the order of the primary key, which is faster for many rows.
    func insertLater(_ row: ItemRecord) throws {
        try add(row)
        try describe(row)
        pending.append(row)
        pendingSize += row.attributes.count + row.value.count
        if pendingSize > Self.maximumPendingSize { try insertPending() }
    }

    private func insertPending() throws {
        let rows = pending
        pending = []
        pendingSize = 0
        // Tags are hashes, so the first 8 bytes suffice to sort them.
        let order = rows.indices.map { place in (key: rows[place].key.order, place) }
        for (_, place) in order.sorted(by: { $0.key < $1.key }) {
            try inserting { try writer.insertItem(rows[place]) }
        }
    }

    /// Adds an earlier row.
    func insert(_ row: EarlierRecord) throws {
        try session.verifyBucket(row.key.bucket, writer)
        try inserting { try writer.insertEarlier(row) }
        try add(row)
    }

    /// Runs an insertion. A key conflict is damage: the verified rows do not have the key.
    private func inserting(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch DatabaseError.alreadyExists {
            throw VaultError.damaged(.bucketRows)
        }
    }

    /// Replaces a verified row by one with the same tag.
    func replace(_ old: ItemRecord, by new: ItemRecord) throws {
        precondition(old.tag == new.tag)
        try writer.replaceItem(new)
        try subtract(old)
        try add(new)
        try describe(new)
    }

    /// Removes a verified row.
    func remove(_ row: ItemRecord) throws {
        try writer.removeItem(tag: row.tag)
        try subtract(row)
    }

    /// Removes a verified earlier row.
    func remove(_ row: EarlierRecord) throws {
        try writer.removeEarlier(itemID: row.itemID, revision: row.revision)
        try subtract(row)
    }

    private func add<Row: SealedRow>(_ row: Row) throws {
        let element = try session.element(of: row)
        // A program with the keys may write any count.
        let count = bucket(row.key.bucket).bucket.count
        guard count < .max, state[countOf: Row.table] < .max else {
            throw VaultError.damaged(Row.table == .items ? .itemsCount : .earlierCount)
        }
        change(row.key) { bucket in
            bucket.sum.add(element)
            bucket.count += 1
            return RowDigest(element: element)
        }
        state[countOf: Row.table] += 1
        // A row that moves between the tables keeps its value.
        if !removedValues.isEmpty { removedValues.remove(Array(row.value.prefix(Self.nonceSize))) }
    }

    private func subtract<Row: SealedRow>(_ row: Row) throws {
        let element = try session.element(of: row)
        let count = bucket(row.key.bucket).bucket.count
        guard count > 0, state[countOf: Row.table] > 0 else {
            throw VaultError.damaged(Row.table == .items ? .itemsCount : .earlierCount)
        }
        change(row.key) { bucket in
            bucket.sum.subtract(element)
            bucket.count -= 1
            return nil
        }
        state[countOf: Row.table] -= 1
        removedValues.insert(Array(row.value.prefix(Self.nonceSize)))
    }

    /// Describes a new row, if the index has the descriptions of its bucket.
    private func describe(_ row: ItemRecord) throws {
        let key = row.key
        guard session.index?.buckets[key.bucket]?.descriptions != nil,
            let count = buckets[key.bucket]?.items?.count
        else { return }
        guard count < Self.mostDescribed else {
            buckets[key.bucket]?.items = nil
            return
        }
        buckets[key.bucket]?.items?[key] = try session.describe([row])
    }

    /// Notes that the value of a removed row is stored again under the same key, so that its old seal need not be erased.
    func keepsValue(of row: ItemRecord) {
        removedValues.remove(Array(row.value.prefix(Self.nonceSize)))
    }

    private func change(_ key: RowKey, _ body: (inout Bucket) -> RowDigest?) {
        let number = key.bucket
        var changed = bucket(number)
        // Remove the bucket from the array, so that its dictionary is changed in place.
        buckets[number] = nil
        changed.digests[key] = .some(body(&changed.bucket))
        buckets[number] = changed
    }

    private func bucket(_ number: Int) -> ChangedBucket {
        buckets[number] ?? ChangedBucket(bucket: session.index?.buckets[number]?.bucket ?? Bucket())
    }

    /// Replaces the header; `finish()` seals the state for it.
    func put(_ header: VaultHeader) throws {
        try writer.putHeader(header.bytes)
        newHeader = header
    }

    /// Writes buckets, link and state.
    ///
    /// - Returns: The verified state after the commit.
    func finish() throws -> Outcome {
        try insertPending()
        for number in buckets.indices where buckets[number] != nil {
            if let previous = old.bucketRecords[number] {
                state.bucketsSum.subtract(element(number, previous))
            }
            if let bucket = buckets[number]?.bucket, bucket.count > 0 {
                let sealed = bucket.sealed(
                    number: number, under: session.keys.state, vaultID: session.header.vaultID,
                    random: session.environment.random)
                state.bucketsSum.add(element(number, sealed))
                buckets[number]?.record = sealed
            }
            try writer.putBucket(number, bytes: buckets[number]?.record)
        }
        let header = newHeader ?? session.header
        try session.advance(&state, from: old.state.counter, writer)
        let stateRecord = state.sealed(
            under: session.keys.state, session.identity(of: header),
            random: session.environment.random)
        let isReplaced = try writer.replaceState(old.stateRecord, with: stateRecord)
        guard isReplaced else { throw VaultError.conflict }
        return Outcome(
            header: header, seen: SeenState(header, state, record: stateRecord),
            erasesValues: !removedValues.isEmpty, buckets: buckets)
    }

    private func element(_ number: Int, _ record: [UInt8]) -> [UInt8] {
        IntegrityElement.bucket(number: number, record: record, under: session.keys.rowHash)
    }

    /// The changes of a committed transaction.
    struct Outcome {
        let header: VaultHeader
        let seen: SeenState
        /// Whether a sealed value is in no row any more.
        let erasesValues: Bool
        fileprivate let buckets: [ChangedBucket?]

        /// Updates the verified index to the commit.
        func apply(to index: inout VerifiedIndex) {
            index.stateRecord = seen.record
            index.state = seen.state
            for (number, changed) in buckets.enumerated() {
                guard let changed else { continue }
                index.order = nil
                index.bucketRecords[number] = changed.record
                index.buckets[number]?.apply(changed.bucket, changed.digests, changed.items)
            }
        }
    }
}

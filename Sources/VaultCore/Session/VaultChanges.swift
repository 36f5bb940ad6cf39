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
    private var buckets: [UInt8: Bucket] = [:]
    private var digests: [ItemTag: RowDigest?] = [:]
    private var itemCount: UInt64
    private var newHeader: VaultHeader?
    /// The next state; sums and counter are set at the end.
    var state: VaultState

    init(_ session: VaultSession, _ writer: any RecordWriter, _ old: VerifiedIndex) {
        self.session = session
        self.writer = writer
        self.old = old
        itemCount = old.state.itemCount
        state = old.state
    }

    /// The verified row with this tag, as this transaction sees it.
    func item(tag: [UInt8]) throws -> ItemRecord? {
        try session.verifyBucket(tag[0], writer)
        if let changed = digests[ItemTag(tag)], changed == nil { return nil }
        precondition(digests[ItemTag(tag)] == nil, "a row is read before it is changed")
        let row = try writer.item(tag: tag)
        return try session.matched(row, tag: tag)
    }

    /// Whether there is a row with this tag.
    func contains(tag: [UInt8]) throws -> Bool {
        try session.verifyBucket(tag[0], writer)
        if let changed = digests[ItemTag(tag)] { return changed != nil }
        return session.index?.buckets[Int(tag[0])]?.digests[ItemTag(tag)] != nil
    }

    /// Whether this transaction changed the row with this tag.
    func hasChanged(tag: [UInt8]) -> Bool { digests[ItemTag(tag)] != nil }

    /// Adds a row with an unused tag.
    func insert(_ row: ItemRecord) throws {
        try session.verifyBucket(row.tag[0], writer)
        do {
            try writer.insertItem(row)
        } catch DatabaseError.alreadyExists {
            // According to the verified rows, the tag is free.
            throw VaultError.damaged(.bucketRows)
        }
        try add(row)
    }

    /// Replaces a verified row by one with the same tag.
    func replace(_ old: ItemRecord, by new: ItemRecord) throws {
        precondition(old.tag == new.tag)
        try writer.replaceItem(new)
        try subtract(old)
        try add(new)
    }

    /// Removes a verified row.
    func remove(_ row: ItemRecord) throws {
        try writer.removeItem(tag: row.tag)
        try subtract(row)
    }

    /// Replaces the header; the state is sealed for it at the end.
    func put(_ header: VaultHeader) throws {
        try writer.putHeader(header.bytes)
        newHeader = header
    }

    private func add(_ row: ItemRecord) throws {
        let element = try session.element(of: row)
        var bucket = bucket(row.tag[0])
        bucket.sum.add(element)
        bucket.count += 1
        itemCount += 1
        buckets[row.tag[0]] = bucket
        digests[ItemTag(row.tag)] = .some(RowDigest(element: element))
    }

    private func subtract(_ row: ItemRecord) throws {
        var bucket = bucket(row.tag[0])
        bucket.sum.subtract(try session.element(of: row))
        guard bucket.count > 0, itemCount > 0 else { throw VaultError.damaged(.itemsCount) }
        bucket.count -= 1
        itemCount -= 1
        buckets[row.tag[0]] = bucket
        digests[ItemTag(row.tag)] = .some(nil)
    }

    private func bucket(_ number: UInt8) -> Bucket {
        buckets[number] ?? session.index?.buckets[Int(number)]?.bucket ?? Bucket()
    }

    /// Writes buckets and state.
    ///
    /// - Returns: The verified state after the commit.
    func finish() throws -> Outcome {
        var records: [UInt8: [UInt8]?] = [:]
        state.itemCount = itemCount
        guard old.state.counter < .max else { throw VaultError.countedToTheEnd }
        state.counter = max(state.counter, old.state.counter + 1)
        for (number, bucket) in buckets {
            if let previous = old.bucketRecords[Int(number)] {
                state.bucketsSum.subtract(element(number, previous))
            }
            var record: [UInt8]?
            if bucket.count > 0 {
                let sealed = bucket.sealed(
                    number: number, under: session.keys.state, vaultID: session.header.vaultID,
                    random: session.environment.random)
                state.bucketsSum.add(element(number, sealed))
                record = sealed
            }
            records[number] = .some(record)
            try writer.putBucket(number, bytes: record)
        }
        let header = newHeader ?? session.header
        let stateRecord = state.sealed(
            under: session.keys.state, HeaderIdentity(header), random: session.environment.random)
        let isReplaced = try writer.replaceState(old.stateRecord, with: stateRecord)
        guard isReplaced else { throw VaultError.conflict }
        return Outcome(
            header: header, stateRecord: stateRecord, state: state, records: records,
            buckets: buckets, digests: digests)
    }

    private func element(_ number: UInt8, _ record: [UInt8]) -> [UInt8] {
        IntegrityElement.bucket(number: number, record: record, under: session.keys.rowHash)
    }

    /// The changes of a committed transaction.
    struct Outcome {
        let header: VaultHeader
        let stateRecord: [UInt8]
        let state: VaultState
        fileprivate let records: [UInt8: [UInt8]?]
        fileprivate let buckets: [UInt8: Bucket]
        fileprivate let digests: [ItemTag: RowDigest?]

        /// Updates the verified index to the commit.
        func apply(to index: inout VerifiedIndex) {
            index.stateRecord = stateRecord
            index.state = state
            for (number, record) in records { index.bucketRecords[Int(number)] = record }
            for (number, bucket) in buckets { index.buckets[Int(number)]?.bucket = bucket }
            for (tag, digest) in digests {
                index.buckets[Int(tag.firstByte)]?.digests[tag] = digest
            }
        }
    }
}

internal import Sealing
internal import VaultStorage

extension VaultSession {
    /// Makes sure that the rows of a bucket were verified in this snapshot's state.
    ///
    /// `visit` gets each row after all of them were verified; on the first time the value is left out.
    func verifyBucket(
        _ number: UInt8, _ reader: any RecordReader,
        visit: ((ItemRecord) throws(VaultError) -> Void)? = nil
    ) throws(VaultError) {
        if let verified = index?.buckets[Int(number)] {
            if let visit { try self.visit(number, verified, reader, visit) }
            return
        }
        var expected = Bucket()
        if let record = index?.bucketRecords[Int(number)] {
            expected = try Bucket.open(
                record, number: number, under: keys.state, vaultID: header.vaultID)
        }
        var verified = VerifiedBucket()
        var rows: [ItemRecord] = []
        try forEachItem(in: number, reader) { (row) throws(VaultError) in
            let element = try element(of: row)
            verified.bucket.sum.add(element)
            verified.bucket.count += 1
            verified.digests[ItemTag(row.tag)] = RowDigest(element: element)
            if visit != nil {
                var description = row
                description.value = []
                rows.append(description)
            }
        }
        guard verified.bucket == expected else { throw .damaged(.bucketRows) }
        index?.buckets[Int(number)] = verified
        if let visit {
            for row in rows { try visit(row) }
        }
    }

    /// Visits the rows of a bucket that was verified before: each must still be the one that was.
    private func visit(
        _ number: UInt8, _ verified: VerifiedBucket, _ reader: any RecordReader,
        _ visit: (ItemRecord) throws(VaultError) -> Void
    ) throws(VaultError) {
        var count: UInt64 = 0
        try forEachItem(in: number, reader) { (row) throws(VaultError) in
            guard try verified.digests[Self.tag(of: row)] == RowDigest(element: element(of: row))
            else { throw .damaged(.bucketRows) }
            count += 1
            try visit(row)
        }
        guard count == verified.bucket.count else { throw .damaged(.bucketRows) }
    }

    /// Verifies every bucket, and that the buckets are the whole; `visit` gets each row, by tag.
    func verifyAll(
        _ reader: any RecordReader, visit: ((ItemRecord) throws(VaultError) -> Void)? = nil
    ) throws(VaultError) {
        try checkSizes(reader)
        for number in UInt8.min...UInt8.max {
            try verifyBucket(number, reader, visit: visit)
        }
        let total = index?.buckets.reduce(UInt64(0)) { $0 &+ ($1?.bucket.count ?? 0) }
        guard total == index?.state.itemCount else { throw .damaged(.itemsCount) }
    }

    /// Refuses rows that are larger than any sound one before the rest is looked at: they cost time and memory at each step.
    func checkSizes(_ reader: any RecordReader) throws(VaultError) {
        let isTooLarge: Bool
        do {
            isTooLarge = try reader.hasItem(over: Self.largestBlob)
        } catch {
            throw VaultError(translating: error)
        }
        guard !isTooLarge else { throw .damaged(.rowShape) }
    }

    /// A row that was verified, or nil if it is certain that there is none.
    ///
    /// ``index`` must belong to the snapshot that `row` is from.
    func matched(_ row: ItemRecord?, tag: [UInt8]) throws(VaultError) -> ItemRecord? {
        let digest = index?.buckets[Int(tag[0])]?.digests[ItemTag(tag)]
        switch (row, digest) {
        case (nil, nil):
            return nil
        case (let row?, let digest?):
            guard row.tag == tag, RowDigest(element: try element(of: row)) == digest else {
                throw .damaged(.bucketRows)
            }
            return row
        default:
            throw .damaged(.bucketRows)
        }
    }

    /// The element of a row whose shape is sound.
    func element(of row: ItemRecord) throws(VaultError) -> [UInt8] {
        _ = try Self.tag(of: row)
        return IntegrityElement.row(row, under: keys.rowHash)
    }

    /// The largest blob of a row, in bytes: far above what a sound row has.
    private static var largestBlob: Int { 4 * 1_024 * 1_024 }

    /// Checks a row's columns, before any key is used.
    private static func tag(of row: ItemRecord) throws(VaultError) -> ItemTag {
        guard row.tag.count == 32, row.itemID.count == 16, (1...2).contains(row.accessClass),
            row.revision > 0, row.revision <= UInt64(Int64.max),
            row.attributes.count <= largestBlob, row.value.count <= largestBlob
        else { throw .damaged(.rowShape) }
        guard row.format == SealContext.recordFormat else { throw .damaged(.rowFormat) }
        return ItemTag(row.tag)
    }

    private func forEachItem(
        in number: UInt8, _ reader: any RecordReader,
        _ body: (ItemRecord) throws(VaultError) -> Void
    ) throws(VaultError) {
        do {
            try reader.forEachItem(inBucket: number) { try body($0) }
        } catch {
            throw VaultError(translating: error)
        }
    }
}

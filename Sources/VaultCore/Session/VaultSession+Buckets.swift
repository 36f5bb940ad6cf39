internal import Sealing
internal import VaultStorage

extension VaultSession {
    /// Verifies the rows of a bucket in this snapshot's state, unless they are verified already.
    ///
    /// `visit` gets each row after all rows are verified; the first verification omits the values.
    func verifyBucket(
        _ number: UInt8, _ reader: any RecordReader,
        visit: ((ItemRecord) throws -> Void)? = nil
    ) throws {
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
        try reader.forEachItem(inBucket: number) { row in
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
        guard verified.bucket == expected else { throw VaultError.damaged(.bucketRows) }
        index?.buckets[Int(number)] = verified
        if let visit {
            for row in rows { try visit(row) }
        }
    }

    /// Visits the rows of a verified bucket: each must be unchanged since then.
    private func visit(
        _ number: UInt8, _ verified: VerifiedBucket, _ reader: any RecordReader,
        _ visit: (ItemRecord) throws -> Void
    ) throws {
        // A repeated row could stand in for a missing one: the storage may give the rows in any order.
        var seen = Set<ItemTag>()
        try reader.forEachItem(inBucket: number) { row in
            let tag = try Self.tag(of: row)
            guard seen.insert(tag).inserted,
                try verified.digests[tag] == RowDigest(element: element(of: row))
            else { throw VaultError.damaged(.bucketRows) }
            try visit(row)
        }
        guard seen.count == verified.bucket.count else { throw VaultError.damaged(.bucketRows) }
    }

    /// Verifies every bucket and the sum of all buckets; `visit` gets each row once.
    func verifyAll(
        _ reader: any RecordReader, visit: ((ItemRecord) throws -> Void)? = nil
    ) throws {
        try checkSizes(reader)
        for number in UInt8.min...UInt8.max {
            try verifyBucket(number, reader, visit: visit)
        }
        let total = index?.buckets.reduce(UInt64(0)) { $0 &+ ($1?.bucket.count ?? 0) }
        guard total == index?.state.itemCount else { throw VaultError.damaged(.itemsCount) }
    }

    /// Refuses oversized rows before any other check, because they cost time and memory at each step.
    func checkSizes(_ reader: any RecordReader) throws {
        guard try !reader.hasItem(over: Self.largestBlob) else {
            throw VaultError.damaged(.rowShape)
        }
    }

    /// A verified row, or nil if the vault verifiably has none.
    ///
    /// ``index`` must belong to the snapshot of `row`.
    func matched(_ row: ItemRecord?, tag: [UInt8]) throws -> ItemRecord? {
        let digest = index?.buckets[Int(tag[0])]?.digests[ItemTag(tag)]
        switch (row, digest) {
        case (nil, nil):
            return nil
        case (let row?, let digest?):
            guard row.tag == tag, RowDigest(element: try element(of: row)) == digest else {
                throw VaultError.damaged(.bucketRows)
            }
            return row
        default:
            throw VaultError.damaged(.bucketRows)
        }
    }

    /// The element of a row of valid shape.
    func element(of row: ItemRecord) throws -> [UInt8] {
        _ = try Self.tag(of: row)
        return IntegrityElement.row(row, under: keys.rowHash)
    }

    /// The largest blob of a row, in bytes: far above the size in any valid row.
    private static var largestBlob: Int { 4 * 1_024 * 1_024 }

    /// Checks a row's columns before using any key.
    private static func tag(of row: ItemRecord) throws -> ItemTag {
        guard row.tag.count == 32, row.itemID.count == 16, (1...2).contains(row.accessClass),
            row.revision > 0, row.revision <= UInt64(Int64.max),
            row.attributes.count <= largestBlob, row.value.count <= largestBlob
        else { throw VaultError.damaged(.rowShape) }
        guard row.format == SealContext.recordFormat else { throw VaultError.damaged(.rowFormat) }
        return ItemTag(row.tag)
    }
}

internal import Sealing
internal import VaultStorage

extension VaultSession {
    /// Verifies the rows of a bucket in this snapshot, unless they are verified already.
    func verifyBucket(_ number: Int, _ reader: any RecordReader) throws {
        if ItemRecord.buckets.contains(number) {
            try verifyBucket(number, reader, visit: Optional<(ItemRecord) throws -> Void>.none)
        } else {
            try verifyBucket(number, reader, visit: Optional<(EarlierRecord) throws -> Void>.none)
        }
    }

    /// As ``verifyBucket(_:_:)``, with a visitor.
    ///
    /// `visit` gets each row after all rows are verified. During the first verification, the rows come without their values.
    func verifyBucket<Row: SealedRow>(
        _ number: Int, _ reader: any RecordReader, visit: ((Row) throws -> Void)?
    ) throws {
        if let visit, let verified = index?.buckets[number] {
            return try self.visit(number, verified, reader, visit)
        }
        guard index?.buckets[number] == nil else { return }
        let rows: [Row] = try verifyRows(number, reader, keeping: visit != nil)
        if let visit {
            for row in rows { try visit(row) }
        }
    }

    /// Verifies the rows of a bucket for the first time.
    ///
    /// - Returns: The rows, without their values, if `isKeeping`.
    func verifyRows<Row: SealedRow>(
        _ number: Int, _ reader: any RecordReader, keeping isKeeping: Bool
    ) throws -> [Row] {
        var expected = Bucket()
        if let record = index?.bucketRecords[number] {
            expected = try Bucket.open(
                record, number: number, under: keys.state, vaultID: header.vaultID)
        }
        var verified = VerifiedBucket(number: number)
        // The count is authentic, but a bucket may lack rows.
        verified.digests.reserveCapacity(Int(min(expected.count, 4_096)))
        var rows: [Row] = []
        if isKeeping { rows.reserveCapacity(Int(min(expected.count, 4_096))) }
        try Row.forEach(inBucket: number, reader) { row in
            let element = try element(of: row)
            verified.bucket.sum.add(element)
            verified.bucket.count += 1
            guard verified.digests.insert(RowDigest(element: element), for: row.key) else {
                throw VaultError.damaged(.rowShape)
            }
            if isKeeping {
                rows.append(row)
                rows[rows.count - 1].value = []
            }
        }
        guard verified.bucket == expected else { throw VaultError.damaged(.bucketRows) }
        index?.buckets[number] = verified
        return rows
    }

    /// Visits the rows of a verified bucket, and checks that each is unchanged.
    private func visit<Row: SealedRow>(
        _ number: Int, _ verified: VerifiedBucket, _ reader: any RecordReader,
        _ visit: (Row) throws -> Void
    ) throws {
        // A repeated row could hide a missing one: the order of the storage is not trusted.
        var seen = Set<RowKey>()
        try Row.forEach(inBucket: number, reader) { row in
            let digest = RowDigest(element: try element(of: row))
            guard seen.insert(row.key).inserted else { throw VaultError.damaged(.rowShape) }
            guard verified.digests[row.key] == digest else {
                throw VaultError.damaged(.bucketRows)
            }
            try visit(row)
        }
        guard seen.count == verified.bucket.count else { throw VaultError.damaged(.bucketRows) }
    }

    /// Verifies every bucket of a table and the sum of all bucket records; `visit` gets each row once.
    func verifyAll<Row: SealedRow>(
        _ type: Row.Type, _ reader: any RecordReader, visit: ((Row) throws -> Void)? = nil
    ) throws {
        try checkSizes(type, reader)
        for number in Row.buckets {
            try verifyBucket(number, reader, visit: visit)
        }
        try checkCount(of: type)
    }

    /// Compares the number of rows of a table, after all its buckets are verified, with the state.
    func checkCount<Row: SealedRow>(of _: Row.Type) throws {
        let total = Row.buckets.reduce(UInt64(0)) {
            $0 &+ (index?.buckets[$1]?.bucket.count ?? 0)
        }
        guard total == index?.state[countOf: Row.table] else {
            throw VaultError.damaged(Row.table == .items ? .itemsCount : .earlierCount)
        }
    }

    /// Verifies both tables.
    func verifyEverything(_ reader: any RecordReader) throws {
        try verifyAll(ItemRecord.self, reader)
        try verifyAll(EarlierRecord.self, reader)
    }

    /// Rejects oversized rows before any other check, because each check costs time and memory.
    func checkSizes<Row: SealedRow>(_: Row.Type, _ reader: any RecordReader) throws {
        guard try !reader.hasRow(over: Self.largestBlob, in: Row.table) else {
            throw VaultError.damaged(.rowShape)
        }
    }

    /// Returns a verified row, or nil if the vault provably has none.
    ///
    /// ``index`` must belong to the snapshot of `row`.
    func matched<Row: SealedRow>(_ row: Row?, _ key: RowKey) throws -> Row? {
        try matched(row, key, digest: index?.buckets[key.bucket]?.digests[key])
    }

    /// Returns a row that matches a verified digest, or nil if both are missing.
    func matched<Row: SealedRow>(_ row: Row?, _ key: RowKey, digest: RowDigest?) throws -> Row? {
        switch (row, digest) {
        case (nil, nil):
            return nil
        case (let row?, let digest?):
            let element = try element(of: row)
            guard row.key == key, RowDigest(element: element) == digest else {
                throw VaultError.damaged(.bucketRows)
            }
            return row
        default:
            throw VaultError.damaged(.bucketRows)
        }
    }

    /// The element of a row. Checks the columns before any key is used.
    func element(of row: some SealedRow) throws -> [UInt8] {
        guard row.hasOwnShape, row.itemID.count == 16, (1...2).contains(row.accessClass),
            row.revision > 0, row.revision <= UInt64(Int64.max),
            row.attributes.count <= Self.largestBlob, row.value.count <= Self.largestBlob
        else { throw VaultError.damaged(.rowShape) }
        guard row.format == SealContext.recordFormat else { throw VaultError.damaged(.rowFormat) }
        return row.element(under: keys.rowHash)
    }

    /// The maximum size of a row's blob, in bytes: far above the size in any valid row.
    private static var largestBlob: Int { 4 * 1_024 * 1_024 }
}

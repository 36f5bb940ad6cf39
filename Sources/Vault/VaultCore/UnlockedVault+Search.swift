public import SecureStorage
internal import VaultStorage

extension UnlockedVault {
    /// Searches for entries; see ``SecureStore/find(_:limit:)``.
    ///
    /// The first list or search of a session reads the descriptions of all secrets. Later ones read only buckets that other processes changed.
    public func find(
        _ search: SecretSearch, limit: Int
    ) throws(SecureStoreError) -> [SecretItem] {
        try run { session in
            try session.read { reader in try session.find(search, limit: limit, reader) }
        }
    }

    /// Describes all secrets of every class in one snapshot; see ``SecureStore/list()``.
    public func list() throws(SecureStoreError) -> [SecretItem] {
        try run { session in
            try session.read { reader in
                try session.order(reader).map { session.descriptions(at: $0) { $0.item($1) } }
            }
        }
    }

    /// As ``list()``, for the agent, which sends the encoded descriptions.
    ///
    /// - Parameter body: Gets each encoded description, ordered by name. It must not call the vault.
    /// - Throws: As ``list()``.
    package func forEachEncoded(_ body: (RawSpan) -> Void) throws(SecureStoreError) {
        try run { session in
            // The compiler treats an optional closure as escaping; this one does not escape.
            try withoutActuallyEscaping(body) { body in
                try session.read { reader in
                    for place in try session.order(reader) {
                        session.descriptions(at: place) { $0.withEncoded($1, body) }
                    }
                }
            }
        }
    }
}

extension VaultSession {
    fileprivate func find(
        _ search: SecretSearch, limit: Int, _ reader: any RecordReader
    ) throws -> [SecretItem] {
        try describeAll(reader)
        let key = search.key
        let entries = entries(of: search, limit: limit)
        var items: [SecretItem] = []
        for number in ItemRecord.buckets {
            let descriptions = descriptions(number)
            items += descriptions.rows(of: entries).map { descriptions.item($0) }
        }
        items.sort { $0.name < $1.name }
        // Another entry may have the same hash, and exact names are compared by bytes.
        let found = SecretEntry.entries(of: items).lazy.filter { entry in
            entry.fields.contains { search.finds($0, key) }
        }
        return found.prefix(limit).flatMap { $0.fields.sorted { $0.name < $1.name } }
    }

    /// The hashes of the entries that may match a search.
    private func entries(of search: SecretSearch, limit: Int) -> Set<UInt32> {
        if case .entry(let service, let account) = search {
            return [BucketDescriptions.entry(service: service, account: account)]
        }
        guard let key = search.key else { return [] }
        var entries: Set<UInt32> = []
        for number in ItemRecord.buckets {
            let descriptions = descriptions(number)
            if case .part = search {
                descriptions.find(part: key, adding: &entries, limit: limit)
            } else {
                descriptions.find(whole: key, adding: &entries)
            }
        }
        return entries
    }

    /// The positions of all items, ordered by name.
    fileprivate func order(_ reader: any RecordReader) throws -> [DescriptionPosition] {
        try describeAll(reader)
        if let order = index?.order { return order }
        var named: [(name: SecretName, place: DescriptionPosition)] = []
        for bucket in ItemRecord.buckets {
            let descriptions = descriptions(bucket)
            for row in 0..<descriptions.count {
                let place = DescriptionPosition(bucket: UInt32(bucket), row: UInt32(row))
                named.append((descriptions.name(row), place))
            }
        }
        let order = named.sorted { $0.name < $1.name }.map(\.place)
        index?.order = order
        return order
    }

    /// Calls `body` with the descriptions and the row of a position.
    fileprivate func descriptions<Result>(
        at place: DescriptionPosition, _ body: (BucketDescriptions, Int) throws -> Result
    ) rethrows -> Result {
        try body(descriptions(Int(place.bucket)), Int(place.row))
    }

    /// The descriptions of a bucket, after ``describeAll(_:)``.
    func descriptions(_ bucket: Int) -> BucketDescriptions {
        index?.buckets[bucket]?.descriptions ?? BucketDescriptions()
    }

    /// Reads the descriptions that are not known yet, or that a change did not bring up to date.
    func describeAll(_ reader: any RecordReader) throws {
        let missing = ItemRecord.buckets.filter { index?.buckets[$0]?.descriptions == nil }
        if missing.count == ItemRecord.buckets.count { try checkSizes(ItemRecord.self, reader) }
        let work = DescriptionWork(
            self, rows: missing.isEmpty ? 0 : index?.state[countOf: .items] ?? 0)
        defer { work.end() }
        for number in missing {
            do {
                work.add(try rowsToDescribe(number, reader), of: number)
            } catch {
                // Earlier buckets come first.
                _ = try work.finish()
                throw error
            }
        }
        for (number, descriptions) in try work.finish() {
            index?.buckets[number]?.descriptions = descriptions
        }
        if !missing.isEmpty { try checkCount(of: ItemRecord.self) }
    }

    /// The verified rows of a bucket, without their values.
    private func rowsToDescribe(_ number: Int, _ reader: any RecordReader) throws -> [ItemRecord] {
        if index?.buckets[number] == nil {
            return try verifyRows(number, reader, keeping: true)
        }
        var rows: [ItemRecord] = []
        try verifyBucket(number, reader) { (row: ItemRecord) in
            rows.append(row)
            rows[rows.count - 1].value = []
        }
        return rows
    }
}

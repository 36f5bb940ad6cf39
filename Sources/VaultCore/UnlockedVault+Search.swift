public import SecureStorage
internal import VaultStorage

extension UnlockedVault {
    /// Searches for entries; see ``SecureStore/find(_:limit:)``.
    ///
    /// The first search of a session reads the descriptions of all secrets. Later ones read again only buckets that were changed.
    public func find(
        _ search: SecretSearch, limit: Int
    ) throws(SecureStoreError) -> [SecretItem] {
        try run { session in
            try session.read { reader in try session.find(search, limit: limit, reader) }
        }
    }
}

extension VaultSession {
    fileprivate func find(
        _ search: SecretSearch, limit: Int, _ reader: any RecordReader
    ) throws -> [SecretItem] {
        try readWords(reader)
        let key = search.key
        let entries = entries(of: search, limit: limit)
        var items: [SecretItem] = []
        for number in ItemRecord.buckets {
            let keys = index?.buckets[number]?.words?.keys(of: entries) ?? []
            if !keys.isEmpty { items += try describe(keys, ofBucket: number, reader) }
        }
        items.sort { $0.name < $1.name }
        // Another entry may have the same hash, and exact names have the same bytes.
        let found = SecretEntry.entries(of: items).lazy.filter { entry in
            entry.fields.contains { search.finds($0, key) }
        }
        return found.prefix(limit).flatMap { $0.fields.sorted { $0.name < $1.name } }
    }

    /// The hashes of the entries that a search may find.
    private func entries(of search: SecretSearch, limit: Int) -> Set<Int> {
        if case .entry(let service, let account) = search {
            return [SearchedWords.entry(service: service, account: account)]
        }
        guard let key = search.key else { return [] }
        var isWhole = true
        if case .part = search { isWhole = false }
        var entries: Set<Int> = []
        for number in ItemRecord.buckets {
            index?.buckets[number]?.words?.find(
                key, isWhole: isWhole, adding: &entries, limit: isWhole ? .max : limit)
        }
        return entries
    }

    /// Reads the searched texts of the buckets that were changed since the last search.
    private func readWords(_ reader: any RecordReader) throws {
        for number in ItemRecord.buckets where index?.buckets[number]?.words == nil {
            var words = SearchedWords()
            try verifyBucket(number, reader) { (row: ItemRecord) in
                words.add(try Self.item(row, self.open(row)), row.key)
            }
            index?.buckets[number]?.words = words
        }
    }

    /// Describes some items of a verified bucket: one by one, or if they are many, in one pass over the bucket.
    private func describe(
        _ keys: [RowKey], ofBucket number: Int, _ reader: any RecordReader
    ) throws -> [SecretItem] {
        var items: [SecretItem] = []
        guard keys.count * 8 < (index?.buckets[number]?.words?.count ?? 0) else {
            let wanted = Set(keys)
            try verifyBucket(number, reader) { (row: ItemRecord) in
                if wanted.contains(row.key) { items.append(try Self.item(row, self.open(row))) }
            }
            return items
        }
        for key in keys {
            guard let row = try matched(reader.item(tag: key.tag), key) else {
                throw VaultError.damaged(.bucketRows)
            }
            items.append(try Self.item(row, open(row)))
        }
        return items
    }
}

/// Reads inside one transaction.
class PostgreSQLRecordReader: RecordReader {
    private let transaction: PostgreSQLTransaction<PostgreSQLVaultSchema>

    init(_ transaction: PostgreSQLTransaction<PostgreSQLVaultSchema>) {
        self.transaction = transaction
    }

    /// Runs one call, if the transaction still stands.
    final func call<Value>(
        _ body: (PostgreSQLVault) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try transaction.call(body)
    }

    func header() throws(DatabaseError) -> [UInt8]? {
        try call { (vault) throws(DatabaseError) in try vault.header() }
    }

    func state() throws(DatabaseError) -> [UInt8]? {
        try call { (vault) throws(DatabaseError) in try vault.state() }
    }

    func buckets() throws(DatabaseError) -> [BucketRecord] {
        try call { (vault) throws(DatabaseError) in try vault.buckets() }
    }

    func item(tag: [UInt8]) throws(DatabaseError) -> ItemRecord? {
        try call { (vault) throws(DatabaseError) in try vault.item(tag: tag) }
    }

    func hasItem(over size: Int) throws(DatabaseError) -> Bool {
        try call { (vault) throws(DatabaseError) in try vault.hasItem(over: size) }
    }

    func forEachItem<Failure: Error>(
        inBucket bucket: UInt8, _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) {
        // No bytes of one byte end the last bucket. A row whose tag is empty belongs to the first one, so that the vault meets it.
        try forEachItem(
            from: bucket == 0 ? [] : [bucket], to: bucket == 255 ? nil : [bucket + 1], body)
    }

    func forEachItem<Failure: Error>(
        _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) {
        try forEachItem(from: [], to: nil, body)
    }

    /// Page by page, because a connection does one thing at a time and `body` may ask for more.
    private func forEachItem<Failure: Error>(
        from start: [UInt8], to end: [UInt8]?, _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) {
        var start = start
        var count = 32
        while true {
            let page = try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
                try self.page(from: start, to: end, count: count)
            }
            for item in page {
                do {
                    try body(item)
                } catch {
                    throw .body(error)
                }
            }
            guard page.count == count, let last = page.last else { return }
            // What comes right after it in the order of bytes.
            start = last.tag + [0]
            let size = page.reduce(0) { $0 + $1.attributes.count + $1.value.count }
            count = min(2_048, max(16, count * 2_097_152 / max(size, 1)))
        }
    }

    /// One page; the order is made sure of, as a server that repeats itself would keep the caller for ever.
    private func page(
        from start: [UInt8], to end: [UInt8]?, count: Int
    ) throws(DatabaseError) -> [ItemRecord] {
        try call { (vault) throws(DatabaseError) in
            let page = try vault.items(from: start, to: end, count: count)
            var tags = page.map(\.tag)[...]
            let isAscending = zip(tags, tags.dropFirst()).allSatisfy {
                $0.lexicographicallyPrecedes($1)
            }
            guard page.count <= count, isAscending,
                tags.popFirst().map({ !$0.lexicographicallyPrecedes(start) }) ?? true
            else { throw .damaged(reason: "rows are not in the order of their tags") }
            return page
        }
    }
}

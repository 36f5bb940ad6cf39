/// Reads and changes a copy of the records of a ``MemoryRecordStorage``.
final class MemoryRecordWriter: RecordWriter {
    private(set) var contents: MemoryContents
    private var hasEnded = false

    init(_ contents: MemoryContents) {
        self.contents = contents
    }

    /// Ends the loan: whoever kept the writer has nothing from it.
    func end() {
        hasEnded = true
    }

    private func requireLoan() throws(DatabaseError) {
        if hasEnded { throw .closed }
    }

    func header() throws(DatabaseError) -> [UInt8]? {
        try requireLoan()
        return contents.header
    }

    func state() throws(DatabaseError) -> [UInt8]? {
        try requireLoan()
        return contents.state
    }

    func buckets() throws(DatabaseError) -> [BucketRecord] {
        try requireLoan()
        return contents.buckets.sorted { $0.key < $1.key }
            .map { BucketRecord(number: Int64($0.key), bytes: $0.value) }
    }

    func item(tag: [UInt8]) throws(DatabaseError) -> ItemRecord? {
        try requireLoan()
        return contents.items[tag]
    }

    func forEachItem<Failure: Error>(
        inBucket bucket: UInt8, _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) {
        if hasEnded { throw .storage(.closed) }
        for item in contents.sortedItems where (item.tag.first ?? 0) == bucket {
            try Self.run(body, item)
        }
    }

    func forEachItem<Failure: Error>(
        _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) {
        if hasEnded { throw .storage(.closed) }
        for item in contents.sortedItems { try Self.run(body, item) }
    }

    private static func run<Failure: Error>(
        _ body: (ItemRecord) throws(Failure) -> Void, _ item: ItemRecord
    ) throws(StorageFailure<Failure>) {
        do {
            try body(item)
        } catch {
            throw .body(error)
        }
    }

    func putHeader(_ bytes: [UInt8]) throws(DatabaseError) {
        try requireLoan()
        contents.header = bytes
    }

    func insertState(_ bytes: [UInt8]) throws(DatabaseError) {
        try requireLoan()
        guard contents.state == nil else { throw .alreadyExists }
        contents.state = bytes
    }

    func replaceState(_ old: [UInt8], with new: [UInt8]) throws(DatabaseError) -> Bool {
        try requireLoan()
        guard contents.state == old else { return false }
        contents.state = new
        return true
    }

    func putBucket(_ number: UInt8, bytes: [UInt8]?) throws(DatabaseError) {
        try requireLoan()
        contents.buckets[number] = bytes
    }

    func insertItem(_ item: ItemRecord) throws(DatabaseError) {
        try requireLoan()
        _ = try item.storedRevision()
        guard contents.items[item.tag] == nil else { throw .alreadyExists }
        contents.items[item.tag] = item
    }

    func replaceItem(_ item: ItemRecord) throws(DatabaseError) {
        try requireLoan()
        _ = try item.storedRevision()
        guard contents.items[item.tag] != nil else { throw .missing }
        contents.items[item.tag] = item
    }

    func removeItem(tag: [UInt8]) throws(DatabaseError) {
        try requireLoan()
        guard contents.items.removeValue(forKey: tag) != nil else { throw .missing }
    }

    func removeAllBuckets() throws(DatabaseError) {
        try requireLoan()
        contents.buckets = [:]
    }
}

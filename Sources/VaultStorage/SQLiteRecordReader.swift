/// Reads inside one transaction.
class SQLiteRecordReader: RecordReader {
    let transaction: DatabaseTransaction<VaultSchema>

    init(_ transaction: DatabaseTransaction<VaultSchema>) {
        self.transaction = transaction
    }

    func header() throws(DatabaseError) -> [UInt8]? {
        try transaction.call { (database) throws(DatabaseError) in try database.header() }
    }

    func state() throws(DatabaseError) -> [UInt8]? {
        try transaction.call { (database) throws(DatabaseError) in try database.state() }
    }

    func buckets() throws(DatabaseError) -> [BucketRecord] {
        try transaction.call { (database) throws(DatabaseError) in try database.buckets() }
    }

    func item(tag: [UInt8]) throws(DatabaseError) -> ItemRecord? {
        try transaction.call { (database) throws(DatabaseError) in try database.item(tag: tag) }
    }

    func hasItem(over size: Int) throws(DatabaseError) -> Bool {
        try transaction.call { (database) throws(DatabaseError) in try database.hasItem(over: size) }
    }

    func forEachItem<Failure: Error>(
        inBucket bucket: UInt8, _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) {
        try forEachItem(inOptionalBucket: bucket, body)
    }

    func forEachItem<Failure: Error>(
        _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) {
        try forEachItem(inOptionalBucket: nil, body)
    }

    private func forEachItem<Failure: Error>(
        inOptionalBucket bucket: UInt8?, _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) {
        try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
            try transaction.requireTransaction()
        }
        do {
            try transaction.database.forEachItem(inBucket: bucket, body)
        } catch {
            if case .storage(let error) = error { transaction.note(error) }
            throw error
        }
    }
}

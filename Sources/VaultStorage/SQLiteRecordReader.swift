internal import SQLiteDatabase

/// Reads inside one transaction, and refuses to go on after it ended.
class SQLiteRecordReader: RecordReader {
    private let database: VaultDatabase
    private var hasEnded = false
    /// The first failure of SQLite inside the transaction.
    private(set) var failure: StorageError?

    init(_ database: VaultDatabase) {
        self.database = database
    }

    /// Ends the loan: whoever kept the reader has nothing from it.
    final func end() {
        hasEnded = true
    }

    /// Runs one call, if the transaction still stands.
    ///
    /// After some failures SQLite rolls back by itself; what came then would be of another snapshot, or be committed alone.
    final func call<Value>(
        _ body: (VaultDatabase) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try requireTransaction()
        do {
            return try body(database)
        } catch {
            note(error)
            throw error
        }
    }

    private final func requireTransaction() throws(StorageError) {
        guard !hasEnded else { throw .closed }
        guard database.connection.isInTransaction else { throw failure ?? .closed }
    }

    private final func note(_ error: StorageError) {
        switch error {
        case .alreadyExists, .missing: break
        default: failure = failure ?? error
        }
    }

    func header() throws(StorageError) -> [UInt8]? {
        try call { (database) throws(StorageError) in try database.header() }
    }

    func state() throws(StorageError) -> [UInt8]? {
        try call { (database) throws(StorageError) in try database.state() }
    }

    func buckets() throws(StorageError) -> [BucketRecord] {
        try call { (database) throws(StorageError) in try database.buckets() }
    }

    func item(tag: [UInt8]) throws(StorageError) -> ItemRecord? {
        try call { (database) throws(StorageError) in try database.item(tag: tag) }
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
        try StorageFailure<Failure>.wrapping { () throws(StorageError) in
            try requireTransaction()
        }
        do {
            try database.forEachItem(inBucket: bucket, body)
        } catch {
            if case .storage(let error) = error { note(error) }
            throw error
        }
    }
}

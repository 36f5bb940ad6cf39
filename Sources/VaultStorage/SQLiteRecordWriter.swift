/// Changes records inside one transaction.
final class SQLiteRecordWriter: SQLiteRecordReader, RecordWriter {
    func putHeader(_ bytes: [UInt8]) throws(StorageError) {
        try transaction.call { (database) throws(StorageError) in try database.putHeader(bytes) }
    }

    func insertState(_ bytes: [UInt8]) throws(StorageError) {
        try transaction.call { (database) throws(StorageError) in try database.insertState(bytes) }
    }

    func replaceState(_ old: [UInt8], with new: [UInt8]) throws(StorageError) -> Bool {
        try transaction.call { (database) throws(StorageError) in
            try database.replaceState(old, with: new)
        }
    }

    func putBucket(_ number: UInt8, bytes: [UInt8]?) throws(StorageError) {
        try transaction.call { (database) throws(StorageError) in
            try database.putBucket(number, bytes: bytes)
        }
    }

    func insertItem(_ item: ItemRecord) throws(StorageError) {
        try transaction.call { (database) throws(StorageError) in try database.insertItem(item) }
    }

    func replaceItem(_ item: ItemRecord) throws(StorageError) {
        try transaction.call { (database) throws(StorageError) in try database.replaceItem(item) }
    }

    func removeItem(tag: [UInt8]) throws(StorageError) {
        try transaction.call { (database) throws(StorageError) in try database.removeItem(tag: tag)
        }
    }

    func removeAllBuckets() throws(StorageError) {
        try transaction.call { (database) throws(StorageError) in try database.removeAllBuckets() }
    }
}

/// Changes records inside one transaction.
final class SQLiteRecordWriter: SQLiteRecordReader, RecordWriter {
    func putHeader(_ bytes: [UInt8]) throws(DatabaseError) {
        try transaction.call { (database) throws(DatabaseError) in try database.putHeader(bytes) }
    }

    func insertState(_ bytes: [UInt8]) throws(DatabaseError) {
        try transaction.call { (database) throws(DatabaseError) in try database.insertState(bytes) }
    }

    func replaceState(_ old: [UInt8], with new: [UInt8]) throws(DatabaseError) -> Bool {
        try transaction.call { (database) throws(DatabaseError) in
            try database.replaceState(old, with: new)
        }
    }

    func putBucket(_ number: UInt8, bytes: [UInt8]?) throws(DatabaseError) {
        try transaction.call { (database) throws(DatabaseError) in
            try database.putBucket(number, bytes: bytes)
        }
    }

    func insertItem(_ item: ItemRecord) throws(DatabaseError) {
        try transaction.call { (database) throws(DatabaseError) in try database.insertItem(item) }
    }

    func replaceItem(_ item: ItemRecord) throws(DatabaseError) {
        try transaction.call { (database) throws(DatabaseError) in try database.replaceItem(item) }
    }

    func removeItem(tag: [UInt8]) throws(DatabaseError) {
        try transaction.call { (database) throws(DatabaseError) in try database.removeItem(tag: tag)
        }
    }

    func removeAllBuckets() throws(DatabaseError) {
        try transaction.call { (database) throws(DatabaseError) in try database.removeAllBuckets() }
    }
}

/// Changes records inside one transaction.
final class PostgreSQLRecordWriter: PostgreSQLRecordReader, RecordWriter {
    /// The state record before the transaction, and what it became: from it can be told later whether the transaction was committed.
    private(set) var stateChange: (before: [UInt8]?, after: [UInt8])?

    private func note(_ before: [UInt8]?, _ after: [UInt8]) {
        if let stateChange {
            self.stateChange = (stateChange.before, after)
        } else {
            stateChange = (before, after)
        }
    }

    func putHeader(_ bytes: [UInt8]) throws(StorageError) {
        try call { (vault) throws(StorageError) in try vault.putHeader(bytes) }
    }

    func insertState(_ bytes: [UInt8]) throws(StorageError) {
        try call { (vault) throws(StorageError) in try vault.insertState(bytes) }
        note(nil, bytes)
    }

    func replaceState(_ old: [UInt8], with new: [UInt8]) throws(StorageError) -> Bool {
        let isReplaced = try call { (vault) throws(StorageError) in
            try vault.replaceState(old, with: new)
        }
        if isReplaced { note(old, new) }
        return isReplaced
    }

    func putBucket(_ number: UInt8, bytes: [UInt8]?) throws(StorageError) {
        try call { (vault) throws(StorageError) in try vault.putBucket(number, bytes: bytes) }
    }

    func insertItem(_ item: ItemRecord) throws(StorageError) {
        try call { (vault) throws(StorageError) in try vault.insertItem(item) }
    }

    func replaceItem(_ item: ItemRecord) throws(StorageError) {
        try call { (vault) throws(StorageError) in try vault.replaceItem(item) }
    }

    func removeItem(tag: [UInt8]) throws(StorageError) {
        try call { (vault) throws(StorageError) in try vault.removeItem(tag: tag) }
    }

    func removeAllBuckets() throws(StorageError) {
        try call { (vault) throws(StorageError) in try vault.removeAllBuckets() }
    }
}

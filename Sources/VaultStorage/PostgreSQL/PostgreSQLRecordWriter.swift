/// Changes records inside one transaction.
final class PostgreSQLRecordWriter: PostgreSQLRecordReader, RecordWriter {
    /// The state record before the transaction, and what it became: they tell later whether it was committed.
    struct StateChange {
        let before: [UInt8]?
        let after: [UInt8]

        /// Whether the change was committed, judged by the state that is there now; nil if that is another, as somebody has written since.
        func isCommitted(whenThereIs state: [UInt8]?) -> Bool? {
            guard before != after else { return nil }
            if state == after { return true }
            return state == before ? false : nil
        }
    }

    /// How the state record was changed, if it was.
    private(set) var stateChange: StateChange?

    private func note(_ before: [UInt8]?, _ after: [UInt8]) {
        stateChange = StateChange(before: stateChange.map(\.before) ?? before, after: after)
    }

    func putHeader(_ bytes: [UInt8]) throws(DatabaseError) {
        try call { (vault) throws(DatabaseError) in try vault.putHeader(bytes) }
    }

    func insertState(_ bytes: [UInt8]) throws(DatabaseError) {
        try call { (vault) throws(DatabaseError) in try vault.insertState(bytes) }
        note(nil, bytes)
    }

    func replaceState(_ old: [UInt8], with new: [UInt8]) throws(DatabaseError) -> Bool {
        let isReplaced = try call { (vault) throws(DatabaseError) in
            try vault.replaceState(old, with: new)
        }
        if isReplaced { note(old, new) }
        return isReplaced
    }

    func putBucket(_ number: UInt8, bytes: [UInt8]?) throws(DatabaseError) {
        try call { (vault) throws(DatabaseError) in try vault.putBucket(number, bytes: bytes) }
    }

    func insertItem(_ item: ItemRecord) throws(DatabaseError) {
        try call { (vault) throws(DatabaseError) in try vault.insertItem(item) }
    }

    func replaceItem(_ item: ItemRecord) throws(DatabaseError) {
        try call { (vault) throws(DatabaseError) in try vault.replaceItem(item) }
    }

    func removeItem(tag: [UInt8]) throws(DatabaseError) {
        try call { (vault) throws(DatabaseError) in try vault.removeItem(tag: tag) }
    }

    func removeAllBuckets() throws(DatabaseError) {
        try call { (vault) throws(DatabaseError) in try vault.removeAllBuckets() }
    }
}

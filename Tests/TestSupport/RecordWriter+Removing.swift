package import VaultStorage

extension RecordWriter {
    /// Removes every bucket record and every row, which the vault itself never does.
    package func removeAllItems() throws(DatabaseError) {
        try removeAllBuckets()
        var tags: [[UInt8]] = []
        do throws(StorageFailure<DatabaseError>) {
            try forEachItem { (item) throws(DatabaseError) in tags.append(item.tag) }
        } catch {
            switch error {
            case .storage(let error), .body(let error): throw error
            }
        }
        for tag in tags { try removeItem(tag: tag) }
    }
}

package import VaultStorage

extension RecordWriter {
    /// Removes every bucket record and every row, which the vault itself never does.
    package func removeAllItems() throws {
        try removeAllBuckets()
        var tags: [[UInt8]] = []
        try forEachItem { tags.append($0.tag) }
        for tag in tags { try removeItem(tag: tag) }
        try removeAllEarlier()
    }
}

/// Where a vault keeps its header, state, bucket records and item rows.
///
/// Storage is not trusted: it holds sealed bytes and opaque tags, and the vault verifies whatever comes back. A storage gives two
/// promises only: what one call of ``read(_:)`` sees belongs to one committed state, and what one call of ``write(_:)`` changes is
/// there wholly and durably after it returned, or not at all.
///
/// Implementations are thread-safe; calls from several threads may wait for one another.
public protocol RecordStorage: Sendable {
    /// Runs `body` on one snapshot.
    ///
    /// - Throws: `DatabaseError`; what `body` throws.
    func read<Result>(
        _ body: (any RecordReader) throws -> Result
    ) throws -> Result

    /// The state record and the row with this tag, of one snapshot: what a read of one item needs, at the lowest cost.
    func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?)

    /// Runs `body` in a transaction that excludes other writers, also of other processes, and commits it durably.
    ///
    /// An error of `body` rolls everything back.
    func write<Result>(
        _ body: (any RecordWriter) throws -> Result
    ) throws -> Result

    /// Removes what earlier commits left of overwritten bytes beside the main file, as far as this storage can.
    ///
    /// - Returns: `false` if a reader prevents it; it is then done when the last user closes the storage, or at a later call. nil where nobody
    ///   can know, as on a server.
    func eraseOldBytes() throws -> Bool?

    /// Copies one snapshot into a new file at `path`, mode 0600, durably, as a vault file of its own.
    func backup(to path: String) throws

    /// Gives the connection up if the path names another file by now; the next call opens what is there with every check.
    func followPath() throws

    /// Makes calls fail soon that wait for a server, those of other threads among them; what is left to do then is to close.
    func interrupt()

    /// Closes the storage; later calls fail with ``DatabaseError/closed``. Closing twice is allowed.
    func close()
}

extension RecordStorage {
    /// Nothing to do where no path can name another file.
    public func followPath() throws {}

    /// Nothing to do where nothing waits for long.
    public func interrupt() {}
}

/// Reads records from one snapshot. Valid only during the call that lends it.
public protocol RecordReader {
    /// The header's bytes, or nil where there is none.
    func header() throws -> [UInt8]?
    /// The state record's bytes, or nil where there is none.
    func state() throws -> [UInt8]?
    /// All bucket records, ascending by number.
    func buckets() throws -> [BucketRecord]
    /// The row with this tag, or nil where there is none.
    func item(tag: [UInt8]) throws -> ItemRecord?
    /// Whether a row has bytes of more than `size` in one column; finds out without reading them.
    func hasItem(over size: Int) throws -> Bool
    /// Calls `body` for each row whose tag starts with the byte `bucket`, ascending by tag.
    func forEachItem(
        inBucket bucket: UInt8, _ body: (ItemRecord) throws -> Void
    ) throws
    /// Calls `body` for each row, ascending by tag; rows with tags of a wrong shape included.
    func forEachItem(
        _ body: (ItemRecord) throws -> Void
    ) throws
}

extension RecordReader {
    /// Where rows are in memory already, whoever looks at them sees their size.
    public func hasItem(over size: Int) throws -> Bool { false }
}

/// Changes records inside one transaction. Valid only during the call that lends it.
public protocol RecordWriter: RecordReader {
    /// Writes the header, whether or not there is one.
    func putHeader(_ bytes: [UInt8]) throws
    /// Writes the first state record. Fails with ``DatabaseError/alreadyExists`` where there is one.
    func insertState(_ bytes: [UInt8]) throws
    /// Replaces the state record if it still is `old`.
    ///
    /// - Returns: `false` if it was another, and nothing was changed.
    func replaceState(_ old: [UInt8], with new: [UInt8]) throws -> Bool
    /// Writes a bucket record, or removes it where `bytes` is nil.
    func putBucket(_ number: UInt8, bytes: [UInt8]?) throws
    /// Adds a row. Fails with ``DatabaseError/alreadyExists`` where its tag is taken.
    func insertItem(_ item: ItemRecord) throws
    /// Replaces the row with the same tag. Fails with ``DatabaseError/missing`` where there is none.
    func replaceItem(_ item: ItemRecord) throws
    /// Removes a row. Fails with ``DatabaseError/missing`` where there is none.
    func removeItem(tag: [UInt8]) throws
    /// Removes every bucket record, those with numbers that no bucket has included.
    func removeAllBuckets() throws
}

extension RecordWriter {
    /// Replaces everything by what another storage has.
    package func replaceAll(with source: any RecordReader) throws {
        try removeAllBuckets()
        var tags: [[UInt8]] = []
        try forEachItem { tags.append($0.tag) }
        for tag in tags { try removeItem(tag: tag) }
        if let header = try source.header() { try putHeader(header) }
        if let state = try source.state() {
            if let old = try self.state() {
                guard try replaceState(old, with: state) else { throw DatabaseError.busy }
            } else {
                try insertState(state)
            }
        }
        for bucket in try source.buckets() {
            guard let number = UInt8(exactly: bucket.number) else {
                throw DatabaseError.damaged(reason: "a bucket number is out of range")
            }
            try putBucket(number, bytes: bucket.bytes)
        }
        try source.forEachItem { try insertItem($0) }
    }
}

/// The storage of a vault's header, state, bucket records, links, chunks and rows.
///
/// Storage is untrusted: it holds sealed bytes and opaque tags, and the vault verifies every result. A storage guarantees two properties. A
/// call of ``read(_:)`` sees one committed state. The changes of a call of ``write(_:)`` are atomic, and durable when it returns.
///
/// Implementations are thread-safe; calls from several threads may wait for each other.
public protocol RecordStorage: Sendable {
    /// Runs `body` on one snapshot.
    ///
    /// - Throws: `DatabaseError`, and the errors of `body`.
    func read<Result>(
        _ body: (any RecordReader) throws -> Result
    ) throws -> Result

    /// Reads the state record and the row with this tag in one snapshot: the cheapest read of one item.
    func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?)

    /// Runs `body` in a transaction that excludes writers of all processes, and commits it durably.
    ///
    /// An error of `body` rolls everything back.
    func write<Result>(
        _ body: (any RecordWriter) throws -> Result
    ) throws -> Result

    /// Erases copies of overwritten bytes outside the main file, as far as this storage can.
    ///
    /// - Returns: `false` if a reader prevents it; a later call, or closing the storage last, then does it. nil if unknown, as on a
    /// server.
    func eraseOldBytes() throws -> Bool?

    /// As ``eraseOldBytes()``, without waiting for readers.
    func eraseOldBytesAtOnce() throws -> Bool?

    /// Returns the space of removed records to the file system, as far as this storage can.
    func returnSpace() throws

    /// The space used and available on the file system of the storage; nil if unknown, as on a server.
    func diskUse() throws -> DiskUse?

    /// Whether the form of all that is stored is sound, also of what no read needs. Reads everything. Never call it in ``read(_:)``.
    func isWellFormed() throws -> Bool

    /// Copies one snapshot into a new vault file at `path`, mode 0600, durably.
    func backup(to path: String) throws

    /// Closes the connection if the path now names another file. The next call opens that file with all checks.
    func followPath() throws

    /// Makes running calls of all threads fail soon, without a change. After it, only ``close()`` is allowed.
    func interrupt()

    /// Closes the storage; later calls fail with ``DatabaseError/closed``. A second call does nothing.
    func close()
}

extension RecordStorage {
    /// As ``eraseOldBytes()``.
    public func eraseOldBytesAtOnce() throws -> Bool? { try eraseOldBytes() }

    /// Always `true`: the records have no form of their own.
    public func isWellFormed() throws -> Bool { true }

    /// Does nothing: the path cannot name another file.
    public func followPath() throws {}

    /// Does nothing: no call waits for long.
    public func interrupt() {}

    /// Does nothing: the storage is not in a file system.
    public func returnSpace() throws {}

    /// Always nil: the storage is not in a file system.
    public func diskUse() throws -> DiskUse? { nil }
}

/// Reads records from one snapshot. Valid only during the call of its function.
public protocol RecordReader {
    /// The header's bytes, or nil if there is none.
    func header() throws -> [UInt8]?
    /// The state record's bytes, or nil if there is none.
    func state() throws -> [UInt8]?
    /// Reads header and state record, in one round trip to a server.
    func headerAndState() throws -> (header: [UInt8]?, state: [UInt8]?)
    /// All bucket records, ascending by number.
    func buckets() throws -> [BucketRecord]
    /// Calls `body` for each link whose counter is in `range`, ascending. Counters are 1 to 2^63 − 1. A damaged storage may repeat or
    /// reorder counters.
    func forEachLink(
        _ range: ClosedRange<UInt64>, _ body: (LinkRecord) throws -> Void
    ) throws
    /// Calls `body` for each chunk, ascending by version and number. Skips rows whose sizes are invalid for a chunk.
    func forEachChunk(_ body: (ChunkRecord) throws -> Void) throws
    /// Reads a chunk; nil if there is none, or if its size is invalid.
    func chunk(version: [UInt8], number: Int64) throws -> ChunkRecord?
    /// Counts the rows of the table of chunks: those with this version and a number from 0 to `count` − 1, or all.
    func chunkCount(of part: (version: [UInt8], count: Int64)?) throws -> Int
    /// Calls `body` for each version of chunks, ascending, with the time of its last stored chunk. `body` must not change chunks.
    func forEachChunkVersion(_ body: (_ version: [UInt8], _ stored: Int64) throws -> Void) throws
    /// The row with this tag, or nil if there is none.
    func item(tag: [UInt8]) throws -> ItemRecord?
    /// Whether any row of a table has a column of more than `size` bytes. Does not read the bytes.
    func hasRow(over size: Int, in table: RecordTable) throws -> Bool
    /// Calls `body` for each row whose tag starts with the byte `bucket`, ascending by tag. A damaged storage may repeat or reorder rows.
    func forEachItem(
        inBucket bucket: UInt8, _ body: (ItemRecord) throws -> Void
    ) throws
    /// Calls `body` for each row, ascending by tag, including rows with malformed tags.
    func forEachItem(
        _ body: (ItemRecord) throws -> Void
    ) throws
    /// The earlier row with this id and revision, or nil if there is none.
    func earlier(itemID: [UInt8], revision: UInt64) throws -> EarlierRecord?
    /// Calls `body` for each earlier row whose item id starts with the byte `bucket`, as ``forEachItem(inBucket:_:)``.
    func forEachEarlier(
        inBucket bucket: UInt8, _ body: (EarlierRecord) throws -> Void
    ) throws
    /// Calls `body` for each earlier row, ascending by item id and revision, including rows with malformed ids.
    func forEachEarlier(
        _ body: (EarlierRecord) throws -> Void
    ) throws
}

extension RecordReader {
    /// Reads header and state record one after the other.
    public func headerAndState() throws -> (header: [UInt8]?, state: [UInt8]?) {
        (try header(), try state())
    }

    /// Always `false`: rows in memory have no limit.
    public func hasRow(over size: Int, in table: RecordTable) throws -> Bool { false }

    /// Does nothing: storage in memory has no chunks.
    public func forEachChunk(_ body: (ChunkRecord) throws -> Void) throws {}

    /// Always nil: storage in memory has no chunks.
    public func chunk(version: [UInt8], number: Int64) throws -> ChunkRecord? { nil }

    /// Does nothing: storage in memory has no chunks.
    public func forEachChunkVersion(
        _ body: (_ version: [UInt8], _ stored: Int64) throws -> Void
    ) throws {}

    /// Always 0: storage in memory has no chunks.
    public func chunkCount(of part: (version: [UInt8], count: Int64)?) throws -> Int { 0 }
}

/// Changes records inside one transaction. Valid only during the call of its function.
public protocol RecordWriter: RecordReader {
    /// Writes or replaces the header.
    func putHeader(_ bytes: [UInt8]) throws
    /// Writes the first state record. Fails with ``DatabaseError/alreadyExists`` if there is one.
    func insertState(_ bytes: [UInt8]) throws
    /// Replaces the state record if it equals `old`.
    ///
    /// - Returns: `false`, with no change, if it differs.
    func replaceState(_ old: [UInt8], with new: [UInt8]) throws -> Bool
    /// Writes a bucket record, or removes it if `bytes` is nil.
    func putBucket(_ number: Int, bytes: [UInt8]?) throws
    /// Writes or replaces a link.
    func putLink(_ link: LinkRecord) throws
    /// Removes the links whose commit counter is in `range`.
    func removeLinks(_ range: ClosedRange<UInt64>) throws
    /// Writes or replaces a chunk.
    func putChunk(_ chunk: ChunkRecord) throws
    /// Removes chunks of a version, the first `limit` by number.
    ///
    /// - Returns: The number of removed chunks.
    func removeChunks(version: [UInt8], limit: Int) throws -> Int
    /// Removes every chunk.
    func removeAllChunks() throws
    /// Adds a row. Fails with ``DatabaseError/alreadyExists`` if its tag exists.
    func insertItem(_ item: ItemRecord) throws
    /// Replaces the row with the same tag. Fails with ``DatabaseError/missing`` if there is none.
    func replaceItem(_ item: ItemRecord) throws
    /// Removes a row. Fails with ``DatabaseError/missing`` if there is none.
    func removeItem(tag: [UInt8]) throws
    /// Adds an earlier row. Fails with ``DatabaseError/alreadyExists`` if its id and revision exist.
    func insertEarlier(_ row: EarlierRecord) throws
    /// Removes an earlier row. Fails with ``DatabaseError/missing`` if there is none.
    func removeEarlier(itemID: [UInt8], revision: UInt64) throws
    /// Removes every earlier row, including those that cannot be read.
    func removeAllEarlier() throws
    /// Removes every bucket record, including those with invalid numbers.
    func removeAllBuckets() throws
}

extension RecordWriter {
    /// Replaces all records by those of another storage.
    package func replaceAll(with source: any RecordReader) throws {
        try removeAllBuckets()
        var tags: [[UInt8]] = []
        try forEachItem { tags.append($0.tag) }
        for tag in tags { try removeItem(tag: tag) }
        try removeAllEarlier()
        if let header = try source.header() { try putHeader(header) }
        if let state = try source.state() {
            if let old = try self.state() {
                guard try replaceState(old, with: state) else { throw DatabaseError.busy }
            } else {
                try insertState(state)
            }
        }
        for bucket in try source.buckets() {
            guard (0..<512).contains(bucket.number) else {
                throw DatabaseError.damaged(reason: "a bucket number is out of range")
            }
            try putBucket(Int(bucket.number), bytes: bucket.bytes)
        }
        try removeLinks(1...LinkRecord.largestCounter)
        try source.forEachLink(1...LinkRecord.largestCounter) { try putLink($0) }
        try removeAllChunks()
        try source.forEachChunk { try putChunk($0) }
        try source.forEachItem { try insertItem($0) }
        try source.forEachEarlier { try insertEarlier($0) }
    }
}

internal import Database

// Reading the rows of the two tables.
extension StoredRecords {
    /// The length of a blob is known without reading it; that of a text is not.
    func hasRow(over size: Int, in table: RecordTable) throws -> Bool {
        let statement =
            switch table {
            case .items:
                SQL(
                    sqlite: """
                        SELECT 1 FROM items
                        WHERE typeof(value) = 'blob' AND length(value) > $1
                            OR typeof(attributes) = 'blob' AND length(attributes) > $1
                            OR typeof(tag) = 'blob' AND length(tag) > $1
                            OR typeof(item_id) = 'blob' AND length(item_id) > $1
                        LIMIT 1
                        """,
                    postgreSQL: """
                        SELECT 1 FROM items
                        WHERE length(value) > $1 OR length(attributes) > $1 OR length(tag) > $1
                            OR length(item_id) > $1
                        LIMIT 1
                        """)
            case .earlier:
                SQL(
                    sqlite: """
                        SELECT 1 FROM earlier
                        WHERE typeof(value) = 'blob' AND length(value) > $1
                            OR typeof(attributes) = 'blob' AND length(attributes) > $1
                            OR typeof(moved) = 'blob' AND length(moved) > $1
                            OR typeof(item_id) = 'blob' AND length(item_id) > $1
                        LIMIT 1
                        """,
                    postgreSQL: """
                        SELECT 1 FROM earlier
                        WHERE length(value) > $1 OR length(attributes) > $1 OR length(moved) > $1
                            OR length(item_id) > $1
                        LIMIT 1
                        """)
            }
        return try !transaction.rows(statement, [.integer(Int64(size))]) { _ in }.isEmpty
    }

    func forEachItem(inBucket bucket: UInt8, _ body: (ItemRecord) throws -> Void) throws {
        try forEachRow(inBucket: bucket, page: items, body)
    }

    func forEachItem(_ body: (ItemRecord) throws -> Void) throws {
        try forEachRow(from: nil, to: nil, isOrdered: true, page: items, body)
    }

    func earlier(itemID: [UInt8], revision: UInt64) throws -> EarlierRecord? {
        guard let revision = Int64(exactly: revision) else { return nil }
        return try transaction.row(
            """
            SELECT item_id, class, revision, format, attributes, value, moved
            FROM earlier WHERE item_id = $1 AND revision = $2
            """, [.bytes(itemID), .integer(revision)]
        ) { try EarlierRecord($0) }
    }

    func forEachEarlier(inBucket bucket: UInt8, _ body: (EarlierRecord) throws -> Void) throws {
        try forEachRow(inBucket: bucket, page: earlierRows, body)
    }

    func forEachEarlier(_ body: (EarlierRecord) throws -> Void) throws {
        try forEachRow(from: nil, to: nil, isOrdered: true, page: earlierRows, body)
    }

    private func items(from start: RowKey?, to end: [UInt8]?, limit: Int) throws -> [ItemRecord] {
        let limit = DatabaseValue.integer(Int64(limit))
        if let start, let end {
            return try rows(
                """
                SELECT tag, item_id, class, revision, format, attributes, value
                FROM items WHERE tag >= $1 AND tag < $3 ORDER BY tag LIMIT $2
                """, [.bytes(start.bytes), limit, .bytes(end)]
            ) { try ItemRecord($0, tag: $0.bytes(0), from: 1) }
        }
        if let start {
            return try rows(
                """
                SELECT tag, item_id, class, revision, format, attributes, value
                FROM items WHERE tag >= $1 ORDER BY tag LIMIT $2
                """, [.bytes(start.bytes), limit]
            ) { try ItemRecord($0, tag: $0.bytes(0), from: 1) }
        }
        // In a damaged file, tags of another type sort before all blobs.
        return try rows(
            """
            SELECT tag, item_id, class, revision, format, attributes, value
            FROM items ORDER BY tag LIMIT $1
            """, [limit]
        ) { try ItemRecord($0, tag: $0.bytes(0), from: 1) }
    }

    private func earlierRows(
        from start: RowKey?, to end: [UInt8]?, limit: Int
    ) throws -> [EarlierRecord] {
        let limit = DatabaseValue.integer(Int64(limit))
        // With a row-value comparison, SQLite would use the primary key for the lower bound only.
        if let start, let end {
            return try rows(
                """
                SELECT item_id, class, revision, format, attributes, value, moved
                FROM earlier
                WHERE item_id >= $1 AND item_id < $4 AND (item_id > $1 OR revision >= $3)
                ORDER BY item_id, revision LIMIT $2
                """, [.bytes(start.bytes), limit, .integer(start.revision), .bytes(end)]
            ) { try EarlierRecord($0) }
        }
        if let start {
            return try rows(
                """
                SELECT item_id, class, revision, format, attributes, value, moved
                FROM earlier WHERE item_id >= $1 AND (item_id > $1 OR revision >= $3)
                ORDER BY item_id, revision LIMIT $2
                """, [.bytes(start.bytes), limit, .integer(start.revision)]
            ) { try EarlierRecord($0) }
        }
        return try rows(
            """
            SELECT item_id, class, revision, format, attributes, value, moved
            FROM earlier ORDER BY item_id, revision LIMIT $1
            """, [limit]
        ) { try EarlierRecord($0) }
    }

    /// As `Transaction.rows`, which another module calls without knowing its type: it takes several times as long for each row.
    private func rows<Record>(
        _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Record
    ) throws -> [Record] {
        var found: [Record] = []
        try transaction.forEachRow(sql, values) { found.append(try read($0)) }
        return found
    }

    /// Reads a page of rows: from a key, up to but without the key bytes `to`.
    private typealias Page<Row> = (_ from: RowKey?, _ to: [UInt8]?, _ limit: Int) throws -> [Row]

    private func forEachRow<Row: PagedRow>(
        inBucket bucket: UInt8, page: Page<Row>, _ body: (Row) throws -> Void
    ) throws {
        // The last bucket has no upper bound. A row with an empty key belongs to the first bucket, where the vault detects it.
        try forEachRow(
            from: RowKey(bytes: bucket == 0 ? [] : [bucket]),
            to: bucket == 255 ? nil : [bucket + 1], isOrdered: false, page: page, body)
    }

    /// Reads page by page, because a connection runs one statement at a time and `body` may run others.
    ///
    /// - Parameters:
    ///   - start: The first key; nil for the first row.
    ///   - end: The key bytes after the last row; nil for no bound.
    ///   - isOrdered: Whether unordered rows are an error. For a bucket, the vault detects missing and repeated rows itself, and a full
    ///     check
    /// continues after them.
    ///   - page: Reads a page.
    ///   - body: Receives each row.
    /// - Throws: ``DatabaseError``, and the errors of `body`.
    private func forEachRow<Row: PagedRow>(
        from start: RowKey?, to end: [UInt8]?, isOrdered: Bool, page: Page<Row>,
        _ body: (Row) throws -> Void
    ) throws {
        var start = start
        var count = 32
        while true {
            let rows = try page(start, end, count)
            guard rows.count <= count else {
                throw DatabaseError.damaged(reason: "there are more rows than requested")
            }
            if isOrdered, !isAscending(rows.map(\.key), from: start) {
                throw DatabaseError.damaged(reason: "rows are not in the order of their keys")
            }
            for row in rows { try body(row) }
            // Each page must begin after the last one: a server that repeats rows would cause an endless loop.
            guard rows.count == count, let last = rows.lazy.map(\.key).max(),
                last >= start ?? RowKey(bytes: [])
            else { return }
            start = Row.successor(of: last)
            let size = rows.reduce(0) { $0 + $1.size }
            count = min(2_048, max(16, count * 2_097_152 / max(size, 1)))
        }
    }

    private func isAscending(_ keys: [RowKey], from start: RowKey?) -> Bool {
        let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
        return isAscending && keys.first.map { $0 >= start ?? RowKey(bytes: []) } ?? true
    }
}

/// The primary key of a row: the tag, or item id and revision.
private struct RowKey: Comparable {
    var bytes: [UInt8]
    /// The revision; 0 for a tag.
    var revision: Int64 = 0

    static func < (left: RowKey, right: RowKey) -> Bool {
        left.bytes == right.bytes
            ? left.revision < right.revision : left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// A row of a table that is read in pages.
private protocol PagedRow {
    var key: RowKey { get }
    /// The size of the blobs, in bytes.
    var size: Int { get }

    /// The next possible key.
    static func successor(of key: RowKey) -> RowKey
}

extension ItemRecord: PagedRow {
    fileprivate var key: RowKey { RowKey(bytes: tag) }
    fileprivate var size: Int { attributes.count + value.count }

    fileprivate static func successor(of key: RowKey) -> RowKey {
        RowKey(bytes: key.bytes + [0])
    }
}

extension EarlierRecord: PagedRow {
    fileprivate var key: RowKey {
        RowKey(bytes: itemID, revision: Int64(clamping: revision))
    }
    fileprivate var size: Int { attributes.count + value.count }

    fileprivate static func successor(of key: RowKey) -> RowKey {
        key.revision == .max
            ? RowKey(bytes: key.bytes + [0], revision: .min)
            : RowKey(bytes: key.bytes, revision: key.revision + 1)
    }
}

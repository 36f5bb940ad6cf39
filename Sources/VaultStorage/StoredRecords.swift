internal import Database

/// The records of a vault inside one transaction.
///
/// Checks types and ranges; the vault verifies everything else.
final class StoredRecords: RecordWriter {
    private let transaction: Transaction
    /// The state record before the transaction and after it, if it was changed.
    private(set) var stateChange: (before: [UInt8]?, after: [UInt8])?

    init(_ transaction: Transaction) {
        self.transaction = transaction
    }

    func header() throws -> [UInt8]? {
        try transaction.row("SELECT bytes FROM header WHERE id = 1") { try $0.bytes(0) }
    }

    func state() throws -> [UInt8]? {
        try transaction.row("SELECT bytes FROM state WHERE id = 1") { try $0.bytes(0) }
    }

    /// All bucket records of a valid vault.
    ///
    /// Numbers are distinct and sorted, so among 257 records at least one number is outside 0 to 255. Reading more records would only
    /// use memory.
    func buckets() throws -> [BucketRecord] {
        try transaction.rows("SELECT number, bytes FROM buckets ORDER BY number LIMIT 257") {
            BucketRecord(number: try $0.integer(0), bytes: try $0.bytes(1))
        }
    }

    func item(tag: [UInt8]) throws -> ItemRecord? {
        try transaction.row(
            """
            SELECT tag, item_id, class, revision, format, attributes, value
            FROM items WHERE tag = $1
            """, [.bytes(tag)]
        ) { try ItemRecord($0, from: 0) }
    }

    /// One statement sees one snapshot, even outside a transaction.
    func stateAndItem(tag: [UInt8]) throws -> (state: [UInt8]?, item: ItemRecord?) {
        let found = try transaction.row(
            """
            SELECT state.id, state.bytes,
                items.tag, item_id, class, revision, format, attributes, value
            FROM (SELECT 1) AS one LEFT JOIN state ON state.id = 1 LEFT JOIN items ON items.tag = $1
            """, [.bytes(tag)]
        ) { row in
            // A NULL key means that there is no row; NULL elsewhere is damage.
            (
                state: row.isNull(0) ? nil : try row.bytes(1),
                item: row.isNull(2) ? nil : try ItemRecord(row, from: 2)
            )
        }
        return found ?? (nil, nil)
    }

    /// Lengths of blobs are known without reading them; lengths of texts are not.
    func hasItem(over size: Int) throws -> Bool {
        try !transaction.rows(
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
                    """), [.integer(Int64(size))]
        ) { _ in }.isEmpty
    }

    func forEachItem(inBucket bucket: UInt8, _ body: (ItemRecord) throws -> Void) throws {
        // An empty upper bound ends the last bucket. A row with an empty tag belongs to the first bucket, so that the vault detects it.
        try forEachItem(
            from: bucket == 0 ? [] : [bucket], to: bucket == 255 ? nil : [bucket + 1],
            isOrdered: false, body)
    }

    func forEachItem(_ body: (ItemRecord) throws -> Void) throws {
        try forEachItem(from: nil, to: nil, isOrdered: true, body)
    }

    /// Reads page by page, because a connection runs one statement at a time and `body` may run others.
    ///
    /// - Parameters:
    ///   - start: The first tag; nil for the first row.
    ///   - end: The tag after the last; nil for the last row.
    ///   - isOrdered: Whether rows in another order are an error. The vault finds missing and repeated rows of a bucket itself, and a full
    ///     check continues after them.
    ///   - body: Receives each row.
    /// - Throws: ``DatabaseError``, and the errors of `body`.
    private func forEachItem(
        from start: [UInt8]?, to end: [UInt8]?, isOrdered: Bool,
        _ body: (ItemRecord) throws -> Void
    ) throws {
        var start = start
        var count = 32
        while true {
            let page = try self.page(from: start, to: end, count: count)
            if isOrdered, !isAscending(page, from: start) {
                throw DatabaseError.damaged(reason: "rows are not in the order of their tags")
            }
            for item in page { try body(item) }
            // Each page must begin after the one before, because a server that repeats rows would cause an endless loop.
            guard page.count == count,
                let last = page.map(\.tag).max(by: { $0.lexicographicallyPrecedes($1) }),
                !last.lexicographicallyPrecedes(start ?? [])
            else { return }
            // The immediate successor in byte order.
            start = last + [0]
            let size = page.reduce(0) { $0 + $1.attributes.count + $1.value.count }
            count = min(2_048, max(16, count * 2_097_152 / max(size, 1)))
        }
    }

    private func isAscending(_ page: [ItemRecord], from start: [UInt8]?) -> Bool {
        let isAscending = zip(page, page.dropFirst()).allSatisfy {
            $0.tag.lexicographicallyPrecedes($1.tag)
        }
        return isAscending
            && page.first.map { !$0.tag.lexicographicallyPrecedes(start ?? []) } ?? true
    }

    private func page(from start: [UInt8]?, to end: [UInt8]?, count: Int) throws -> [ItemRecord] {
        let limit = DatabaseValue.integer(Int64(count))
        let page =
            if let start, let end {
                try transaction.rows(
                    """
                    SELECT tag, item_id, class, revision, format, attributes, value
                    FROM items WHERE tag >= $1 AND tag < $3 ORDER BY tag LIMIT $2
                    """, [.bytes(start), limit, .bytes(end)]
                ) { try ItemRecord($0, from: 0) }
            } else if let start {
                try transaction.rows(
                    """
                    SELECT tag, item_id, class, revision, format, attributes, value
                    FROM items WHERE tag >= $1 ORDER BY tag LIMIT $2
                    """, [.bytes(start), limit]
                ) { try ItemRecord($0, from: 0) }
            } else {
                // In a damaged file, tags of another type sort before all blobs.
                try transaction.rows(
                    """
                    SELECT tag, item_id, class, revision, format, attributes, value
                    FROM items ORDER BY tag LIMIT $1
                    """, [limit]
                ) { try ItemRecord($0, from: 0) }
            }
        guard page.count <= count else {
            throw DatabaseError.damaged(reason: "there are more rows than requested")
        }
        return page
    }
}

/// An existing key must not be a database error, which would abort a server's transaction. The row is not inserted, and the count shows it.
extension StoredRecords {
    func putHeader(_ bytes: [UInt8]) throws {
        try transaction.change(
            """
            INSERT INTO header (id, bytes) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET bytes = $1
            """, [.bytes(bytes)])
    }

    func insertState(_ bytes: [UInt8]) throws {
        let changed = try transaction.change(
            "INSERT INTO state (id, bytes) VALUES (1, $1) ON CONFLICT DO NOTHING", [.bytes(bytes)])
        if changed == 0 { throw DatabaseError.alreadyExists }
        stateChange = (stateChange?.before, bytes)
    }

    func replaceState(_ old: [UInt8], with new: [UInt8]) throws -> Bool {
        let changed = try transaction.change(
            "UPDATE state SET bytes = $2 WHERE id = 1 AND bytes = $1", [.bytes(old), .bytes(new)])
        guard changed == 1 else { return false }
        stateChange = (stateChange.map(\.before) ?? old, new)
        return true
    }

    func putBucket(_ number: UInt8, bytes: [UInt8]?) throws {
        let number = DatabaseValue.integer(Int64(number))
        guard let bytes else {
            try transaction.change("DELETE FROM buckets WHERE number = $1", [number])
            return
        }
        try transaction.change(
            """
            INSERT INTO buckets (number, bytes) VALUES ($1, $2)
            ON CONFLICT (number) DO UPDATE SET bytes = $2
            """, [number, .bytes(bytes)])
    }

    func insertItem(_ item: ItemRecord) throws {
        let changed = try transaction.change(
            """
            INSERT INTO items (tag, item_id, class, revision, format, attributes, value)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
            """, item.values())
        if changed == 0 { throw DatabaseError.alreadyExists }
    }

    func replaceItem(_ item: ItemRecord) throws {
        let changed = try transaction.change(
            """
            UPDATE items SET item_id = $2, class = $3, revision = $4, format = $5,
                attributes = $6, value = $7
            WHERE tag = $1
            """, item.values())
        if changed == 0 { throw DatabaseError.missing }
    }

    func removeItem(tag: [UInt8]) throws {
        let changed = try transaction.change("DELETE FROM items WHERE tag = $1", [.bytes(tag)])
        if changed == 0 { throw DatabaseError.missing }
    }

    func removeAllBuckets() throws {
        try transaction.change("DELETE FROM buckets")
    }
}

extension ItemRecord {
    /// Reads seven columns. A number out of range becomes 0, which is invalid in every row; the vault reports the exact error.
    fileprivate init(_ row: any Row, from first: Int32) throws {
        self.init(
            tag: try row.bytes(first), itemID: try row.bytes(first + 1),
            accessClass: UInt8(exactly: try row.integer(first + 2)) ?? 0,
            revision: UInt64(exactly: try row.integer(first + 3)) ?? 0,
            format: UInt32(exactly: try row.integer(first + 4)) ?? 0,
            attributes: try row.bytes(first + 5), value: try row.bytes(first + 6))
    }

    /// The columns of the row.
    ///
    /// - Throws: ``DatabaseError/damaged(reason:)`` for a revision that the column cannot hold.
    fileprivate func values() throws -> [DatabaseValue] {
        guard let revision = Int64(exactly: revision) else {
            throw DatabaseError.damaged(reason: "a revision is out of range")
        }
        return [
            .bytes(tag), .bytes(itemID), .integer(Int64(accessClass)), .integer(revision),
            .integer(Int64(format)), .bytes(attributes), .bytes(value),
        ]
    }
}

internal import Database

/// The records of a vault inside one transaction.
///
/// Checks types and ranges; the vault verifies everything else.
final class StoredRecords: RecordWriter {
    let transaction: Transaction
    /// The state record before the transaction, and the new one; nil if unchanged.
    var stateChange: (before: [UInt8]?, after: [UInt8])?

    init(_ transaction: Transaction) {
        self.transaction = transaction
    }

    func header() throws -> [UInt8]? {
        try transaction.row("SELECT bytes FROM header WHERE id = 1") { try $0.bytes(0) }
    }

    func state() throws -> [UInt8]? {
        try transaction.row("SELECT bytes FROM state WHERE id = 1") { try $0.bytes(0) }
    }

    func headerAndState() throws -> (header: [UInt8]?, state: [UInt8]?) {
        let found = try transaction.row(
            """
            SELECT header.id, header.bytes, state.id, state.bytes
            FROM (SELECT 1) AS one
            LEFT JOIN header ON header.id = 1 LEFT JOIN state ON state.id = 1
            """
        ) { row in
            // A NULL key means that there is no row; NULL elsewhere is damage.
            (
                header: row.isNull(0) ? nil : try row.bytes(1),
                state: row.isNull(2) ? nil : try row.bytes(3)
            )
        }
        return found ?? (nil, nil)
    }

    /// Reads all bucket records of a valid vault.
    ///
    /// Numbers are distinct and sorted, so at least one of 513 records has a number outside 0 to 511. The vault rejects it; more records
    /// would only use memory.
    func buckets() throws -> [BucketRecord] {
        try transaction.rows("SELECT number, bytes FROM buckets ORDER BY number LIMIT 513") {
            BucketRecord(number: try $0.integer(0), bytes: try $0.bytes(1))
        }
    }

    func forEachLink(
        _ range: ClosedRange<UInt64>, _ body: (LinkRecord) throws -> Void
    ) throws {
        var range = range
        let count = 4_096
        while true {
            let page = try transaction.rows(
                """
                SELECT counter, CASE WHEN length(bytes) > 60 THEN substr(bytes, 1, 61) ELSE bytes END
                FROM links WHERE counter >= $1 AND counter <= $2
                ORDER BY counter LIMIT $3
                """,
                [
                    try Self.counter(range.lowerBound), try Self.counter(range.upperBound),
                    .integer(Int64(count)),
                ]
            ) {
                LinkRecord(counter: UInt64(exactly: try $0.integer(0)) ?? 0, bytes: try $0.bytes(1))
            }
            guard page.count <= count else {
                throw DatabaseError.damaged(reason: "there are more rows than requested")
            }
            for link in page { try body(link) }
            // Each page must begin after the last one: a server that repeats rows would cause an endless loop.
            guard page.count == count, let last = page.map(\.counter).max(),
                last >= range.lowerBound, last < range.upperBound
            else { return }
            range = (last + 1)...range.upperBound
        }
    }

    static func counter(_ counter: UInt64) throws -> DatabaseValue {
        guard let counter = Int64(exactly: counter) else {
            throw DatabaseError.damaged(reason: "a counter is out of range")
        }
        return .integer(counter)
    }

    func item(tag: [UInt8]) throws -> ItemRecord? {
        try transaction.row(
            """
            SELECT item_id, class, revision, format, attributes, value
            FROM items WHERE tag = $1
            """, [.bytes(tag)]
        ) { try ItemRecord($0, tag: tag, from: 0) }
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
                item: row.isNull(2) ? nil : try ItemRecord(row, tag: tag, from: 3)
            )
        }
        return found ?? (nil, nil)
    }
}

extension ItemRecord {
    /// Reads six columns. A number out of range becomes 0, which is always invalid; the vault reports the exact error.
    init(_ row: any Row, tag: [UInt8], from first: Int32) throws {
        self.init(
            tag: tag, itemID: try row.bytes(first),
            accessClass: UInt8(exactly: try row.integer(first + 1)) ?? 0,
            revision: UInt64(exactly: try row.integer(first + 2)) ?? 0,
            format: UInt32(exactly: try row.integer(first + 3)) ?? 0,
            attributes: try row.bytes(first + 4), value: try row.bytes(first + 5))
    }
}

extension EarlierRecord {
    /// Reads seven columns, like those of an ``ItemRecord``.
    init(_ row: any Row) throws {
        self.init(
            itemID: try row.bytes(0), accessClass: UInt8(exactly: try row.integer(1)) ?? 0,
            revision: UInt64(exactly: try row.integer(2)) ?? 0,
            format: UInt32(exactly: try row.integer(3)) ?? 0,
            attributes: try row.bytes(4), value: try row.bytes(5), moved: try row.bytes(6))
    }
}

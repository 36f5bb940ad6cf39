internal import Database

/// Insertions ignore an existing key and check the count of changed rows: a database error would abort a server's transaction.
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

    func putBucket(_ number: Int, bytes: [UInt8]?) throws {
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

    func putLink(_ link: LinkRecord) throws {
        try transaction.change(
            """
            INSERT INTO links (counter, bytes) VALUES ($1, $2)
            ON CONFLICT (counter) DO UPDATE SET bytes = $2
            """, [try Self.counter(link.counter), .bytes(link.bytes)])
    }

    func removeLinks(_ range: ClosedRange<UInt64>) throws {
        try transaction.change(
            "DELETE FROM links WHERE counter BETWEEN $1 AND $2",
            [try Self.counter(range.lowerBound), try Self.counter(range.upperBound)])
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

    func insertEarlier(_ row: EarlierRecord) throws {
        let changed = try transaction.change(
            """
            INSERT INTO earlier (item_id, class, revision, format, attributes, value, moved)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
            """, row.values())
        if changed == 0 { throw DatabaseError.alreadyExists }
    }

    func removeEarlier(itemID: [UInt8], revision: UInt64) throws {
        guard let revision = Int64(exactly: revision) else { throw DatabaseError.missing }
        let changed = try transaction.change(
            "DELETE FROM earlier WHERE item_id = $1 AND revision = $2",
            [.bytes(itemID), .integer(revision)])
        if changed == 0 { throw DatabaseError.missing }
    }

    func removeAllEarlier() throws {
        try transaction.change("DELETE FROM earlier")
    }

    func removeAllBuckets() throws {
        try transaction.change("DELETE FROM buckets")
    }
}

extension ItemRecord {
    /// The columns of the row.
    ///
    /// - Throws: ``DatabaseError/damaged(reason:)`` for a revision that the column cannot hold.
    fileprivate func values() throws -> [DatabaseValue] {
        [
            .bytes(tag), .bytes(itemID), .integer(Int64(accessClass)), try .revision(revision),
            .integer(Int64(format)), .bytes(attributes), .bytes(value),
        ]
    }
}

extension EarlierRecord {
    /// The columns of the row.
    ///
    /// - Throws: ``DatabaseError/damaged(reason:)`` for a revision that the column cannot hold.
    fileprivate func values() throws -> [DatabaseValue] {
        [
            .bytes(itemID), .integer(Int64(accessClass)), try .revision(revision),
            .integer(Int64(format)), .bytes(attributes), .bytes(value), .bytes(moved),
        ]
    }
}

extension DatabaseValue {
    fileprivate static func revision(_ revision: UInt64) throws -> DatabaseValue {
        guard let revision = Int64(exactly: revision) else {
            throw DatabaseError.damaged(reason: "a revision is out of range")
        }
        return .integer(revision)
    }
}

internal import Database

/// What is read, as SQL. Types and ranges are checked; everything else about the content is for the vault to judge.
extension VaultDatabase {
    func header() throws(DatabaseError) -> [UInt8]? {
        try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement("SELECT bytes FROM header WHERE id = 1")
            return try statement.step() ? try statement.blob(at: 0) : nil
        }
    }

    func state() throws(DatabaseError) -> [UInt8]? {
        try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement("SELECT bytes FROM state WHERE id = 1")
            return try statement.step() ? try statement.blob(at: 0) : nil
        }
    }

    /// All bucket records of a sound file.
    ///
    /// Of more than 256 at least one of the first 257 has a number outside 0 to 255, because numbers are distinct and come in
    /// order: the rest would only use up memory.
    func buckets() throws(DatabaseError) -> [BucketRecord] {
        try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                "SELECT number, bytes FROM buckets ORDER BY number LIMIT 257")
            var records: [BucketRecord] = []
            while try statement.step() {
                records.append(
                    BucketRecord(
                        number: try statement.integer(at: 0), bytes: try statement.blob(at: 1)))
            }
            return records
        }
    }

    func item(tag: [UInt8]) throws(DatabaseError) -> ItemRecord? {
        try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                """
                SELECT tag, item_id, class, revision, format, attributes, value
                FROM items WHERE tag = ?1
                """)
            try statement.bind(tag, at: 1)
            return try statement.step() ? try ItemRecord(statement, from: 0) : nil
        }
    }

    /// As ``stateAndItem(tag:)``, outside a transaction only: without one, nothing is changed that is not committed.
    ///
    /// While nobody commits anything the state stays what it was, and is not fetched again.
    func committedStateAndItem(
        tag: [UInt8]
    ) throws(DatabaseError) -> (state: [UInt8]?, item: ItemRecord?) {
        if let committed = memory {
            let item = try item(tag: tag)
            if try dataVersion() == committed.version { return (committed.record, item) }
        }
        let both = try stateAndItem(tag: tag)
        memory = VaultSchema.CommittedState(version: try dataVersion(), record: both.state)
        return both
    }

    /// The version of the snapshot that was read last.
    private func dataVersion() throws(DatabaseError) -> UInt32 {
        try perform { (connection) throws(SQLiteError) in try connection.dataVersion() }
    }

    /// One statement, and so one snapshot also outside a transaction.
    private func stateAndItem(
        tag: [UInt8]
    ) throws(DatabaseError) -> (state: [UInt8]?, item: ItemRecord?) {
        try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                """
                SELECT state.id, state.bytes,
                    items.tag, item_id, class, revision, format, attributes, value
                FROM (SELECT 1) LEFT JOIN state ON state.id = 1 LEFT JOIN items ON items.tag = ?1
                """)
            try statement.bind(tag, at: 1)
            guard try statement.step() else { return (nil, nil) }
            // A key that is NULL means that there is no row; NULL elsewhere is damage.
            return (
                statement.isNull(at: 0) ? nil : try statement.blob(at: 1),
                statement.isNull(at: 2) ? nil : try ItemRecord(statement, from: 2)
            )
        }
    }

    /// Whether a row has bytes of more than `size` in one column.
    ///
    /// One pass over what stands in the rows' own pages. SQLite would read such a row whole each time that it looks for the place of another one.
    func hasItem(over size: Int) throws(DatabaseError) -> Bool {
        try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                """
                SELECT 1 FROM items
                WHERE typeof(value) = 'blob' AND length(value) > ?1
                    OR typeof(attributes) = 'blob' AND length(attributes) > ?1
                    OR typeof(tag) = 'blob' AND length(tag) > ?1
                    OR typeof(item_id) = 'blob' AND length(item_id) > ?1
                LIMIT 1
                """)
            try statement.bind(Int64(size), at: 1)
            return try statement.step()
        }
    }

    /// Calls `body` for the rows of one bucket, or of all.
    func forEachItem<Failure: Error>(
        inBucket bucket: UInt8?, _ body: (ItemRecord) throws(Failure) -> Void
    ) throws(StorageFailure<Failure>) {
        // The next row is fetched in one place and used in another, so that each failure keeps its type.
        let statement = try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
            try perform { (connection) throws(SQLiteError) in
                try Self.itemsStatement(inBucket: bucket, connection)
            }
        }
        while true {
            let item = try StorageFailure<Failure>.wrapping { () throws(DatabaseError) in
                try perform { (_) throws(SQLiteError) in
                    try statement.step() ? try ItemRecord(statement, from: 0) : nil
                }
            }
            guard let item else { return }
            do {
                try body(item)
            } catch {
                throw .body(error)
            }
        }
    }

    private static func itemsStatement(
        inBucket bucket: UInt8?, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> SQLiteStatement {
        guard let bucket else {
            return try connection.statement(
                """
                SELECT tag, item_id, class, revision, format, attributes, value
                FROM items ORDER BY tag
                """)
        }
        // Blobs compare byte by byte, and every other type sorts before them. No blob of one byte ends the last bucket.
        let statement =
            bucket == 255
            ? try connection.statement(
                """
                SELECT tag, item_id, class, revision, format, attributes, value
                FROM items WHERE tag >= ?1 ORDER BY tag
                """)
            : try connection.statement(
                """
                SELECT tag, item_id, class, revision, format, attributes, value
                FROM items WHERE tag >= ?1 AND tag < ?2 ORDER BY tag
                """)
        // A row whose tag is empty belongs to the first bucket, so that the vault meets it.
        try statement.bind(bucket == 0 ? [] : [bucket], at: 1)
        if bucket != 255 { try statement.bind([bucket + 1], at: 2) }
        return statement
    }
}

extension ItemRecord {
    /// Reads the seven columns of a row.
    ///
    /// A number that its type cannot hold becomes 0, which no sound row has: the vault names what is wrong with it.
    init(_ statement: borrowing SQLiteStatement, from first: Int32) throws(SQLiteError) {
        self.init(
            tag: try statement.blob(at: first), itemID: try statement.blob(at: first + 1),
            accessClass: UInt8(exactly: try statement.integer(at: first + 2)) ?? 0,
            revision: UInt64(exactly: try statement.integer(at: first + 3)) ?? 0,
            format: UInt32(exactly: try statement.integer(at: first + 4)) ?? 0,
            attributes: try statement.blob(at: first + 5), value: try statement.blob(at: first + 6))
    }
}

internal import Database

/// A connection to a database with a vault whose tables were looked at. Not thread-safe.
typealias PostgreSQLVault = PostgreSQLTables<PostgreSQLVaultSchema>

/// What is read, as SQL. Types and ranges are checked; everything else about the content is for the vault to judge.
extension PostgreSQLVault {
    func header() throws(DatabaseError) -> [UInt8]? {
        try perform { (connection) throws(PostgreSQLError) in
            try Self.only(connection.rows("SELECT bytes FROM taskvault.vault_header"))?
                .bytes(at: 0)
        }
    }

    func state() throws(DatabaseError) -> [UInt8]? {
        try perform { (connection) throws(PostgreSQLError) in
            try Self.only(connection.rows("SELECT bytes FROM taskvault.vault_state"))?
                .bytes(at: 0)
        }
    }

    /// All bucket records of a sound vault: of more than 256, one of the first 257 has a number that no bucket has.
    func buckets() throws(DatabaseError) -> [BucketRecord] {
        try perform { (connection) throws(PostgreSQLError) in
            let rows = try connection.rows(
                "SELECT number, bytes FROM taskvault.vault_buckets ORDER BY number LIMIT 257")
            var records: [BucketRecord] = []
            for row in rows {
                records.append(
                    BucketRecord(number: try row.integer(at: 0), bytes: try row.bytes(at: 1)))
            }
            return records
        }
    }

    func item(tag: [UInt8]) throws(DatabaseError) -> ItemRecord? {
        try perform { (connection) throws(PostgreSQLError) in
            let rows = try connection.rows(
                """
                SELECT tag, item_id, class, revision, format, attributes, value
                FROM taskvault.vault_items WHERE tag = $1
                """, [.bytes(tag)])
            guard let row = try Self.only(rows) else { return nil }
            return try ItemRecord(row, from: 0)
        }
    }

    /// One statement, and so one snapshot also outside a transaction.
    func stateAndItem(tag: [UInt8]) throws(DatabaseError) -> (state: [UInt8]?, item: ItemRecord?) {
        try perform { (connection) throws(PostgreSQLError) in
            let rows = try connection.rows(
                """
                SELECT vault_state.id, vault_state.bytes,
                    vault_items.tag, item_id, class, revision, format, attributes, value
                FROM (SELECT 1) AS one LEFT JOIN taskvault.vault_state ON true
                    LEFT JOIN taskvault.vault_items ON vault_items.tag = $1
                """, [.bytes(tag)])
            guard let row = try Self.only(rows) else { throw .mismatch }
            // A key that is NULL means that there is no row; NULL elsewhere is damage.
            return (
                row.isNull(at: 0) ? nil : try row.bytes(at: 1),
                row.isNull(at: 2) ? nil : try ItemRecord(row, from: 2)
            )
        }
    }

    /// Whether a row has bytes of more than `size` in one column; the server knows without fetching them.
    func hasItem(over size: Int) throws(DatabaseError) -> Bool {
        try perform { (connection) throws(PostgreSQLError) in
            let rows = try connection.rows(
                """
                SELECT 1 FROM taskvault.vault_items
                WHERE octet_length(value) > $1 OR octet_length(attributes) > $1
                    OR octet_length(tag) > $1 OR octet_length(item_id) > $1
                LIMIT 1
                """, [.integer(Int64(size))])
            return rows.count > 0
        }
    }

    /// Up to `count` rows whose tags are `start` or after it, and before `end`, in the order of their tags.
    func items(
        from start: [UInt8], to end: [UInt8]?, count: Int
    ) throws(DatabaseError) -> [ItemRecord] {
        try perform { (connection) throws(PostgreSQLError) in
            let rows =
                if let end {
                    try connection.rows(
                        """
                        SELECT tag, item_id, class, revision, format, attributes, value
                        FROM taskvault.vault_items WHERE tag >= $1 AND tag < $3
                        ORDER BY tag LIMIT $2
                        """, [.bytes(start), .integer(Int64(count)), .bytes(end)])
                } else {
                    try connection.rows(
                        """
                        SELECT tag, item_id, class, revision, format, attributes, value
                        FROM taskvault.vault_items WHERE tag >= $1 ORDER BY tag LIMIT $2
                        """, [.bytes(start), .integer(Int64(count))])
                }
            var items: [ItemRecord] = []
            for row in rows { items.append(try ItemRecord(row, from: 0)) }
            return items
        }
    }

    /// Whether there are no records at all.
    func isEmpty() throws(DatabaseError) -> Bool {
        try perform { (connection) throws(PostgreSQLError) in
            try connection.rows(
                """
                SELECT 1::bigint FROM taskvault.vault_header
                UNION ALL SELECT 1 FROM taskvault.vault_state
                UNION ALL SELECT 1 FROM taskvault.vault_buckets
                UNION ALL SELECT 1 FROM taskvault.vault_items LIMIT 1
                """
            ).isEmpty
        }
    }

    /// The row of a key; a second one is damage.
    private static func only(
        _ rows: [PostgreSQLRow]
    ) throws(PostgreSQLError) -> PostgreSQLRow? {
        guard rows.count < 2 else { throw .mismatch }
        return rows.first
    }
}

extension ItemRecord {
    /// Reads the seven columns of a row.
    ///
    /// A number that its type cannot hold becomes 0, which no sound row has: the vault names what is wrong with it.
    init(_ row: PostgreSQLRow, from first: Int32) throws(PostgreSQLError) {
        self.init(
            tag: try row.bytes(at: first), itemID: try row.bytes(at: first + 1),
            accessClass: UInt8(exactly: try row.integer(at: first + 2)) ?? 0,
            revision: UInt64(exactly: try row.integer(at: first + 3)) ?? 0,
            format: UInt32(exactly: try row.integer(at: first + 4)) ?? 0,
            attributes: try row.bytes(at: first + 5), value: try row.bytes(at: first + 6))
    }
}

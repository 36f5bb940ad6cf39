internal import Database

/// What is written, as SQL. To be called inside a transaction.
///
/// A key that is taken is no error of the server's, which would end the transaction: the row is not inserted, and that shows.
extension PostgreSQLVault {
    func putHeader(_ bytes: [UInt8]) throws(DatabaseError) {
        _ = try perform { (connection) throws(PostgreSQLError) in
            try connection.execute(
                """
                INSERT INTO taskvault.vault_header (id, bytes) VALUES (1, $1)
                ON CONFLICT (id) DO UPDATE SET bytes = $1
                """, [.bytes(bytes)])
        }
    }

    func insertState(_ bytes: [UInt8]) throws(DatabaseError) {
        let changed = try perform { (connection) throws(PostgreSQLError) in
            try connection.execute(
                """
                INSERT INTO taskvault.vault_state (id, bytes) VALUES (1, $1) ON CONFLICT DO NOTHING
                """, [.bytes(bytes)])
        }
        if changed == 0 { throw .alreadyExists }
    }

    func replaceState(_ old: [UInt8], with new: [UInt8]) throws(DatabaseError) -> Bool {
        try perform { (connection) throws(PostgreSQLError) in
            try connection.execute(
                "UPDATE taskvault.vault_state SET bytes = $2 WHERE id = 1 AND bytes = $1",
                [.bytes(old), .bytes(new)]) == 1
        }
    }

    func putBucket(_ number: UInt8, bytes: [UInt8]?) throws(DatabaseError) {
        _ = try perform { (connection) throws(PostgreSQLError) in
            guard let bytes else {
                return try connection.execute(
                    "DELETE FROM taskvault.vault_buckets WHERE number = $1",
                    [.integer(Int64(number))])
            }
            return try connection.execute(
                """
                INSERT INTO taskvault.vault_buckets (number, bytes) VALUES ($1, $2)
                ON CONFLICT (number) DO UPDATE SET bytes = $2
                """, [.integer(Int64(number)), .bytes(bytes)])
        }
    }

    func insertItem(_ item: ItemRecord) throws(DatabaseError) {
        let parameters = try item.parameters()
        let changed = try perform { (connection) throws(PostgreSQLError) in
            try connection.execute(
                """
                INSERT INTO taskvault.vault_items
                    (tag, item_id, class, revision, format, attributes, value)
                VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
                """, parameters)
        }
        if changed == 0 { throw .alreadyExists }
    }

    func replaceItem(_ item: ItemRecord) throws(DatabaseError) {
        let parameters = try item.parameters()
        let changed = try perform { (connection) throws(PostgreSQLError) in
            try connection.execute(
                """
                UPDATE taskvault.vault_items SET item_id = $2, class = $3, revision = $4,
                    format = $5, attributes = $6, value = $7
                WHERE tag = $1
                """, parameters)
        }
        if changed == 0 { throw .missing }
    }

    func removeItem(tag: [UInt8]) throws(DatabaseError) {
        let changed = try perform { (connection) throws(PostgreSQLError) in
            try connection.execute(
                "DELETE FROM taskvault.vault_items WHERE tag = $1", [.bytes(tag)])
        }
        if changed == 0 { throw .missing }
    }

    func removeAllBuckets() throws(DatabaseError) {
        _ = try perform { (connection) throws(PostgreSQLError) in
            try connection.execute("DELETE FROM taskvault.vault_buckets")
        }
    }
}

extension ItemRecord {
    fileprivate func parameters() throws(DatabaseError) -> [PostgreSQLParameter] {
        [
            .bytes(tag), .bytes(itemID), .integer(Int64(accessClass)),
            .integer(try storedRevision()), .integer(Int64(format)), .bytes(attributes),
            .bytes(value),
        ]
    }
}

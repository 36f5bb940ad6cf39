internal import Database

/// What is written, as SQL. To be called inside a transaction.
extension VaultDatabase {
    func putHeader(_ bytes: [UInt8]) throws(DatabaseError) {
        _ = try change(
            "INSERT INTO header (id, bytes) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET bytes = ?1"
        ) { (statement) throws(SQLiteError) in
            try statement.bind(bytes, at: 1)
        }
    }

    func insertState(_ bytes: [UInt8]) throws(DatabaseError) {
        _ = try change("INSERT INTO state (id, bytes) VALUES (1, ?1)") {
            (statement) throws(SQLiteError) in
            try statement.bind(bytes, at: 1)
        }
    }

    func replaceState(_ old: [UInt8], with new: [UInt8]) throws(DatabaseError) -> Bool {
        let changed = try change("UPDATE state SET bytes = ?2 WHERE id = 1 AND bytes = ?1") {
            (statement) throws(SQLiteError) in
            try statement.bind(old, at: 1)
            try statement.bind(new, at: 2)
        }
        return changed == 1
    }

    func putBucket(_ number: UInt8, bytes: [UInt8]?) throws(DatabaseError) {
        guard let bytes else {
            _ = try change("DELETE FROM buckets WHERE number = ?1") {
                (statement) throws(SQLiteError) in
                try statement.bind(Int64(number), at: 1)
            }
            return
        }
        _ = try change(
            """
            INSERT INTO buckets (number, bytes) VALUES (?1, ?2)
            ON CONFLICT (number) DO UPDATE SET bytes = ?2
            """
        ) { (statement) throws(SQLiteError) in
            try statement.bind(Int64(number), at: 1)
            try statement.bind(bytes, at: 2)
        }
    }

    func insertItem(_ item: ItemRecord) throws(DatabaseError) {
        let revision = try item.storedRevision()
        _ = try change(
            """
            INSERT INTO items (tag, item_id, class, revision, format, attributes, value)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        ) { (statement) throws(SQLiteError) in
            try item.bind(to: statement, revision: revision)
        }
    }

    func replaceItem(_ item: ItemRecord) throws(DatabaseError) {
        let revision = try item.storedRevision()
        let changed = try change(
            """
            UPDATE items SET item_id = ?2, class = ?3, revision = ?4, format = ?5,
                attributes = ?6, value = ?7
            WHERE tag = ?1
            """
        ) { (statement) throws(SQLiteError) in
            try item.bind(to: statement, revision: revision)
        }
        if changed == 0 { throw .missing }
    }

    func removeItem(tag: [UInt8]) throws(DatabaseError) {
        let changed = try change("DELETE FROM items WHERE tag = ?1") {
            (statement) throws(SQLiteError) in
            try statement.bind(tag, at: 1)
        }
        if changed == 0 { throw .missing }
    }

    func removeAllBuckets() throws(DatabaseError) {
        try perform { (connection) throws(SQLiteError) in
            try connection.execute("DELETE FROM buckets")
        }
    }

    /// Runs a statement to its end.
    ///
    /// - Returns: The number of rows that it changed.
    private func change(
        _ sql: StaticString, bind: (borrowing SQLiteStatement) throws(SQLiteError) -> Void
    ) throws(DatabaseError) -> Int {
        var isDuplicate = false
        let changed = try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(sql)
            try bind(statement)
            do throws(SQLiteError) {
                while try statement.step() {}
            } catch {
                // An answer, not a failure: the statement changed nothing and the transaction goes on.
                guard error.isDuplicateKey else { throw error }
                isDuplicate = true
            }
            return connection.changedRows
        }
        if isDuplicate { throw .alreadyExists }
        return changed
    }
}

extension ItemRecord {
    /// The revision in the type that SQLite has.
    ///
    /// - Throws: ``DatabaseError/damaged(reason:)`` over 2^63 − 1, which no vault reaches.
    func storedRevision() throws(DatabaseError) -> Int64 {
        guard let revision = Int64(exactly: revision) else {
            throw .damaged(reason: "a revision is out of range")
        }
        return revision
    }

    fileprivate func bind(
        to statement: borrowing SQLiteStatement, revision: Int64
    ) throws(SQLiteError) {
        try statement.bind(tag, at: 1)
        try statement.bind(itemID, at: 2)
        try statement.bind(Int64(accessClass), at: 3)
        try statement.bind(revision, at: 4)
        try statement.bind(Int64(format), at: 5)
        try statement.bind(attributes, at: 6)
        try statement.bind(value, at: 7)
    }
}

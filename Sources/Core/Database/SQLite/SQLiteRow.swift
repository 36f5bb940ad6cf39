internal import CSQLite

/// The current row of a statement. A column of an unexpected type is ``DatabaseError/damaged(reason:)``.
struct SQLiteRow: Row {
    let statement: PreparedStatement

    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement.pointer, column) == SQLITE_NULL
    }

    /// A column of bytes. The corresponding C function is `sqlite3_column_blob`.
    func bytes(_ column: Int32) throws -> [UInt8] {
        try require(SQLITE_BLOB, column)
        let start = unsafe sqlite3_column_blob(statement.pointer, column)
        return unsafe try copy(start, column)
    }

    /// The bytes of a column of text, valid UTF-8 or not. The corresponding C function is `sqlite3_column_text`.
    ///
    /// Bytes, because `String` compares by canonical equivalence and treats some different texts as equal.
    func textBytes(_ column: Int32) throws -> [UInt8] {
        try require(SQLITE_TEXT, column)
        let start = unsafe UnsafeRawPointer(sqlite3_column_text(statement.pointer, column))
        return unsafe try copy(start, column)
    }

    /// A column of text, created without an intermediate copy of its bytes.
    func text(_ column: Int32) throws -> String {
        try require(SQLITE_TEXT, column)
        let start = unsafe sqlite3_column_text(statement.pointer, column)
        let count = Int(unsafe sqlite3_column_bytes(statement.pointer, column))
        if count == 0 { return "" }
        guard let start = unsafe start else { throw missing() }
        let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
            throw DatabaseError.mismatch
        }
        return text
    }

    /// A column with an integer. The corresponding C function is `sqlite3_column_int64`.
    func integer(_ column: Int32) throws -> Int64 {
        try require(SQLITE_INTEGER, column)
        return unsafe sqlite3_column_int64(statement.pointer, column)
    }

    private func require(_ type: Int32, _ column: Int32) throws {
        guard unsafe sqlite3_column_type(statement.pointer, column) == type else {
            throw DatabaseError.mismatch
        }
    }

    private func copy(
        _ start: UnsafeRawPointer?, _ column: Int32
    ) throws -> [UInt8] {
        let count = Int(unsafe sqlite3_column_bytes(statement.pointer, column))
        if count == 0 { return [] }
        // The row has the length. But the bytes may be on further pages, and reading those can fail.
        guard let start = unsafe start else { throw missing() }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The error if the bytes of a column are missing.
    private func missing() -> DatabaseError {
        let handle = unsafe sqlite3_db_handle(statement.pointer)
        return statement.failure(unsafe sqlite3_extended_errcode(handle), "column")
    }
}

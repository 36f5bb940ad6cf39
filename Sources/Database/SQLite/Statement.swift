internal import CSQLite

/// One run of a prepared statement: bound, stepped, and reset when the value ends.
///
/// A run that gives rows belongs to one snapshot from its first step until it ends. What comes back is checked: a column of another
/// type than asked for is ``DatabaseError/Code/mismatch``, never a conversion. Not thread-safe.
public struct Statement: ~Copyable {
    private let prepared: PreparedStatement

    init(_ prepared: PreparedStatement) {
        self.prepared = prepared
        prepared.lend()
    }

    deinit {
        prepared.takeBack()
    }

    /// Binds a blob, of which SQLite keeps a copy until the run ends.
    ///
    /// - Parameters:
    ///   - bytes: The blob; empty is an empty blob, not NULL.
    ///   - index: The number of the parameter, from 1 on.
    /// - Throws: `DatabaseError` if there is no such parameter or no memory.
    public func bind(_ bytes: [UInt8], at index: Int32) throws(DatabaseError) {
        let statement = unsafe prepared.pointer
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe csqlite_bind_copy(
                statement, index, buffer.baseAddress, UInt64(buffer.count))
        }
        try check(result, .bind)
    }

    /// Binds a text, of which SQLite keeps a copy until the run ends.
    public func bind(text: String, at index: Int32) throws(DatabaseError) {
        let statement = unsafe prepared.pointer
        var text = text
        let result = text.withUTF8 { utf8 in
            unsafe csqlite_bind_text_copy(
                statement, index, utf8.baseAddress, UInt64(utf8.count))
        }
        try check(result, .bind)
    }

    /// Binds an integer. The corresponding C function is `sqlite3_bind_int64`.
    public func bind(_ integer: Int64, at index: Int32) throws(DatabaseError) {
        try check(unsafe sqlite3_bind_int64(prepared.pointer, index, integer), .bind)
    }

    /// Goes on to the next row. The corresponding C function is `sqlite3_step`.
    ///
    /// - Returns: `false` when there is none.
    public func step() throws(DatabaseError) -> Bool {
        let result = unsafe sqlite3_step(prepared.pointer)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw failure(result, .step)
    }

    /// Whether a column of the row is NULL.
    public func isNull(at column: Int32) -> Bool {
        unsafe sqlite3_column_type(prepared.pointer, column) == SQLITE_NULL
    }

    /// A blob of the row. The corresponding C function is `sqlite3_column_blob`.
    public func blob(at column: Int32) throws(DatabaseError) -> [UInt8] {
        try requireType(SQLITE_BLOB, at: column)
        let start = unsafe sqlite3_column_blob(prepared.pointer, column)
        return unsafe try copy(start, at: column)
    }

    /// The UTF-8 bytes of a text of the row, valid or not. The corresponding C function is `sqlite3_column_text`.
    ///
    /// Bytes, because Swift's `String` compares by canonical equivalence and would call different texts equal.
    public func text(at column: Int32) throws(DatabaseError) -> [UInt8] {
        try requireType(SQLITE_TEXT, at: column)
        let start = unsafe UnsafeRawPointer(sqlite3_column_text(prepared.pointer, column))
        return unsafe try copy(start, at: column)
    }

    /// A text of the row as a string, without a copy of its bytes in between; nil if it is not valid UTF-8.
    public func string(at column: Int32) throws(DatabaseError) -> String? {
        try requireType(SQLITE_TEXT, at: column)
        let start = unsafe sqlite3_column_text(prepared.pointer, column)
        let count = Int(unsafe sqlite3_column_bytes(prepared.pointer, column))
        if count == 0 { return "" }
        guard let start = unsafe start else { throw missing() }
        return unsafe String(
            validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// An integer of the row. The corresponding C function is `sqlite3_column_int64`.
    public func integer(at column: Int32) throws(DatabaseError) -> Int64 {
        try requireType(SQLITE_INTEGER, at: column)
        return unsafe sqlite3_column_int64(prepared.pointer, column)
    }

    private func requireType(_ type: Int32, at column: Int32) throws(DatabaseError) {
        guard unsafe sqlite3_column_type(prepared.pointer, column) == type else {
            throw DatabaseError(extendedCode: SQLITE_MISMATCH, operation: .column)
        }
    }

    private func copy(
        _ start: UnsafeRawPointer?, at column: Int32
    ) throws(DatabaseError) -> [UInt8] {
        let count = Int(unsafe sqlite3_column_bytes(prepared.pointer, column))
        if count == 0 { return [] }
        // The length is known from the row; the bytes may lie on further pages, and fetching them can fail.
        guard let start = unsafe start else { throw missing() }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Why a column that has bytes did not give them.
    private func missing() -> DatabaseError {
        failure(unsafe sqlite3_extended_errcode(sqlite3_db_handle(prepared.pointer)), .column)
    }

    private func check(_ result: Int32, _ operation: DatabaseError.Operation) throws(DatabaseError)
    {
        guard result == SQLITE_OK else { throw failure(result, operation) }
    }

    private func failure(_ result: Int32, _ operation: DatabaseError.Operation) -> DatabaseError {
        unsafe DatabaseError(result, on: sqlite3_db_handle(prepared.pointer), operation)
    }
}

internal import CSQLite

/// One run of a prepared statement: bound, stepped, and reset when the value ends.
///
/// A run sees one snapshot from its first step until it ends. Types are checked: a column of an unexpected type is
/// ``DatabaseError/damaged(reason:)``; types are never converted. Not thread-safe.
public struct SQLiteStatement: ~Copyable {
    private let prepared: PreparedStatement

    init(_ prepared: PreparedStatement) {
        self.prepared = prepared
        prepared.acquire()
    }

    deinit {
        prepared.release()
    }

    /// Binds all parameters `$1`, `$2`, …; SQLite keeps copies until the run ends.
    ///
    /// The corresponding C functions are `sqlite3_bind_blob64`, `sqlite3_bind_text64` and `sqlite3_bind_int64`.
    func bind(_ values: [DatabaseValue]) throws {
        // SQLite would treat a parameter without a value as NULL.
        guard values.count == prepared.parameters.count else {
            throw prepared.failure(SQLITE_RANGE, "bind")
        }
        let statement = unsafe prepared.pointer
        for (index, value) in zip(prepared.parameters, values) {
            let result: Int32
            switch value {
            case .bytes(let bytes?):
                result = unsafe bytes.withUnsafeBytes { buffer in
                    unsafe csqlite_bind_copy(
                        statement, index, buffer.baseAddress, UInt64(buffer.count))
                }
            case .text(var text?):
                result = text.withUTF8 { utf8 in
                    unsafe csqlite_bind_text_copy(
                        statement, index, utf8.baseAddress, UInt64(utf8.count))
                }
            case .integer(let integer?):
                result = unsafe sqlite3_bind_int64(statement, index, integer)
            // Parameters are initially NULL.
            case .bytes(nil), .text(nil), .integer(nil): continue
            }
            guard result == SQLITE_OK else { throw prepared.failure(result, "bind") }
        }
    }

    /// Advances to the next row. The corresponding C function is `sqlite3_step`.
    ///
    /// - Returns: `false` after the last row.
    public func step() throws -> Bool {
        let result = unsafe sqlite3_step(prepared.pointer)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw prepared.failure(result, "step")
    }

    /// The current row, valid until the next step.
    var row: SQLiteRow { SQLiteRow(statement: prepared) }
}

internal import CSQLite

/// One run of a prepared statement: bound, stepped, and reset when the value ends.
///
/// A run sees one snapshot from its first step until it ends. Types are checked: a column of an unexpected type is
/// ``DatabaseError/damaged(reason:)``; types are never converted. Not thread-safe.
public struct SQLiteStatement: ~Copyable {
    /// The size from which ``finish(_:)`` copies no bytes, in bytes.
    private static let lentSize = 65_536

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
        for (index, value) in zip(prepared.parameters, values) {
            let result = bind(value, at: index)
            guard result == SQLITE_OK else { throw prepared.failure(result, "bind") }
        }
    }

    private func bind(_ value: DatabaseValue, at index: Int32) -> Int32 {
        let statement = unsafe prepared.pointer
        switch value {
        case .bytes(let bytes?):
            return unsafe bytes.withUnsafeBytes { buffer in
                unsafe csqlite_bind_copy(
                    statement, index, buffer.baseAddress, UInt64(buffer.count))
            }
        case .text(var text?):
            return text.withUTF8 { utf8 in
                unsafe csqlite_bind_text_copy(
                    statement, index, utf8.baseAddress, UInt64(utf8.count))
            }
        case .integer(let integer?):
            return unsafe sqlite3_bind_int64(statement, index, integer)
        // Parameters are initially NULL.
        case .bytes(nil), .text(nil), .integer(nil): return SQLITE_OK
        }
    }

    /// Binds all parameters, and steps to the end. SQLite reads large bytes where they are: a copy of a mebibyte costs a tenth of its insertion.
    func finish(_ values: [DatabaseValue]) throws {
        let large = values.firstIndex { value in
            if case .bytes(let bytes?) = value { bytes.count >= Self.lentSize } else { false }
        }
        guard let large, case .bytes(let bytes?) = values[large] else {
            try bind(values)
            while try step() {}
            return
        }
        var others = values
        others[large] = .bytes(nil)
        try bind(others)
        try unsafe bytes.withUnsafeBytes { buffer in
            let result = unsafe csqlite_bind_lent(
                prepared.pointer, prepared.parameters[large], buffer.baseAddress,
                UInt64(buffer.count))
            // Before the bytes may move.
            defer { prepared.release() }
            guard result == SQLITE_OK else { throw prepared.failure(result, "bind") }
            while try step() {}
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

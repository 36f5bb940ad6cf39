internal import CPostgreSQL

/// A row of an answer.
///
/// Types are checked: a column of an unexpected type is ``DatabaseError/damaged(reason:)``; types are never converted.
@safe public final class PostgreSQLRow: Row {
    private let functions: UnsafePointer<cpostgresql_library>
    private let result: OpaquePointer
    /// The size of all values in bytes.
    let size: Int

    /// Takes ownership of a result of exactly one row.
    init(_ result: OpaquePointer, _ functions: UnsafePointer<cpostgresql_library>) {
        unsafe self.result = unsafe result
        unsafe self.functions = unsafe functions
        var size = 0
        for column in 0..<(unsafe functions.pointee.PQnfields(result)) {
            size += Int(unsafe functions.pointee.PQgetlength(result, 0, column))
        }
        self.size = size
    }

    deinit {
        unsafe functions.pointee.PQclear(result)
    }

    /// Whether a column is NULL.
    public func isNull(_ column: Int32) -> Bool {
        unsafe functions.pointee.PQgetisnull(result, 0, column) != 0
    }

    /// A `bytea`.
    public func bytes(_ column: Int32) throws -> [UInt8] {
        try value(column, .bytes)
    }

    /// A `bigint`.
    public func integer(_ column: Int32) throws -> Int64 {
        let bytes = try value(column, .integer)
        guard bytes.count == 8 else { throw DatabaseError.mismatch }
        return Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// A `text`.
    public func text(_ column: Int32) throws -> String {
        let bytes = try value(column, .text)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw DatabaseError.mismatch
        }
        return text
    }

    /// The corresponding C functions are `PQftype`, `PQfformat`, `PQgetisnull`, `PQgetlength` and `PQgetvalue`.
    private func value(
        _ column: Int32, _ type: PostgreSQLType
    ) throws -> [UInt8] {
        let functions = unsafe self.functions.pointee
        guard (0..<(unsafe functions.PQnfields(result))).contains(column),
            unsafe functions.PQftype(result, column) == type.rawValue,
            // Text has the same bytes in both formats.
            unsafe functions.PQfformat(result, column) == 1 || type == .text,
            unsafe functions.PQgetisnull(result, 0, column) == 0
        else { throw DatabaseError.mismatch }
        let count = Int(unsafe functions.PQgetlength(result, 0, column))
        guard count > 0, let start = unsafe functions.PQgetvalue(result, 0, column) else {
            return []
        }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}

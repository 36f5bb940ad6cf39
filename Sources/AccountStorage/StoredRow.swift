internal import Database

/// A row as one of the databases gives it.
protocol StoredRow: ~Copyable {
    associatedtype Failure: Error

    /// What is thrown for a column that this program never writes so.
    static var mismatch: Failure { get }

    func isNull(at column: Int32) -> Bool
    func integer(at column: Int32) throws(Failure) -> Int64
    func bytes(at column: Int32) throws(Failure) -> [UInt8]
    /// A text; nil if it is not valid Unicode.
    func string(at column: Int32) throws(Failure) -> String?
}

extension SQLiteStatement: StoredRow {
    static var mismatch: SQLiteError {
        SQLiteError(extendedCode: SQLiteError.Code.mismatch.rawValue, operation: .column)
    }

    func bytes(at column: Int32) throws(SQLiteError) -> [UInt8] {
        try blob(at: column)
    }
}

extension PostgreSQLRow: StoredRow {
    static var mismatch: PostgreSQLError { .mismatch }

    func string(at column: Int32) throws(PostgreSQLError) -> String? {
        try text(at: column)
    }
}

/// A value for a parameter of a statement; nil is NULL.
enum StoredParameter {
    case bytes([UInt8]?)
    case integer(Int64?)
    case text(String)
}

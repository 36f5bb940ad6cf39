internal import CSQLite

/// Why a call of SQLite failed.
///
/// It holds codes only: never SQL, bound values or stored bytes, nor SQLite's own message, which may quote them.
public struct SQLiteError: Error, Sendable, Hashable {
    /// The failed operation.
    public enum Operation: String, Sendable {
        case open, configure, prepare, bind, step, column, execute, checkpoint, backup, inspect
    }

    /// A primary result code of SQLite.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number, as in `sqlite3.h`.
        public let rawValue: Int32

        /// Creates a code from its number.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }
    }

    /// The primary result code.
    public let code: Code
    /// The extended result code, with details of the same failure.
    public let extendedCode: Int32
    /// `errno` of the last failed system call on this connection, or 0.
    public let systemError: Int32
    /// The failed operation.
    public let operation: Operation

    /// Creates an error from an extended result code.
    public init(extendedCode: Int32, systemError: Int32 = 0, operation: Operation) {
        self.code = Code(rawValue: extendedCode & 0xff)
        self.extendedCode = extendedCode
        self.systemError = systemError
        self.operation = operation
    }

    /// Creates an error of the last failure on a connection. The corresponding C function is `sqlite3_system_errno`.
    init(_ result: Int32, on handle: OpaquePointer?, _ operation: Operation) {
        let systemError =
            if let handle = unsafe handle { unsafe sqlite3_system_errno(handle) } else { Int32(0) }
        self.init(extendedCode: result, systemError: systemError, operation: operation)
    }
}

extension SQLiteError: CustomStringConvertible {
    /// The operation, the codes, and SQLite's fixed text for them (`sqlite3_errstr`).
    public var description: String {
        let text = unsafe String(cString: sqlite3_errstr(extendedCode))
        return "\(operation.rawValue): \(text) (\(code.rawValue), \(extendedCode))"
    }
}

extension SQLiteError.Code {
    /// A general error, such as SQL that does not match the schema.
    public static let error = Self(rawValue: SQLITE_ERROR)
    /// The system denied access.
    public static let permission = Self(rawValue: SQLITE_PERM)
    /// Another connection holds the database.
    public static let busy = Self(rawValue: SQLITE_BUSY)
    /// This connection holds the table.
    public static let locked = Self(rawValue: SQLITE_LOCKED)
    /// Memory is exhausted.
    public static let outOfMemory = Self(rawValue: SQLITE_NOMEM)
    /// The database cannot be written.
    public static let readOnly = Self(rawValue: SQLITE_READONLY)
    /// Reading, writing or syncing failed.
    public static let inputOutput = Self(rawValue: SQLITE_IOERR)
    /// The database is malformed.
    public static let corrupt = Self(rawValue: SQLITE_CORRUPT)
    /// No space left on the device.
    public static let full = Self(rawValue: SQLITE_FULL)
    /// A file could not be opened.
    public static let cannotOpen = Self(rawValue: SQLITE_CANTOPEN)
    /// A blob or text exceeds the connection's limit.
    public static let tooBig = Self(rawValue: SQLITE_TOOBIG)
    /// A constraint of the schema was violated, for instance by a duplicate key.
    public static let constraint = Self(rawValue: SQLITE_CONSTRAINT)
    /// A column has an unexpected type.
    public static let mismatch = Self(rawValue: SQLITE_MISMATCH)
    /// A call that is not allowed in this state of the connection, such as one after `close()`.
    public static let misuse = Self(rawValue: SQLITE_MISUSE)
    /// The file is not a database.
    public static let notADatabase = Self(rawValue: SQLITE_NOTADB)
}

extension SQLiteError {
    /// Whether a primary key already exists.
    public var isDuplicateKey: Bool {
        // SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE are macros that Swift does not import.
        extendedCode == SQLITE_CONSTRAINT | (6 << 8) || extendedCode == SQLITE_CONSTRAINT | (8 << 8)
    }

    /// Whether memory was exhausted, also during reading or writing (`SQLITE_IOERR_NOMEM`).
    public var isOutOfMemory: Bool {
        code == .outOfMemory || extendedCode == SQLITE_IOERR | (12 << 8)
    }
}

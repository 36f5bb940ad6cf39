internal import CSQLite

/// Why a call of SQLite failed.
///
/// It carries codes only: never SQL, bound values or stored bytes, and not SQLite's own message, which may quote them.
public struct SQLiteError: Error, Sendable, Hashable {
    /// What was being done.
    public enum Operation: String, Sendable {
        case open, configure, prepare, bind, step, column, execute, checkpoint, backup, inspect
    }

    /// A primary result code of SQLite.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number, as in `sqlite3.h`.
        public let rawValue: Int32

        /// Makes a code from its number.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }
    }

    /// The primary result code.
    public let code: Code
    /// The extended result code, which says more about the same failure.
    public let extendedCode: Int32
    /// `errno` of the system call that failed last on this connection, or 0.
    public let systemError: Int32
    /// What was being done.
    public let operation: Operation

    /// Makes an error from an extended result code.
    public init(extendedCode: Int32, systemError: Int32 = 0, operation: Operation) {
        self.code = Code(rawValue: extendedCode & 0xff)
        self.extendedCode = extendedCode
        self.systemError = systemError
        self.operation = operation
    }

    /// Makes an error of the last failure on a connection. The corresponding C function is `sqlite3_system_errno`.
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
    /// SQL that does not fit the schema, among others.
    public static let error = Self(rawValue: SQLITE_ERROR)
    /// The system denied access.
    public static let permission = Self(rawValue: SQLITE_PERM)
    /// Another connection holds the database.
    public static let busy = Self(rawValue: SQLITE_BUSY)
    /// This connection holds the table.
    public static let locked = Self(rawValue: SQLITE_LOCKED)
    /// No memory.
    public static let outOfMemory = Self(rawValue: SQLITE_NOMEM)
    /// The database cannot be written.
    public static let readOnly = Self(rawValue: SQLITE_READONLY)
    /// Reading, writing or syncing failed.
    public static let inputOutput = Self(rawValue: SQLITE_IOERR)
    /// The file is not a sound database.
    public static let corrupt = Self(rawValue: SQLITE_CORRUPT)
    /// No space left.
    public static let full = Self(rawValue: SQLITE_FULL)
    /// A file could not be opened.
    public static let cannotOpen = Self(rawValue: SQLITE_CANTOPEN)
    /// A blob or text is longer than the connection allows.
    public static let tooBig = Self(rawValue: SQLITE_TOOBIG)
    /// A rule of the schema was broken, a second row with one key for instance.
    public static let constraint = Self(rawValue: SQLITE_CONSTRAINT)
    /// A column has another type than the caller expected.
    public static let mismatch = Self(rawValue: SQLITE_MISMATCH)
    /// A call that the state of the connection does not allow, such as one after `close()`.
    public static let misuse = Self(rawValue: SQLITE_MISUSE)
    /// The file is no database at all.
    public static let notADatabase = Self(rawValue: SQLITE_NOTADB)
}

extension SQLiteError {
    /// Whether a primary key was taken already.
    public var isDuplicateKey: Bool {
        // SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE are expressions that are not imported.
        extendedCode == SQLITE_CONSTRAINT | (6 << 8) || extendedCode == SQLITE_CONSTRAINT | (8 << 8)
    }

    /// Whether memory was used up, also in the middle of reading or writing (`SQLITE_IOERR_NOMEM`).
    public var isOutOfMemory: Bool {
        code == .outOfMemory || extendedCode == SQLITE_IOERR | (12 << 8)
    }
}

internal import CSQLite
internal import Platform

extension DatabaseError {
    /// Translates a result code of SQLite. No case contains SQLite's message, which may quote SQL or stored bytes.
    ///
    /// - Parameters:
    ///   - result: The extended result code.
    ///   - systemError: `errno` of the last failed system call on the connection, or 0.
    ///   - operation: The failed operation, such as `step`.
    init(sqlite result: Int32, systemError: Int32 = 0, operation: String) {
        let failed = Self.inputOutput(operation: operation, code: Int(result))
        self =
            switch result & 0xff {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_FULL: .full
            case SQLITE_NOMEM: .outOfMemory
            case SQLITE_READONLY, SQLITE_PERM: .readOnly
            case SQLITE_NOTADB: .foreign(reason: "not an SQLite database")
            case SQLITE_CORRUPT: .damaged(reason: "SQLite found a malformed page")
            case SQLITE_MISMATCH: .mismatch
            case SQLITE_TOOBIG: .damaged(reason: "a row exceeds the maximum size")
            case SQLITE_ERROR: .damaged(reason: "the tables changed after they were checked")
            case SQLITE_CONSTRAINT: .damaged(reason: "a row violates the schema")
            case SQLITE_MISUSE, SQLITE_INTERRUPT: .closed
            // SQLITE_IOERR_NOMEM is a macro that Swift does not import.
            case SQLITE_IOERR where result == SQLITE_IOERR | (12 << 8): .outOfMemory
            case SQLITE_CANTOPEN, SQLITE_IOERR:
                switch systemError {
                case ENOSPC, EDQUOT: .full
                case ENOMEM: .outOfMemory
                case EROFS: .readOnly
                case EACCES where result & 0xff == SQLITE_CANTOPEN: .readOnly
                case EPERM where result & 0xff == SQLITE_CANTOPEN: .readOnly
                case ENOENT where result & 0xff == SQLITE_CANTOPEN: .notFound
                default: failed
                }
            default: failed
            }
    }

    /// A column has another type than the program reads.
    static let mismatch = damaged(reason: "a column has an unexpected type or range")
}

extension SQLiteConnection {
    /// The error of a failed call. Some errors make the connection unusable, because its memory may differ from the medium. For example,
    /// after a failed sync the system discards the unwritten pages, and the next sync succeeds.
    ///
    /// The corresponding C function is `sqlite3_system_errno`.
    ///
    /// - Parameters:
    ///   - result: The extended result code.
    ///   - operation: The failed operation.
    ///   - other: The connection that reported the error, if it is another one.
    /// - Returns: The error.
    func failure(
        _ result: Int32, _ operation: String, on other: SQLiteConnection? = nil
    ) -> DatabaseError {
        switch result & 0xff {
        case SQLITE_BUSY where interruption.hasHappened: return .closed
        case SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CANTOPEN, SQLITE_MISUSE,
            SQLITE_ERROR:
            isBroken = true
        default: break
        }
        let systemError =
            if let handle = unsafe (other ?? self).handle {
                unsafe sqlite3_system_errno(handle)
            } else { Int32(0) }
        return DatabaseError(sqlite: result, systemError: systemError, operation: operation)
    }
}

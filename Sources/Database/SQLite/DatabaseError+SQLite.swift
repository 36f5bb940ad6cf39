internal import Platform

extension DatabaseError {
    /// Translates every result code of SQLite.
    package init(_ error: SQLiteError) {
        self =
            switch error.code {
            case .busy, .locked: .busy
            case .full: .full
            case .outOfMemory: .outOfMemory
            case .readOnly, .permission: .readOnly
            case .notADatabase: .foreign(reason: "not an SQLite database")
            case .corrupt: .damaged(reason: "SQLite found a malformed page")
            case .mismatch: .damaged(reason: "a column has another type or range than it should")
            case .tooBig: .damaged(reason: "a row is larger than any that is written")
            case .error: .damaged(reason: "the tables are not those that were checked")
            case .constraint: .damaged(reason: "a row breaks the schema")
            case .misuse: .closed
            case .cannotOpen, .inputOutput: Self.inputOutput(error)
            default:
                .inputOutput(operation: error.operation.rawValue, code: Int(error.extendedCode))
            }
    }

    /// The specific error behind SQLite's general codes, if the system reported one.
    private static func inputOutput(_ error: SQLiteError) -> DatabaseError {
        if error.isOutOfMemory { return .outOfMemory }
        switch error.systemError {
        case ENOSPC, EDQUOT:
            return .full
        case ENOMEM:
            return .outOfMemory
        case EACCES where error.code == .cannotOpen, EPERM where error.code == .cannotOpen, EROFS:
            return .readOnly
        case ENOENT where error.code == .cannotOpen:
            return .notFound
        default:
            return .inputOutput(
                operation: error.operation.rawValue, code: Int(error.extendedCode))
        }
    }
}

extension SQLiteError {
    /// Whether this error requires closing the connection, because its memory may differ from the medium. After a failed sync, for
    /// instance, the system discards the unwritten pages and the next sync succeeds.
    package var endsConnection: Bool {
        switch code {
        case .inputOutput, .corrupt, .notADatabase, .cannotOpen, .misuse, .error: true
        default: false
        }
    }
}

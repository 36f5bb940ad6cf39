internal import Platform

extension DatabaseError {
    /// Translates the `errno` of every system call.
    package init(systemError code: Int32, operation: String) {
        self =
            switch code {
            case ENOENT, ENOTDIR: .notFound
            case EEXIST: .alreadyExists
            case EACCES, EPERM, EROFS: .readOnly
            case ENOSPC, EDQUOT: .full
            case ENOMEM: .outOfMemory
            default: .inputOutput(operation: operation, code: Int(code))
            }
    }
}

internal import Platform

extension DatabaseError {
    /// The error of a database for an error of ``Platform``; its own errors stay.
    package init(translating error: any Error) {
        self =
            switch error {
            case let error as DatabaseError: error
            case let error as SQLiteError: Self(error)
            case let error as SystemFailure: Self(error)
            case let error as UnusableFile:
                .unsafeLocation(path: error.path, reason: error.reason)
            default: .inputOutput(operation: "storage", code: 0)
            }
    }

    private init(_ failure: SystemFailure) {
        self =
            switch failure.code {
            case ENOENT, ENOTDIR: .notFound
            case EEXIST: .alreadyExists
            case EACCES, EPERM, EROFS: .readOnly
            case ENOSPC, EDQUOT: .full
            case ENOMEM: .outOfMemory
            default: .inputOutput(operation: failure.call, code: Int(failure.code))
            }
    }
}

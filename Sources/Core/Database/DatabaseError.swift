internal import Platform

/// Why a database could not be opened, read or changed. No case carries stored bytes.
public enum DatabaseError: Error, Sendable, Hashable {
    /// The database does not exist.
    case notFound
    /// The database, the tag or the state record already exists.
    case alreadyExists
    /// The row to change does not exist.
    case missing
    /// The file is empty or not a vault file, or the tables are not those of a vault. `reason` is the detected difference.
    case foreign(reason: String)
    /// A newer version of the program wrote the file, with this storage version.
    case newerVersion(Int)
    /// An earlier build wrote the file, or the named schema on the server. This build cannot read its tables.
    case earlierBuild(schema: String?)
    /// The file or its folder is not safe to use (symbolic link, other owner, readable by others, …).
    case unsafeLocation(path: String, reason: String)
    /// SQLite, or a type check of its results, found the file damaged.
    case damaged(reason: String)
    /// The file or its medium is not writable.
    case readOnly
    /// No space left on the device.
    case full
    /// Another process held a lock for longer than the timeout.
    case busy
    /// The server cannot be reached, rejects the user, or must not be used. `reason` contains no password.
    case unreachable(reason: String)
    /// The server's answer is larger than the limit.
    case tooLarge
    /// The connection was lost during a commit. It is unknown whether the changes were stored.
    case outcomeUnknown
    /// The storage was closed.
    case closed
    /// Memory is exhausted.
    case outOfMemory
    /// Reading, writing or syncing failed; `code` is SQLite's extended result code or `errno`.
    case inputOutput(operation: String, code: Int)
}

extension DatabaseError {
    /// Translates an error of `Platform`; errors of a database stay unchanged.
    package init(translating error: any Error) {
        self =
            switch error {
            case let error as DatabaseError: error
            case let error as SystemFailure: Self(error)
            case let error as UnusableFile:
                .unsafeLocation(path: error.path, reason: error.reason)
            default: .inputOutput(operation: "storage", code: 0)
            }
    }

    /// Why the file at a path, or one that SQLite keeps beside it, cannot be used whatever the access to its folder. A restore sets such a
    /// file aside.
    ///
    /// - Returns: The reason; nil for an error that has another cause.
    package func fault(ofFile path: String) -> String? {
        let (folder, name) = SafeFolder.split(path)
        switch self {
        case .damaged(let reason), .foreign(let reason): return reason
        case .newerVersion: return "a newer version of TaskVault wrote it"
        case .earlierBuild: return "an earlier build of TaskVault wrote it"
        case .unsafeLocation(let found, let reason):
            let names = ([""] + VaultLocation.companionSuffixes).map { name + $0 }
            return names.contains(SafeFolder.split(found).name) ? reason : nil
        case .readOnly: return FileSystem.isWritable(folder) ? "it cannot be written" : nil
        default: return nil
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

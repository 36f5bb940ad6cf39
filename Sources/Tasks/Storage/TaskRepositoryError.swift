/// Why a database of tasks did not do what it was asked. No case carries words of a task.
public enum TaskRepositoryError: Error, Sendable, Hashable {
    /// There is no such task.
    case missing(TaskID)
    /// There is a task of this id already.
    case alreadyExists(TaskID)
    /// The task was changed by somebody else: it has revision `found`, the caller expected another.
    case conflict(TaskID, found: UInt64)
    /// The words cannot be stored.
    case invalid(TaskTextRule.Violation)
    /// What is there is not a database of tasks; `reason` says how that was seen.
    case foreign(reason: String)
    /// It was written by a newer version of the program, with this schema version.
    case newerVersion(Int)
    /// The file or its folder is not safe to use.
    case unsafeLocation(path: String, reason: String)
    /// It is damaged.
    case damaged(reason: String)
    /// The server cannot be reached, does not let us in, or must not be used; `reason` says why, without a password.
    case unreachable(reason: String)
    /// The connection was lost while changes were being committed: whether they are there is not known.
    case outcomeUnknown
    /// It can be read and not written.
    case readOnly
    /// No space left.
    case full
    /// Others held it longer than this caller waits.
    case busy
    /// The list is in another place by now.
    case moved
    /// It was closed.
    case closed
    /// Memory is used up.
    case outOfMemory
    /// Anything else; `detail` says what, for a person.
    case failed(detail: String)
}

/// The failure of a call that ran a caller's function: the repository's own, or the function's.
public enum TaskRepositoryFailure<Body: Error>: Error {
    /// The repository failed.
    case repository(TaskRepositoryError)
    /// The caller's function threw.
    case body(Body)
}

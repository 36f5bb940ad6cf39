/// Why a database could not be opened, read or changed. No case carries stored bytes.
public enum DatabaseError: Error, Sendable, Hashable {
    /// There is no database at the place.
    case notFound
    /// There is one already, or the tag, or the state record.
    case alreadyExists
    /// The row to be changed is not there.
    case missing
    /// The file is empty or is not a vault file, or the tables are not those of a vault; `reason` says how that was seen.
    case foreign(reason: String)
    /// The file was written by a newer version of the program, with this storage version.
    case newerVersion(Int)
    /// The file or its folder is not safe to use (symbolic link, other owner, readable by others, …).
    case unsafeLocation(path: String, reason: String)
    /// SQLite, or a type check on what it returned, found the file damaged.
    case damaged(reason: String)
    /// The file, or the medium that it is on, cannot be written.
    case readOnly
    /// No space left on the device.
    case full
    /// Another process held the vault longer than this one was ready to wait.
    case busy
    /// The server cannot be reached, does not let us in, or must not be used; `reason` says why, without a password.
    case unreachable(reason: String)
    /// The connection was lost while changes were being committed: whether they are there is not known.
    case outcomeUnknown
    /// The storage was closed.
    case closed
    /// Memory is used up.
    case outOfMemory
    /// Reading, writing or syncing failed; `code` is SQLite's extended result code or `errno`.
    case inputOutput(operation: String, code: Int)
}

/// How a database is opened. Nothing is on by default that helps a hostile file.
public struct SQLiteOptions: Sendable, Hashable {
    /// What the connection may do with the file.
    public enum Access: Sendable {
        /// Reads only. Beside a database with a log, SQLite still needs to make or change the log's index.
        case readOnly
        /// Reads a file that nobody changes while it is open, without locks and without looking at a log.
        case readOnlyImmutable
        /// Reads and writes a file that exists.
        case readWrite
        /// Reads and writes, and makes the file where there is none.
        case create
    }

    /// What the connection may do with the file.
    public var access: Access
    /// Whether statements that change anything are refused, whatever the access (`PRAGMA query_only`).
    public var refusesChanges: Bool
    /// Whether the connection keeps the file to itself until it closes. It then needs no shared memory beside the file, which takes 32 KiB.
    public var isAlone: Bool
    /// How long a call waits for other connections; cut to milliseconds.
    public var busyTimeout: Duration
    /// The size in bytes over which a blob, text, row or SQL text is an error, so that a damaged length cannot use up memory.
    public var maximumLength: Int32

    /// Makes options.
    public init(
        access: Access, refusesChanges: Bool = false, isAlone: Bool = false,
        busyTimeout: Duration = .seconds(5), maximumLength: Int32 = 64 * 1_024 * 1_024
    ) {
        self.access = access
        self.refusesChanges = refusesChanges
        self.isAlone = isAlone
        self.busyTimeout = busyTimeout
        self.maximumLength = maximumLength
    }
}

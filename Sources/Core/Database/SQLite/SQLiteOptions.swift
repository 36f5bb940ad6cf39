internal import CSQLite

/// The options for opening a database. The defaults are safe for an untrusted file.
public struct SQLiteOptions: Sendable, Hashable {
    /// The access of a connection to the file.
    public enum Access: Sendable {
        /// Reads only. For a database with a log, SQLite still creates or changes the log's index.
        case readOnly
        /// Reads an immutable file, without locks and without a log.
        case readOnlyImmutable
        /// Reads and writes an existing file.
        case readWrite
        /// Reads and writes, and creates a missing file.
        case create
    }

    /// The access of the connection to the file.
    public var access: Access
    /// Whether to reject changing statements, for any access (`PRAGMA query_only`).
    public var refusesChanges: Bool
    /// Whether the connection locks the file until it closes. It then needs no shared memory file, which takes 32 KiB.
    public var isExclusive: Bool
    /// How long a call waits for other connections; truncated to milliseconds.
    public var lockTimeout: Duration
    /// The maximum size of a blob, text, row or SQL text, in bytes, so that a damaged length cannot exhaust memory.
    public var maximumLength: Int32
    /// Ends calls from another thread.
    public var interruption: Interruption

    /// Creates options.
    public init(
        access: Access, refusesChanges: Bool = false, isExclusive: Bool = false,
        lockTimeout: Duration = DatabaseOptions.standardLockTimeout,
        maximumLength: Int32 = 64 * 1_024 * 1_024,
        interruption: Interruption = Interruption()
    ) {
        self.access = access
        self.refusesChanges = refusesChanges
        self.isExclusive = isExclusive
        self.lockTimeout = lockTimeout
        self.maximumLength = maximumLength
        self.interruption = interruption
    }
}

/// The SQLite library of this process.
public enum SQLiteLibrary {
    /// The name and version of the library, by `sqlite3_libversion`.
    public static var title: String { "SQLite " + (unsafe String(cString: sqlite3_libversion())) }

    /// Disables memory statistics, whose lock all threads share. Call it only from a main program, before opening a connection.
    ///
    /// The corresponding C function is `sqlite3_config` with `SQLITE_CONFIG_MEMSTATUS`.
    ///
    /// - Returns: Whether the statistics are disabled; false if a connection was opened before.
    @discardableResult
    public static func disableMemoryStatistics() -> Bool {
        csqlite_set_process_switch(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK
    }
}

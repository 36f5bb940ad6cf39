internal import CSQLite

/// Process-wide settings of SQLite, which only a main program should change.
public enum SQLiteProcess {
    /// Disables memory statistics, whose lock all threads share. Call it before opening the first connection.
    ///
    /// The corresponding C function is `sqlite3_config` with `SQLITE_CONFIG_MEMSTATUS`.
    ///
    /// - Returns: Whether they are disabled; false if a connection was opened before.
    @discardableResult
    public static func forgoMemoryStatistics() -> Bool {
        csqlite_set_process_switch(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK
    }
}

internal import CSQLite

/// Settings of SQLite for a whole process, which only the program that it is should touch.
public enum SQLiteProcess {
    /// Gives up counting allocated memory, for which all threads wait for one lock. To be called before the first connection is opened.
    ///
    /// The corresponding C function is `sqlite3_config` with `SQLITE_CONFIG_MEMSTATUS`.
    ///
    /// - Returns: Whether it is so; false where a connection was opened before.
    @discardableResult
    public static func forgoMemoryStatistics() -> Bool {
        csqlite_set_process_switch(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK
    }
}

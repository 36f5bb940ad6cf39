internal import CSQLite

extension SQLiteConnection {
    /// How SQLite makes changes atomic.
    public enum JournalMode: Sendable {
        /// A write-ahead log (WAL) beside the file, for concurrent readers and one writer.
        case writeAheadLog
        /// Memory only: a crash while writing corrupts the file. Only for temporary files.
        case memory
        /// A rollback journal beside the file during writes. A file can leave WAL mode only while no other connection has it open.
        case rollback
    }

    /// Changes the journal mode.
    ///
    /// - Returns: `false` if SQLite stays in another mode, for example because the file system lacks shared memory.
    public func setJournalMode(_ mode: JournalMode) throws -> Bool {
        switch mode {
        case .writeAheadLog: try journalMode("PRAGMA journal_mode = WAL") == Array("wal".utf8)
        case .rollback: try journalMode("PRAGMA journal_mode = DELETE") == Array("delete".utf8)
        case .memory: try journalMode("PRAGMA journal_mode = MEMORY") == Array("memory".utf8)
        }
    }

    private func journalMode(_ sql: StaticString) throws -> [UInt8] {
        let statement = try statement(sql)
        guard try statement.step() else { return [] }
        return try statement.row.textBytes(0)
    }

    /// Checkpoints the whole log into the file and truncates the log.
    ///
    /// Waits for readers and writers up to the busy timeout. The corresponding C function is `sqlite3_wal_checkpoint_v2` with
    /// `SQLITE_CHECKPOINT_TRUNCATE`.
    ///
    /// - Returns: `false` if another connection prevented it.
    public func truncateLog() throws -> Bool {
        let result = unsafe sqlite3_wal_checkpoint_v2(
            try open(), "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        switch result & 0xff {
        case SQLITE_OK: return true
        case SQLITE_BUSY: return false
        default: throw failure(result, "checkpoint")
        }
    }

    /// Removes at most `pages` unused pages: moves pages from the end of the file into their place and shortens it (`PRAGMA
    /// incremental_vacuum`).
    ///
    /// - Returns: Whether unused pages are left; `false` for a file without incremental vacuum.
    public func vacuum(pages: Int) throws -> Bool {
        guard try pragma("PRAGMA auto_vacuum") == 2 else { return false }
        try run(script: "PRAGMA incremental_vacuum(\(pages))")
        return try pragma("PRAGMA freelist_count") > 0
    }

    private func pragma(_ sql: StaticString) throws -> Int64 {
        let statement = try statement(sql)
        guard try statement.step() else { return 0 }
        return try statement.row.integer(0)
    }

    /// Rewrites the whole file, so that it contains only the current rows (`VACUUM`).
    ///
    /// `secure_delete` overwrites deleted rows in place, but not copies left behind when rows moved to another page.
    public func rewrite() throws {
        let handle = unsafe try open()
        // VACUUM collects the rows in an attached database in memory.
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        defer { unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
        try run(script: "VACUUM")
    }
}

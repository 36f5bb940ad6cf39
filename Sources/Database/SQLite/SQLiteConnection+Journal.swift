internal import CSQLite

extension SQLiteConnection {
    /// How changes become atomic.
    public enum JournalMode: Sendable {
        /// A log beside the file, which readers and one writer use at the same time.
        case writeAheadLog
        /// Memory only: a crash while writing leaves a broken file. For files that are thrown away then.
        case memory
        /// A journal beside the file while something is written. The file can leave the log only while nobody else has it open.
        case rollback
    }

    /// Changes the journal mode.
    ///
    /// - Returns: `false` if SQLite stays in another mode, because the file system lacks shared memory for instance.
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

    /// Moves the whole log into the file and cuts it to no bytes.
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
        default: throw unsafe SQLiteError(result, on: handle, .checkpoint)
        }
    }

    /// Writes the whole file anew, so that it holds the rows of now and nothing else (`VACUUM`).
    ///
    /// `secure_delete` overwrites rows where they are; copies that a page kept when its rows moved to another page it does not know.
    public func rewrite() throws {
        let handle = unsafe try open()
        // The rows are collected in a database beside this one, in memory.
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        defer { unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0) }
        try run(script: "VACUUM")
    }
}

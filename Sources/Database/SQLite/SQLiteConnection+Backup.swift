internal import CSQLite

extension SQLiteConnection {
    /// Copies the database, as one snapshot, over the content of another connection, and syncs that file.
    ///
    /// Other connections may write concurrently. The corresponding C functions are `sqlite3_backup_init`, `sqlite3_backup_step` and
    /// `sqlite3_backup_finish`.
    public func copyDatabase(to target: SQLiteConnection) throws {
        let source = unsafe try open()
        let destination = unsafe try target.open()
        guard let backup = unsafe sqlite3_backup_init(destination, "main", source, "main") else {
            throw unsafe SQLiteError(
                sqlite3_extended_errcode(destination), on: destination, .backup)
        }
        // One step reads all pages under one lock, and so one snapshot.
        let stepped = unsafe sqlite3_backup_step(backup, -1)
        let finished = unsafe sqlite3_backup_finish(backup)
        guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
            let result = stepped == SQLITE_DONE ? finished : stepped
            throw unsafe SQLiteError(result, on: destination, .backup)
        }
    }

    /// Whether all pages and rows are well-formed (`PRAGMA quick_check`). Reads the whole file.
    public func isSound() throws -> Bool {
        let statement = try statement("PRAGMA quick_check (1)")
        guard try statement.step() else { return false }
        return try statement.row.textBytes(0) == Array("ok".utf8)
    }
}

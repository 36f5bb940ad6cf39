internal import CSQLite
internal import Platform

/// A new database file, which is first written under a temporary name.
struct BackupFile: ~Copyable {
    private let folder: FileDescriptor
    private let folderPath: String
    private let name: String
    private let temporaryName: String

    /// Writes a copy of a database to `path`, mode 0600, durably.
    ///
    /// - Throws: ``DatabaseError/alreadyExists`` if the path exists. After a failure, no new file is left in the folder.
    static func write(_ database: SQLiteDatabase, to path: String) throws {
        do {
            let backup = try BackupFile(path: path)
            do {
                try backup.fill(from: database)
                try backup.publish()
            } catch {
                backup.discard()
                throw error
            }
        } catch {
            throw DatabaseError(translating: error)
        }
    }

    private init(path: String) throws {
        let (folderPath, name) = SafeFolder.split(path)
        guard !name.isEmpty, !path.utf8.contains(0), name != ".", name != ".." else {
            throw DatabaseError.unsafeLocation(path: path, reason: "not the name of a file")
        }
        let resolved = try SafeFolder.resolve(folderPath)
        let folder = try FileDescriptor(folder: resolved)
        if try FileStatus.of(name, in: folder) != nil { throw DatabaseError.alreadyExists }
        try VaultLocation(folder: resolved, name: name).requireNoCompanions(in: folder)
        self.folder = folder
        self.folderPath = resolved
        self.name = name
        self.temporaryName = VaultLocation.temporaryName()
    }

    private borrowing func fill(from database: SQLiteDatabase) throws {
        let identity = try folder.createFile(temporaryName)
        let path = folderPath + "/" + temporaryName
        let target = try SQLiteConnection(path: path, options: SQLiteOptions(access: .readWrite))
        defer { target.close() }
        // No journal file is needed: after a crash the temporary file is worthless anyway.
        _ = try target.setJournalMode(.memory)
        try database.connection.copyDatabase(to: target)
        let isSound = try target.isSound()
        target.close()
        // A copy of a damaged vault is no backup; report the damage immediately.
        guard isSound else { throw DatabaseError.damaged(reason: "SQLite found a malformed page") }
        // Closing the descriptor is safe: no connection has the file open.
        let written = try FileDescriptor(temporaryName, in: folder, flags: O_RDONLY)
        guard try FileStatus.of(written).identity == identity else {
            throw DatabaseError.unsafeLocation(path: path, reason: "replaced while it was written")
        }
        try written.sync()
    }

    /// Renames the file without overwriting another; the name never refers to an incomplete file.
    private borrowing func publish() throws {
        try folder.rename(temporaryName, to: name)
        do {
            try folder.sync()
        } catch {
            // The sync failed, so durability is unknown: remove the file, because the caller gets an error.
            _ = unsafe unlinkat(folder.number, name, 0)
            throw error
        }
    }

    private borrowing func discard() {
        for suffix in [""] + VaultLocation.companionSuffixes {
            _ = unsafe unlinkat(folder.number, temporaryName + suffix, 0)
        }
    }
}

extension SQLiteConnection {
    /// Copies the database, as one snapshot, over the content of another connection, and syncs that file.
    ///
    /// Other connections may write concurrently. The corresponding C functions are `sqlite3_backup_init`, `sqlite3_backup_step` and
    /// `sqlite3_backup_finish`.
    public func copyDatabase(to target: SQLiteConnection) throws {
        let source = unsafe try open()
        let destination = unsafe try target.open()
        guard let backup = unsafe sqlite3_backup_init(destination, "main", source, "main") else {
            throw target.failure(unsafe sqlite3_extended_errcode(destination), "backup")
        }
        // One step reads all pages under one lock, so the copy is one snapshot.
        let stepped = unsafe sqlite3_backup_step(backup, -1)
        let finished = unsafe sqlite3_backup_finish(backup)
        guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
            let result = stepped == SQLITE_DONE ? finished : stepped
            throw failure(result, "backup", on: target)
        }
    }

    /// Whether all pages and rows are well-formed (`PRAGMA quick_check`). Reads the whole file.
    public func isSound() throws -> Bool {
        let statement = try statement("PRAGMA quick_check (1)")
        guard try statement.step() else { return false }
        return try statement.row.textBytes(0) == Array("ok".utf8)
    }
}

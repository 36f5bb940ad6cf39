extension SQLiteRecordStorage {
    /// Moves the log into the file and cuts it to nothing; overwritten bytes in the file itself are zeros already (`secure_delete`).
    ///
    /// Waits about two seconds for readers of other connections. In read-only mode it fails with ``DatabaseError/readOnly``.
    public func eraseOldBytes() throws(DatabaseError) -> Bool? {
        try eraseOldBytes(attempts: 4, patience: .milliseconds(500))
    }

    /// As ``eraseOldBytes()``, each attempt waiting up to `patience`.
    func eraseOldBytes(attempts: Int, patience: Duration) throws(DatabaseError) -> Bool {
        try file.eraseOldBytes(rewriting: false, attempts: attempts, patience: patience)
    }

    /// Copies one snapshot into a new file; other processes may write meanwhile.
    ///
    /// The file appears under its name only when it is complete and on the medium. Its folder need not be as safe as the vault's:
    /// a backup is sealed like the vault itself.
    public func backup(to path: String) throws(DatabaseError) {
        try withDatabase { (database) throws(DatabaseError) in
            try BackupFile.write(database, to: path)
        }
    }
}

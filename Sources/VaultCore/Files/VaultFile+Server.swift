public import VaultStorage

extension VaultFile {
    /// Puts a backup in the place of what a storage has, in a new lineage.
    ///
    /// The backup is checked whole before anything is replaced; of a vault that is there a backup is made first. The backup's passphrases and
    /// recovery code are the vault's afterwards.
    ///
    /// - Parameters:
    ///   - backup: The path of a backup.
    ///   - storage: Where the vault is, or is to be; without records, or with those of a vault.
    ///   - path: The path of a vault file, in whose folder the backup is copied for a moment; the file need not exist.
    ///   - copy: The path of the backup of what is replaced; nil where nothing may be replaced.
    ///   - secret: A passphrase or recovery code of the backup.
    ///   - environment: Limits, randomness, time and marks. The mark of a newer state does not prevent it.
    /// - Returns: What was done.
    /// - Throws: `storage(.alreadyExists)` for a vault that may not be replaced, `wrongPassphrase`, `wrongRecoveryCode`, `damaged`, `storage`, …
    public static func restore(
        _ backup: String, into storage: any RecordStorage, beside path: String,
        keepingOldAt copy: String?, with secret: borrowing VaultSecret,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> RestoreOutcome {
        let fresh = try load(backup, beside: path)
        var quiet = environment
        quiet.marks = MemoryRollbackMarks()
        let locked = try LockedVault(fresh, quiet)
        let vaultID = locked.id
        let vault = try locked.authenticate(with: secret)
        let old = try transfer { () throws(StorageFailure<DatabaseError>) in
            try storage.read { (reader) throws(DatabaseError) in
                (header: try reader.header(), state: try reader.state())
            }
        }
        let isReplacing = old.header != nil
        let marked = (try? environment.marks.mark(of: vaultID))?.counter ?? 0
        let replaced = try? counter(in: storage, of: vaultID, with: secret, quiet)
        try vault.startLineage(above: max(marked, replaced ?? 0))
        if isReplacing {
            guard let copy else { throw .storage(.alreadyExists) }
            do {
                try storage.backup(to: copy)
            } catch {
                throw .storage(error)
            }
        }
        try transfer { () throws(StorageFailure<DatabaseError>) in
            try fresh.read { (reader) throws(DatabaseError) in
                try flattened { () throws(StorageFailure<DatabaseError>) in
                    try storage.write { (writer) throws(DatabaseError) in
                        // What another machine wrote since would be in neither.
                        guard try writer.state() == old.state, try writer.header() == old.header
                        else { throw .busy }
                        try writer.replaceAll(with: reader)
                    }
                }
            }
        }
        if let mark = try? quiet.marks.mark(of: vaultID) {
            try? environment.marks.remember(mark, force: true)
        }
        return RestoreOutcome(items: vault.itemCount, keptFile: isReplacing ? copy : nil)
    }

    /// The records of a backup, in memory; it is copied first, as its place need not be as safe as the vault's.
    private static func load(
        _ backup: String, beside path: String
    ) throws(VaultError) -> MemoryRecordStorage {
        let staged: StagedVaultFile
        do {
            staged = try StagedVaultFile(copyOf: backup, for: path)
        } catch {
            throw .storage(error)
        }
        let fresh: MemoryRecordStorage
        do {
            fresh = try load(staged.path)
        } catch {
            staged.remove()
            throw error
        }
        staged.remove()
        return fresh
    }

    private static func load(_ path: String) throws(VaultError) -> MemoryRecordStorage {
        let fresh = MemoryRecordStorage()
        try transfer { () throws(StorageFailure<DatabaseError>) in
            let file: SQLiteRecordStorage
            do throws(DatabaseError) {
                file = try SQLiteRecordStorage.open(at: path, mode: .readOnly)
            } catch {
                throw .storage(error)
            }
            defer { file.close() }
            try file.read { (reader) throws(DatabaseError) in
                try flattened { () throws(StorageFailure<DatabaseError>) in
                    try fresh.write { (writer) throws(DatabaseError) in
                        try writer.replaceAll(with: reader)
                    }
                }
            }
        }
        return fresh
    }

    private static func transfer<Result>(
        _ body: () throws(StorageFailure<DatabaseError>) -> Result
    ) throws(VaultError) -> Result {
        do throws(DatabaseError) {
            return try flattened(body)
        } catch {
            throw .storage(error)
        }
    }

    private static func flattened<Result>(
        _ body: () throws(StorageFailure<DatabaseError>) -> Result
    ) throws(DatabaseError) -> Result {
        do throws(StorageFailure<DatabaseError>) {
            return try body()
        } catch {
            switch error {
            case .storage(let error), .body(let error): throw error
            }
        }
    }
}

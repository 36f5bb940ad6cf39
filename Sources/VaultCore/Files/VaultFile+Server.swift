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
        let old = try VaultError.translating {
            try storage.read { reader in
                (header: try reader.header(), state: try reader.state())
            }
        }
        let isReplacing = old.header != nil
        let marked = (try? environment.marks.mark(of: vaultID))?.counter ?? 0
        let replaced = try? counter(in: storage, of: vaultID, with: secret, quiet)
        try vault.startLineage(above: max(marked, replaced ?? 0))
        if isReplacing {
            guard let copy else { throw .storage(.alreadyExists) }
            try VaultError.translating { try storage.backup(to: copy) }
        }
        try VaultError.translating {
            try fresh.read { reader in
                try storage.write { writer in
                    // What another machine wrote since would be in neither.
                    guard try writer.state() == old.state, try writer.header() == old.header
                    else { throw DatabaseError.busy }
                    try writer.replaceAll(with: reader)
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
    ) throws(VaultError) -> VaultDatabase {
        try VaultError.translating {
            let staged = try StagedVaultFile(copyOf: backup, for: path)
            let file = try VaultDatabase.open(.file(staged.path), mode: .readOnly)
            defer { file.close() }
            let fresh = try VaultDatabase.inMemory()
            try file.read { reader in
                guard try reader.header() != nil, try reader.state() != nil else {
                    throw DatabaseError.foreign(reason: "header or state is missing")
                }
                try fresh.write { writer in try writer.replaceAll(with: reader) }
            }
            staged.remove()
            return fresh
        }
    }
}

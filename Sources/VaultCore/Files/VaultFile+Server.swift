public import VaultStorage

extension VaultFile {
    /// Replaces the content of a storage by a backup, in a new lineage.
    ///
    /// Verifies the whole backup before replacing anything, and first backs up an existing vault. Afterwards the passphrases and the
    /// recovery code of the backup open the vault.
    ///
    /// - Parameters:
    ///   - backup: The path of a backup.
    ///   - storage: The storage of the vault; empty, or with the records of a vault.
    ///   - path: The path of a vault file, which need not exist. Its folder holds a temporary copy of the backup.
    ///   - copy: The path for a backup of the replaced vault; nil to refuse a replacement.
    ///   - secret: A passphrase or recovery code of the backup.
    ///   - environment: Limits, randomness, time and rollback records. A rollback record of a newer state does not prevent the restore.
    /// - Returns: The outcome.
    /// - Throws: `storage(.alreadyExists)` if a vault exists and `copy` is nil; `wrongPassphrase`, `wrongRecoveryCode`, `damaged`,
    ///   `storage`, …
    public static func restore(
        _ backup: String, into storage: any RecordStorage, beside path: String,
        keepingOldAt copy: String?, with secret: borrowing VaultSecret,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> RestoreOutcome {
        do {
            let fresh = try load(backup, beside: path)
            var quiet = environment
            quiet.marks = MemoryRollbackMarks()
            let locked = try LockedVault(fresh, quiet)
            let vaultID = locked.id
            let vault = try locked.authenticate(with: secret)
            let old = try storage.read { reader in
                (header: try reader.header(), state: try reader.state())
            }
            let isReplacing = old.header != nil
            let marked =
                try environment.knownMark(of: vaultID, refusingDamaged: false)?.counter ?? 0
            let replaced = try? counter(in: storage, of: vaultID, with: secret, quiet)
            try vault.startLineage(above: max(marked, replaced ?? 0))
            if isReplacing {
                guard let copy else { throw VaultError.storage(.alreadyExists) }
                try storage.backup(to: copy)
            }
            try fresh.read { reader in
                try storage.write { writer in
                    // Later writes of another machine would be in neither copy.
                    guard try writer.state() == old.state, try writer.header() == old.header
                    else { throw DatabaseError.busy }
                    try writer.replaceAll(with: reader)
                }
            }
            if let mark = try? quiet.marks.mark(of: vaultID) {
                try? environment.marks.remember(mark, force: true)
            }
            return RestoreOutcome(items: vault.itemCount, keptFile: isReplacing ? copy : nil)
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// The records of a backup, in memory. The backup is copied first, because its folder may be less safe than the vault's.
    private static func load(
        _ backup: String, beside path: String
    ) throws -> VaultDatabase {
        let staged = try StagedVaultFile(copyOf: backup, for: path)
        let fresh = try VaultDatabase.inMemory()
        try copy(staged.path, into: fresh)
        staged.remove()
        return fresh
    }

    private static func copy(_ path: String, into target: VaultDatabase) throws {
        let file = try VaultDatabase.open(.file(path), mode: .readOnly)
        defer { file.close() }
        try file.read { reader in
            guard try reader.header() != nil, try reader.state() != nil else {
                throw DatabaseError.foreign(reason: "header or state is missing")
            }
            try target.write { writer in try writer.replaceAll(with: reader) }
        }
    }
}

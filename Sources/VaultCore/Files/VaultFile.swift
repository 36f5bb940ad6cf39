public import Sealing
internal import SecretMemory
internal import VaultStorage

/// Whole vault files: made, restored and moved into place so that a crash leaves the old one or the new one.
public enum VaultFile {
    /// Makes a vault file at `path`, which appears when it is complete.
    ///
    /// - Parameters:
    ///   - path: Where; its folder exists and is safe.
    ///   - environment: Limits, randomness, time and marks.
    ///   - passphrase: The master passphrase.
    ///   - cost: What its derivation costs.
    /// - Returns: The recovery code, to be shown once.
    /// - Throws: `storage(.alreadyExists)` if there is something at the path, `unusable`, `storage`, `outOfMemory`.
    public static func create(
        at path: String, _ environment: VaultEnvironment, passphrase: consuming Passphrase,
        cost: KeyDerivationCost = .standard
    ) throws(VaultError) -> RecoveryCode {
        // A vault in a folder that is not safe could never be opened.
        _ = try VaultError.translating { try VaultLocation(path: path) }
        let memory = try VaultError.translating { try VaultDatabase.inMemory() }
        let code = try VaultCreation.create(
            in: memory, environment, passphrase: passphrase, cost: cost)
        try VaultError.translating { try memory.backup(to: path) }
        return code
    }
}

extension VaultFile {
    /// Opens a vault file for reading and writing, locked.
    ///
    /// - Parameters:
    ///   - path: The file; it and its folder are safe (``VaultLocation``).
    ///   - environment: Limits, randomness, time and marks.
    /// - Returns: The vault without any key in memory.
    /// - Throws: `storage`, `damaged`.
    public static func open(
        at path: String, _ environment: VaultEnvironment
    ) throws(VaultError) -> LockedVault {
        try LockedVault(
            VaultError.translating {
                try VaultDatabase.open(.file(path), mode: .readWrite)
            }, environment)
    }
}

/// What a restore did.
public struct RestoreOutcome: Sendable, Hashable {
    /// How many items the restored vault has.
    public let items: Int
    /// Where the file that was replaced is now, if there was one.
    public let keptFile: String?
}

extension VaultFile {
    /// Puts a backup in the place of a vault file, in a new lineage.
    ///
    /// The backup is checked whole before anything is replaced; the file that was there is kept beside it. The backup's passphrases and
    /// recovery code are the vault's afterwards.
    ///
    /// - Parameters:
    ///   - backup: The path of a backup.
    ///   - path: Where the vault is, or is to be.
    ///   - secret: A passphrase or recovery code of the backup.
    ///   - isReplacing: Whether a file at `path` may be replaced.
    ///   - environment: Limits, randomness, time and marks. The mark of a newer state does not prevent it.
    /// - Returns: What was done.
    /// - Throws: `storage(.alreadyExists)` for a file at `path` that may not be replaced, `storage(.busy)` while another process uses it,
    ///   `wrongPassphrase`, `wrongRecoveryCode`, `damaged`, `storage`, `outOfMemory`.
    public static func restore(
        _ backup: String, to path: String, with secret: borrowing VaultSecret,
        replacing isReplacing: Bool, _ environment: VaultEnvironment
    ) throws(VaultError) -> RestoreOutcome {
        let staged = try VaultError.translating {
            try StagedVaultFile(copyOf: backup, for: path)
        }
        var quiet = environment
        quiet.marks = MemoryRollbackMarks()
        let renewed = try renew(staged.path, replacing: path, with: secret, environment, quiet)
        let kept: String?
        do {
            kept = try staged.install(replacing: isReplacing)
        } catch {
            throw VaultError(translating: error)
        }
        // Only now: a mark above the old file's counter would make a crash before this look like a rollback.
        if let mark = try? quiet.marks.mark(of: renewed.vaultID) {
            try? environment.marks.remember(mark, force: true)
        }
        return RestoreOutcome(items: renewed.items, keptFile: kept)
    }

    /// Checks a staged backup and gives it a lineage of its own, above every counter that is known.
    private static func renew(
        _ staged: String, replacing path: String, with secret: borrowing VaultSecret,
        _ environment: VaultEnvironment, _ quiet: VaultEnvironment
    ) throws(VaultError) -> (vaultID: [UInt8], items: Int) {
        let records = try VaultError.translating {
            try VaultDatabase.open(.file(staged), mode: .readWrite)
        }
        defer { records.close() }
        let locked = try LockedVault(records, quiet)
        let vaultID = locked.id
        let vault = try locked.authenticate(with: secret)
        let marked = (try? environment.marks.mark(of: vaultID))?.counter ?? 0
        let replaced = try? counter(at: path, of: vaultID, with: secret, quiet)
        try vault.startLineage(above: max(marked, replaced ?? 0))
        // Closing would do it, and keep to itself that it failed: the file alone is about to get the vault's name.
        let isWhole = try VaultError.translating { try records.eraseOldBytes() }
        guard isWhole == true else { throw .storage(.busy) }
        return (vaultID, vault.itemCount)
    }

    /// The counter of the vault that is about to be replaced, if it is the same one and the same secret opens it.
    private static func counter(
        at path: String, of vaultID: [UInt8], with secret: borrowing VaultSecret,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> UInt64 {
        let records = try VaultError.translating {
            try VaultDatabase.open(.file(path), mode: .readOnly)
        }
        defer { records.close() }
        return try counter(in: records, of: vaultID, with: secret, environment)
    }

    /// The same for a storage that is open.
    static func counter(
        in records: any RecordStorage, of vaultID: [UInt8], with secret: borrowing VaultSecret,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> UInt64 {
        let locked = try LockedVault(records, environment)
        guard locked.id == vaultID else { return 0 }
        return try locked.authenticate(with: secret).counter
    }
}

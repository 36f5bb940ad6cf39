public import Sealing
internal import SecretMemory
internal import VaultStorage

/// Creates, restores and installs whole vault files; a crash leaves either the old file or the new one.
public enum VaultFile {
    /// Creates a vault file at `path`; the file appears when it is complete.
    ///
    /// - Parameters:
    ///   - path: The path of the file; its folder must exist and be safe.
    ///   - environment: Limits, randomness, time and rollback records.
    ///   - passphrase: The master passphrase.
    ///   - cost: The cost of its derivation.
    /// - Returns: The recovery code, to be shown once.
    /// - Throws: `storage(.alreadyExists)` if the path exists, `unusable`, `storage`, `outOfMemory`.
    public static func create(
        at path: String, _ environment: VaultEnvironment, passphrase: consuming Passphrase,
        cost: KeyDerivationCost = .standard
    ) throws(VaultError) -> RecoveryCode {
        do {
            // A vault in an unsafe folder could never be opened.
            _ = try VaultLocation(path: path)
            let memory = try VaultDatabase.inMemory()
            let code = try VaultCreation.create(
                in: memory, environment, passphrase: passphrase, cost: cost)
            try memory.backup(to: path)
            return code
        } catch {
            throw VaultError(translating: error)
        }
    }
}

extension VaultFile {
    /// Opens a vault file for reading and writing, locked.
    ///
    /// - Parameters:
    ///   - path: The path of the file; it and its folder must be safe (``VaultLocation``).
    ///   - environment: Limits, randomness, time and rollback records.
    /// - Returns: The vault without any key in memory.
    /// - Throws: `storage`, `damaged`.
    public static func open(
        at path: String, _ environment: VaultEnvironment
    ) throws(VaultError) -> LockedVault {
        let storage = try VaultError.translating {
            try VaultDatabase.open(.file(path), mode: .readWrite)
        }
        return try LockedVault(storage, environment)
    }
}

/// The result of a restore.
public struct RestoreOutcome: Sendable, Hashable {
    /// The number of items in the restored vault.
    public let items: Int
    /// The path of the replaced file, if there was one.
    public let keptFile: String?
}

extension VaultFile {
    /// Replaces a vault file by a backup, in a new lineage.
    ///
    /// Verifies the whole backup before replacing anything; the replaced file is kept in the same folder. Afterwards the passphrases and
    /// the recovery code of the backup open the vault.
    ///
    /// - Parameters:
    ///   - backup: The path of a backup.
    ///   - path: The path of the vault, which need not exist.
    ///   - secret: A passphrase or recovery code of the backup.
    ///   - isReplacing: Whether to replace a file at `path`.
    ///   - environment: Limits, randomness, time and rollback records. A rollback record of a newer state does not prevent the restore.
    /// - Returns: The outcome.
    /// - Throws: `storage(.alreadyExists)` if `path` exists and `isReplacing` is false; `storage(.busy)` while another process uses it;
    ///   `wrongPassphrase`, `wrongRecoveryCode`, `damaged`, `storage`, `outOfMemory`.
    public static func restore(
        _ backup: String, to path: String, with secret: borrowing VaultSecret,
        replacing isReplacing: Bool, _ environment: VaultEnvironment
    ) throws(VaultError) -> RestoreOutcome {
        do {
            let staged = try StagedVaultFile(copyOf: backup, for: path)
            var quiet = environment
            quiet.marks = MemoryRollbackMarks()
            let renewed = try renew(staged.path, replacing: path, with: secret, environment, quiet)
            let kept = try staged.install(replacing: isReplacing)
            // Not earlier: a rollback record above the old file's counter would turn a crash before this point into a rollback.
            if let mark = try? quiet.marks.mark(of: renewed.vaultID) {
                try? environment.marks.remember(mark, force: true)
            }
            return RestoreOutcome(items: renewed.items, keptFile: kept)
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Verifies a staged backup and starts a lineage of its own, above every known counter.
    private static func renew(
        _ staged: String, replacing path: String, with secret: borrowing VaultSecret,
        _ environment: VaultEnvironment, _ quiet: VaultEnvironment
    ) throws -> (vaultID: [UInt8], items: Int) {
        let records = try VaultDatabase.open(.file(staged), mode: .readWrite)
        defer { records.close() }
        let locked = try LockedVault(records, quiet)
        let vaultID = locked.id
        let vault = try locked.authenticate(with: secret)
        let marked =
            try environment.knownMark(of: vaultID, refusingDamaged: false)?.counter ?? 0
        let replaced = try? counter(at: path, of: vaultID, with: secret, quiet)
        try vault.startLineage(above: max(marked, replaced ?? 0))
        // Closing would also do it, but hides failures. Only this file gets the vault's name, so it must be complete.
        let isWhole = try records.eraseOldBytes()
        guard isWhole == true else { throw VaultError.storage(.busy) }
        return (vaultID, vault.itemCount)
    }

    /// The counter of the vault to be replaced, if it has the same id and opens with the same secret.
    private static func counter(
        at path: String, of vaultID: [UInt8], with secret: borrowing VaultSecret,
        _ environment: VaultEnvironment
    ) throws -> UInt64 {
        let records = try VaultDatabase.open(.file(path), mode: .readOnly)
        defer { records.close() }
        return try counter(in: records, of: vaultID, with: secret, environment)
    }

    /// The same for an open storage.
    static func counter(
        in records: any RecordStorage, of vaultID: [UInt8], with secret: borrowing VaultSecret,
        _ environment: VaultEnvironment
    ) throws -> UInt64 {
        let locked = try LockedVault(records, environment)
        guard locked.id == vaultID else { return 0 }
        return try locked.authenticate(with: secret).counter
    }
}

internal import SecretMemory
public import VaultSealing
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
        preconditionFailure()
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
        _ backup: String, to path: String, with secret: borrowing VaultSecret, replacing isReplacing: Bool,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> RestoreOutcome {
        preconditionFailure()
    }
}

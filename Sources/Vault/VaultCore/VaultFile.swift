public import Sealing
internal import Platform
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
    /// - Throws: `storage(.alreadyExists)` if the path exists, `otherVault` if this machine saw another vault there, `unusable`, `storage`,
    ///   `outOfMemory`.
    public static func create(
        at path: String, _ environment: VaultEnvironment, passphrase: consuming Passphrase,
        cost: KeyDerivationCost = .standard
    ) throws(VaultError) -> RecoveryCode {
        do {
            // A vault in an unsafe folder could never be opened.
            let location = try VaultLocation(path: path)
            guard !FileSystem.exists(location.path) else { throw DatabaseError.alreadyExists }
            try environment.requireNewPlace()
            let memory = try VaultDatabase.inMemory()
            let made = try VaultCreation.make(in: memory, environment, passphrase, cost, .standard)
            try memory.backup(to: path)
            // Not earlier: another process may have created a vault here.
            environment.record(made.rollbackRecord)
            return made.takeCode()
        } catch {
            throw VaultError(translating: error)
        }
    }
}

extension VaultFile {
    /// Opens a vault file for reading and writing; it stays locked.
    ///
    /// - Parameters:
    ///   - path: The path of the file; it and its folder must be safe (``VaultLocation``).
    ///   - environment: Limits, randomness, time and rollback records.
    /// - Returns: The vault, with no key in memory.
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

public import Sealing
internal import SecretMemory
internal import SecureStorage
public import VaultStorage

/// Creates vaults.
public enum VaultCreation {
    /// Writes the header and the state of a new, empty vault.
    ///
    /// - Parameters:
    ///   - storage: Storage without a vault.
    ///   - environment: Limits, randomness, time and rollback records.
    ///   - passphrase: The master passphrase.
    ///   - cost: The cost of its derivation.
    ///   - settings: The security settings.
    /// - Returns: The recovery code, to be shown once.
    /// - Throws: `storage(.alreadyExists)` if the storage has a vault; `unusable` for a cost outside the limits; `invalidSettings`
    ///   for a setting outside the limits; `outOfMemory`.
    public static func create(
        in storage: any RecordStorage, _ environment: VaultEnvironment,
        passphrase: consuming Passphrase, cost: KeyDerivationCost = .standard,
        settings: VaultSettings = .standard
    ) throws(VaultError) -> RecoveryCode {
        do {
            guard settings.areAcceptable else { throw VaultError.invalidSettings }
            try CryptographicLibrary.check()
            let random = environment.random
            let vaultID = random.bytes(count: 16)
            // Refuses unsafe records before a vault that could not be unlocked.
            _ = try environment.knownMark(of: vaultID, refusingDamaged: false)
            let root = try RootKey.random(from: random)
            let slot = try KeySlot.make(
                for: .passphrase(passphrase), cost: cost, rootKey: root, vaultID: vaultID,
                keyEpoch: 1, environment)
            let recovery = try RecoverySlot.make(
                rootKey: root, vaultID: vaultID, keyEpoch: 1, environment)
            let sealed = try VaultKeys.sealNew(
                root: root, vaultID: vaultID, keyEpoch: 1, random: random)
            let header = VaultHeader(
                vaultID: vaultID, keyEpoch: 1, slots: [slot, recovery.slot],
                attributeKey: sealed.attributeKey, valueKeys: sealed.valueKeys)
            let state = VaultState(lineage: random.bytes(count: 16), settings: settings)
            let keys = try VaultKeys.open(root: root, header)
            let record = state.sealed(under: keys.state, HeaderIdentity(header), random: random)
            try storage.write { writer in
                guard try writer.header() == nil else { throw DatabaseError.alreadyExists }
                try writer.insertState(record)
                try writer.putHeader(header.bytes)
            }
            try? environment.marks.remember(
                RollbackMark(vaultID: vaultID, state: state, record: record), force: false)
            return recovery.takeCode()
        } catch {
            throw VaultError(translating: error)
        }
    }
}

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
    /// - Throws: `storage(.alreadyExists)` if the storage has a vault; `otherVault` if this machine saw another vault at its place;
    ///   `unusable` for a cost outside the limits; `invalidSettings` for a setting outside the limits; `outOfMemory`.
    public static func create(
        in storage: any RecordStorage, _ environment: VaultEnvironment,
        passphrase: consuming Passphrase, cost: KeyDerivationCost = .standard,
        settings: VaultSettings = .standard
    ) throws(VaultError) -> RecoveryCode {
        do {
            guard try storage.read({ try $0.header() }) == nil else {
                throw DatabaseError.alreadyExists
            }
            try environment.requireNewPlace()
            let made = try make(in: storage, environment, passphrase, cost, settings)
            environment.record(made.rollbackRecord)
            return made.takeCode()
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// A new vault that this machine has not recorded yet.
    struct NewVault: ~Copyable {
        let rollbackRecord: RollbackRecord
        private let code: RecoveryCode

        fileprivate init(_ rollbackRecord: RollbackRecord, _ code: consuming RecoveryCode) {
            self.rollbackRecord = rollbackRecord
            self.code = code
        }

        consuming func takeCode() -> RecoveryCode { code }
    }

    /// Writes the records of a new vault.
    static func make(
        in storage: any RecordStorage, _ environment: VaultEnvironment,
        _ passphrase: consuming Passphrase, _ cost: KeyDerivationCost, _ settings: VaultSettings
    ) throws -> NewVault {
        guard settings.areAcceptable else { throw VaultError.invalidSettings }
        try CryptographicLibrary.check()
        let random = environment.random
        let vaultID = random.bytes(count: 16)
        let root = try RootKey.random(from: random)
        let slot = try KeySlot.make(
            for: .passphrase(passphrase), cost: cost, rootKey: root, vaultID: vaultID,
            keyEpoch: 1, environment)
        let recovery = try RecoverySlot.make(
            rootKey: root, vaultID: vaultID, keyEpoch: 1, environment)
        let header = VaultHeader(
            vaultID: vaultID, keyEpoch: 1, slots: [slot, recovery.slot],
            keys: try VaultKeys.sealNew(
                root: root, vaultID: vaultID, keyEpoch: 1, random: random))
        let session = VaultSession(
            storage: storage, environment: environment,
            keys: try VaultKeys.open(root: root, header), header: header)
        let rollbackRecord = try storage.write { writer in
            guard try writer.header() == nil else { throw DatabaseError.alreadyExists }
            var state = VaultState(lineage: random.bytes(count: 16), settings: settings)
            try session.advance(&state, from: 0, writer)
            let record = state.sealed(
                under: session.keys.state, HeaderIdentity(header), random: random)
            try writer.insertState(record)
            try writer.putHeader(header.bytes)
            return RollbackRecord(header, state, record: record)
        }
        return NewVault(rollbackRecord, recovery.takeCode())
    }
}

extension VaultEnvironment {
    /// Requires that a new vault may be created at this place: this machine saw no other vault here, unless it was destroyed or the owner
    /// confirmed it.
    ///
    /// - Throws: `otherVault`; `damaged(.rollbackRecordDamaged)`; `storage(.unsafeLocation)` for a place where no vault could be unlocked.
    func requireNewPlace() throws {
        let known = try knownRecords()
        if acceptsOther { return }
        if known.isDamaged { throw VaultError.damaged(.rollbackRecordDamaged) }
        if let own = known.own, !own.isRetired { throw VaultError.otherVault(isDestroyed: false) }
    }

    /// Records a vault that the owner has just put at this place. A failure is ignored: a vault without a record opens with a warning.
    func record(_ rollbackRecord: RollbackRecord) {
        try? rollbackRecords.replace(with: rollbackRecord)
        try? rollbackRecords.sync()
    }
}

public import Sealing
public import VaultStorage

/// A vault without any key in memory; it offers only the data that needs no key.
public struct LockedVault: ~Copyable, Sendable {
    private let storage: any RecordStorage
    private let environment: VaultEnvironment
    private let header: VaultHeader

    /// Reads and checks the header, at a small, bounded cost for any input.
    ///
    /// - Parameters:
    ///   - storage: The storage of the records.
    ///   - environment: Limits, randomness, time and rollback records.
    /// - Throws: `VaultError.damaged`, `.storage`, `.unusable(.libraryFails)`, `.outOfMemory`.
    public init(
        _ storage: any RecordStorage, _ environment: VaultEnvironment
    ) throws(VaultError) {
        header = try VaultError.translating {
            // Do not seal, open or report damage with a libsodium that computes wrongly.
            try CryptographicLibrary.check()
            return try VaultHeader(
                storage.read { try $0.header() }, limits: environment.limits)
        }
        self.storage = storage
        self.environment = environment
    }

    /// The unique id of the vault, 16 bytes.
    public var id: [UInt8] { header.vaultID }

    /// The slots, in stored order.
    public var slots: [KeySlotDescription] { header.slots.map(KeySlotDescription.init) }

    /// Verifies the owner and opens the root key.
    ///
    /// Costs one derivation for each slot of the secret's kind, up to the matching one.
    ///
    /// - Parameter secret: A passphrase or a recovery code.
    /// - Returns: The vault with its root key in memory; keep its lifetime short.
    /// - Throws: `wrongPassphrase`, `wrongRecoveryCode`, `rolledBack`, `damaged`, `outOfMemory`, `storage`.
    public consuming func authenticate(
        with secret: borrowing VaultSecret
    ) throws(VaultError) -> AuthenticatedVault {
        do {
            let vault = try prove(secret)
            try vault.session.openState(provedBy: vault.slot)
            return vault
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Verifies the owner without reading the state, which may be damaged.
    ///
    /// - Returns: The vault, ready for repair.
    /// - Throws: As ``authenticate(with:)``, except for errors in the state.
    public consuming func authenticateForRepair(
        with secret: borrowing VaultSecret
    ) throws(VaultError) -> RepairableVault {
        do {
            return RepairableVault(try prove(secret).session)
        } catch {
            throw VaultError(translating: error)
        }
    }

    private consuming func prove(
        _ secret: borrowing VaultSecret
    ) throws -> AuthenticatedVault {
        for slot in header.slots where slot.kind == secret.kind {
            let derived = try slot.derive(secret, vaultID: header.vaultID, environment.limits)
            guard slot.isCommitted(to: derived, vaultID: header.vaultID) else { continue }
            let root = try slot.openRootKey(
                with: derived, vaultID: header.vaultID, keyEpoch: header.keyEpoch)
            let session = VaultSession(
                storage: storage, environment: environment,
                keys: try VaultKeys.open(root: root, header), header: header)
            return AuthenticatedVault(
                session: session, root: root, slotSecret: derived, slot: slot)
        }
        throw secret.kind == .passphrase
            ? VaultError.wrongPassphrase : VaultError.wrongRecoveryCode
    }

    /// Verifies the owner and unlocks the vault.
    ///
    /// - Throws: As ``authenticate(with:)``.
    public consuming func unlock(
        with secret: borrowing VaultSecret
    ) throws(VaultError) -> UnlockedVault {
        try authenticate(with: secret).unlock()
    }
}

/// The displayable properties of a slot.
public struct KeySlotDescription: Sendable, Hashable {
    /// The slot's id, 16 bytes.
    public let id: [UInt8]
    /// The kind of secret that opens the slot.
    public let kind: KeySlotKind
    /// The cost of its derivation; zero for a recovery code.
    public let cost: KeyDerivationCost

    init(_ slot: KeySlot) {
        id = slot.id
        kind = slot.kind
        cost = slot.cost
    }
}

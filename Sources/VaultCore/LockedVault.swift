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
        try Self.checkLibrary()
        let bytes = try VaultError.translating { try storage.read { try $0.header() } }
        do throws(FormatFailure) {
            header = try VaultHeader(bytes, limits: environment.limits)
        } catch {
            throw .damaged(error)
        }
        self.storage = storage
        self.environment = environment
    }

    /// Refuses to seal, open or report damage with a libsodium that computes wrongly.
    static func checkLibrary() throws(VaultError) {
        do throws(SealingError) {
            try CryptographicLibrary.check()
        } catch {
            throw VaultError(error)
        }
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
        let vault = try prove(secret)
        try vault.session.openState(provedBy: vault.slot)
        return vault
    }

    /// Verifies the owner without reading the state, which may be damaged.
    ///
    /// - Returns: The vault, ready for repair.
    /// - Throws: As ``authenticate(with:)``, except for errors in the state.
    public consuming func authenticateForRepair(
        with secret: borrowing VaultSecret
    ) throws(VaultError) -> RepairableVault {
        RepairableVault(try prove(secret).session)
    }

    private consuming func prove(
        _ secret: borrowing VaultSecret
    ) throws(VaultError) -> AuthenticatedVault {
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
        throw secret.kind == .passphrase ? .wrongPassphrase : .wrongRecoveryCode
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

public import Sealing
public import VaultStorage

/// A vault without any key in memory: what can be known of it without the owner.
public struct LockedVault: ~Copyable, Sendable {
    private let storage: any RecordStorage
    private let environment: VaultEnvironment
    private let header: VaultHeader

    /// Reads and checks the header; costs next to nothing whatever the file says.
    ///
    /// - Parameters:
    ///   - storage: Where the records are.
    ///   - environment: Limits, randomness, time and marks.
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

    /// Nothing is opened, called damaged, or sealed by a libsodium that computes wrongly.
    static func checkLibrary() throws(VaultError) {
        do throws(SealingError) {
            try CryptographicLibrary.check()
        } catch {
            throw VaultError(error)
        }
    }

    /// The id that no other vault has, 16 bytes.
    public var id: [UInt8] { header.vaultID }

    /// The slots, in their order.
    public var slots: [KeySlotDescription] { header.slots.map(KeySlotDescription.init) }

    /// Proves the owner and opens the root key.
    ///
    /// Costs one derivation for each slot of the secret's kind, up to the one that fits.
    ///
    /// - Parameter secret: A passphrase or a recovery code.
    /// - Returns: The vault with its root key in memory; let it end soon.
    /// - Throws: `wrongPassphrase`, `wrongRecoveryCode`, `rolledBack`, `damaged`, `outOfMemory`, `storage`.
    public consuming func authenticate(
        with secret: borrowing VaultSecret
    ) throws(VaultError) -> AuthenticatedVault {
        let vault = try prove(secret)
        try vault.session.openState(provedBy: vault.slot)
        return vault
    }

    /// Proves the owner without looking at the state, which may be damaged.
    ///
    /// - Returns: The vault, to be repaired.
    /// - Throws: As ``authenticate(with:)``, except for what is wrong with the state.
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

    /// Proves the owner and unlocks, verified.
    ///
    /// - Throws: As ``authenticate(with:)``.
    public consuming func unlock(
        with secret: borrowing VaultSecret
    ) throws(VaultError) -> UnlockedVault {
        try authenticate(with: secret).unlock()
    }
}

/// A slot as a person may see it.
public struct KeySlotDescription: Sendable, Hashable {
    /// The slot's id, 16 bytes.
    public let id: [UInt8]
    /// What opens it.
    public let kind: KeySlotKind
    /// The cost of its derivation; zeros for a recovery code.
    public let cost: KeyDerivationCost

    init(_ slot: KeySlot) {
        id = slot.id
        kind = slot.kind
        cost = slot.cost
    }
}

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
    /// - Parameter secret: A passphrase, a recovery code or an authenticator's output.
    /// - Returns: The vault with its root key in memory; keep its lifetime short.
    /// - Throws: `wrongPassphrase`, `wrongRecoveryCode`, `wrongKey`, `rolledBack`, `forked`, `otherVault`, `noRollbackRecord`, `damaged`, `outOfMemory`, `storage`.
    public consuming func authenticate(
        with secret: borrowing VaultSecret
    ) throws(VaultError) -> AuthenticatedVault {
        try authenticate(with: secret, following: nil)
    }

    /// The same for a caller that saw a state already, from which the vault must follow.
    consuming func authenticate(
        with secret: borrowing VaultSecret, following seen: SeenState?
    ) throws(VaultError) -> AuthenticatedVault {
        do {
            let vault = try prove(secret)
            try vault.session.openState(provedBy: vault.slot, following: seen)
            vault.session.environment.noteUse(vault.session.header.vaultID, vault.slotID)
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
        let opened = try header.open(with: secret, environment.limits)
        let session = VaultSession(
            storage: storage, environment: environment,
            keys: try VaultKeys.open(root: opened.root, header), header: header)
        return opened.vault(session)
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

/// A slot that a secret opened, and the root key.
struct OpenedSlot: ~Copyable {
    let slot: KeySlot
    let root: RootKey

    consuming func vault(_ session: VaultSession) -> AuthenticatedVault {
        AuthenticatedVault(session: session, root: root, slot: slot)
    }
}

extension VaultHeader {
    /// Opens the first slot with the secret's commitment.
    func open(
        with secret: borrowing VaultSecret, _ limits: KeyDerivationLimits
    ) throws -> OpenedSlot {
        for slot in slots where slot.kind == secret.kind {
            let derived = try slot.derive(secret, vaultID: vaultID, limits)
            guard slot.isCommitted(to: derived, vaultID: vaultID) else { continue }
            return OpenedSlot(
                slot: slot,
                root: try slot.openRootKey(with: derived, vaultID: vaultID, keyEpoch: keyEpoch))
        }
        switch secret.kind {
        case .passphrase: throw VaultError.wrongPassphrase
        case .recoveryCode: throw VaultError.wrongRecoveryCode
        case .authenticator: throw VaultError.wrongKey
        }
    }
}

/// The displayable properties of a slot.
public struct KeySlotDescription: Sendable, Hashable {
    /// The most slots that a vault can have.
    public static let maximumCount = KeySlot.maximumCount

    /// The slot's id, 16 bytes.
    public let id: [UInt8]
    /// The kind of secret that opens the slot.
    public let kind: KeySlotKind
    /// The cost of its derivation; zero for other kinds than a passphrase.
    public let cost: KeyDerivationCost
    /// What an authenticator is asked with; nil for other kinds.
    public let record: SlotRecord?

    init(_ slot: KeySlot) {
        self.init(id: slot.id, kind: slot.kind, cost: slot.cost, record: slot.record)
    }

    /// The description of a slot elsewhere, as an agent gives it.
    package init(
        id: [UInt8], kind: KeySlotKind, cost: KeyDerivationCost, record: SlotRecord?
    ) {
        self.id = id
        self.kind = kind
        self.cost = cost
        self.record = record
    }
}

public import Sealing
public import VaultStorage

/// A vault with no key in memory. It offers only data that needs no key.
public struct LockedVault: ~Copyable, Sendable {
    private let storage: any RecordStorage
    private let environment: VaultEnvironment
    private let header: VaultHeader

    /// Reads and checks the header. The cost is small and bounded for any input.
    ///
    /// - Parameters:
    ///   - storage: The storage of the records.
    ///   - environment: Limits, randomness, time and rollback records.
    /// - Throws: `VaultError.damaged`, `.storage`, `.unusable(.libraryFails)`, `.outOfMemory`.
    public init(
        _ storage: any RecordStorage, _ environment: VaultEnvironment
    ) throws(VaultError) {
        header = try VaultError.translating {
            // With a libsodium that computes wrongly, sealing would lose data and opening would report false damage.
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

    /// As ``authenticate(with:)``, for a caller that saw a state already; the vault must follow from it.
    consuming func authenticate(
        with secret: borrowing VaultSecret, following seen: SeenState?
    ) throws(VaultError) -> AuthenticatedVault {
        do {
            let vault = try openRootKey(secret)
            try vault.session.openState(openedBy: vault.slot, following: seen)
            vault.session.environment.logVerification(vault.session.header.vaultID, vault.slotID)
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
            return RepairableVault(try openRootKey(secret).session)
        } catch {
            throw VaultError(translating: error)
        }
    }

    private consuming func openRootKey(
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
    /// Opens the first slot whose commitment matches the secret.
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
    /// The maximum number of slots of a vault.
    public static let maximumCount = KeySlot.maximumCount

    /// The slot's id, 16 bytes.
    public let id: [UInt8]
    /// The kind of secret that opens the slot.
    public let kind: KeySlotKind
    /// The cost of its derivation; zero for other kinds than passphrase.
    public let cost: KeyDerivationCost
    /// The request to an authenticator; nil for other kinds.
    public let record: SlotRecord?

    init(_ slot: KeySlot) {
        self.init(id: slot.id, kind: slot.kind, cost: slot.cost, record: slot.record)
    }

    /// Creates a description from a decoded message, as the agent sends it.
    package init(
        id: [UInt8], kind: KeySlotKind, cost: KeyDerivationCost, record: SlotRecord?
    ) {
        self.id = id
        self.kind = kind
        self.cost = cost
        self.record = record
    }
}

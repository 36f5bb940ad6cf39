public import Sealing
internal import SecretMemory
internal import VaultStorage

/// A vault whose owner was just verified, with the root key in memory.
///
/// Only this type can change slots and keys. Use it for one operation: the root key is wiped when the value ends. Not thread-safe.
public struct AuthenticatedVault: ~Copyable {
    let session: VaultSession
    let root: RootKey
    let slot: KeySlot
    var slotID: [UInt8] { slot.id }

    init(
        session: VaultSession, root: consuming RootKey, slot: KeySlot
    ) {
        self.session = session
        self.root = root
        self.slot = slot
    }

    /// Wipes the root key and keeps the keys of an unlocked, verified vault.
    public consuming func unlock() -> UnlockedVault {
        UnlockedVault(session)
    }

    /// Replaces the verified passphrase or, after another secret, all passphrases.
    ///
    /// The cost does not depend on the size of the vault. The root key stays: the old passphrase with an older copy of the header opens
    /// also what is saved later. To prevent that, use ``rekey(progress:)``.
    ///
    /// - Parameters:
    ///   - passphrase: The new passphrase.
    ///   - cost: The cost of its derivation.
    /// - Returns: Whether the old slot's bytes are already erased from the file.
    /// - Throws: `unusable` for a cost outside the limits, `conflict`, `storage`, `outOfMemory`.
    public borrowing func changePassphrase(
        to passphrase: consuming Passphrase, cost: KeyDerivationCost
    ) throws(VaultError) -> OldBytes {
        do {
            let slot = try makeSlot(.passphrase(passphrase), cost)
            let provedID = slotID
            guard let proved = session.header.slots.first(where: { $0.id == provedID }) else {
                throw VaultError.conflict
            }
            return try changeSlots { slots in
                slots.filter {
                    proved.kind == .passphrase ? $0.id != provedID : $0.kind != .passphrase
                } + [slot]
            }
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Adds a passphrase and keeps the others.
    ///
    /// - Throws: `tooManySlots` if the vault has eight slots; otherwise as ``changePassphrase(to:cost:)``.
    public borrowing func addPassphrase(
        _ passphrase: consuming Passphrase, cost: KeyDerivationCost
    ) throws(VaultError) {
        do {
            let slot = try makeSlot(.passphrase(passphrase), cost)
            _ = try changeSlots { $0 + [slot] }
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Creates a recovery code that replaces all earlier ones.
    ///
    /// - Returns: The code, to be shown once, and whether old bytes are erased.
    /// - Throws: `tooManySlots`, `conflict`, `storage`, `outOfMemory`.
    public borrowing func replaceRecoveryCode() throws(VaultError) -> NewRecoveryCode {
        do {
            let made = try RecoverySlot.make(
                rootKey: root, vaultID: session.header.vaultID, keyEpoch: session.header.keyEpoch,
                session.environment)
            let slot = made.slot
            let oldBytes = try changeSlots { slots in
                slots.filter { $0.kind != .recoveryCode } + [slot]
            }
            return NewRecoveryCode(code: made.takeCode(), oldBytes: oldBytes)
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Removes all slots of a kind.
    ///
    /// - Returns: Whether their bytes are already erased from the file.
    /// - Throws: `noSuchSlot`, `lastSlot` if no slot would remain, `conflict`, `storage`.
    public borrowing func revokeSlots(_ kind: KeySlotKind) throws(VaultError) -> OldBytes {
        try revoke { $0.kind == kind }
    }

    /// Removes one slot.
    ///
    /// - Throws: As ``revokeSlots(_:)``.
    public borrowing func revokeSlot(id: [UInt8]) throws(VaultError) -> OldBytes {
        try revoke { $0.id == id }
    }

    /// The security settings of the newest state read.
    public var settings: VaultSettings? { session.newest?.state.settings }

    private borrowing func revoke(
        _ isRevoked: (KeySlot) -> Bool
    ) throws(VaultError) -> OldBytes {
        do {
            return try changeSlots { slots in
                let kept = slots.filter { !isRevoked($0) }
                guard kept.count < slots.count else { throw VaultError.noSuchSlot }
                guard !kept.isEmpty else { throw VaultError.lastSlot }
                return kept
            }
        } catch {
            throw VaultError(translating: error)
        }
    }

    private borrowing func makeSlot(
        _ secret: consuming VaultSecret, _ cost: KeyDerivationCost
    ) throws -> KeySlot {
        try KeySlot.make(
            for: secret, cost: cost, rootKey: root, vaultID: session.header.vaultID,
            keyEpoch: session.header.keyEpoch, session.environment)
    }

    private borrowing func changeSlots(
        _ change: ([KeySlot]) throws -> [KeySlot]
    ) throws -> OldBytes {
        let proved = slotID
        try session.write { changes in
            var header = changes.session.header
            guard header.slots.contains(where: { $0.id == proved }) else {
                throw VaultError.conflict
            }
            header.slots = try change(header.slots)
            guard header.slots.count <= KeySlot.maximumCount else { throw VaultError.tooManySlots }
            try changes.put(header)
        }
        return eraseOldBytes()
    }

    borrowing func eraseOldBytes() -> OldBytes {
        // A failure leaves the record as durable as the system makes it.
        try? session.environment.marks.sync()
        // The change itself is durable: do not report a failure here as a failure of the change.
        do {
            return switch try session.storage.eraseOldBytes() {
            case true?: .erased
            case false?: .pending
            case nil: .unknown
            }
        } catch {
            return .pending
        }
    }
}

extension AuthenticatedVault {
    /// The time of the backup that was restored since this machine saw the vault last, in milliseconds since 1970-01-01 UTC; nil if none was.
    public var restoredBackup: Int64? { session.restoredBackup }

    /// The rollback record of the newest state read.
    func newestMark() throws -> RollbackMark {
        guard let newest = session.newest else { throw VaultError.damaged(.stateMissing) }
        return newest.mark
    }

    /// The counter of the newest state read.
    public var counter: UInt64 { session.newest?.state.counter ?? 0 }

    /// The number of items in the newest state read.
    public var itemCount: Int { Int(clamping: session.newest?.state.itemCount ?? 0) }
}

/// Whether overwritten bytes, such as an old slot's, are erased from the vault's files.
public enum OldBytes: Sendable, Hashable {
    /// They are erased.
    case erased
    /// Another process is reading, or the storage failed. They are erased when the last process closes the vault.
    case pending
    /// The vault is on a server, which may keep old bytes in its files, logs, replicas and backups.
    case unknown
}

/// A new recovery code, to be shown once.
public struct NewRecoveryCode: ~Copyable, Sendable {
    /// The code.
    public let code: RecoveryCode
    /// Whether the bytes of earlier slots are erased.
    public let oldBytes: OldBytes
}

public import Sealing
internal import SecretMemory
internal import VaultStorage

// Slots of passphrases and of the recovery code, and the change of all slots.
extension AuthenticatedVault {
    /// Replaces the verified passphrase or, after another secret, all passphrases, and rekeys in the same transaction.
    ///
    /// - Parameters:
    ///   - passphrase: The new passphrase.
    ///   - cost: The cost of its derivation.
    ///   - isKeeping: Whether the vault keeps its keys. The cost then does not depend on the size of the vault. But with an older copy of
    /// the header the old passphrase also opens data saved later, until a ``rekey(progress:)``.
    ///   - progress: As for ``rekey(progress:)``; not called if the keys stay.
    /// - Returns: Whether the old slot's bytes are already erased from the file.
    /// - Throws: `unusable` for a cost outside the limits, `tooManySlots`; otherwise as ``rekey(progress:)``. The vault is then unchanged.
    public consuming func changePassphrase(
        to passphrase: consuming Passphrase, cost: KeyDerivationCost,
        keepingKeys isKeeping: Bool = false, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(VaultError) -> OldBytes {
        let opened = slot
        let secret = VaultSecret.passphrase(passphrase)
        let (vaultID, environment) = (session.header.vaultID, session.environment)
        return try change(
            keepingKeys: isKeeping,
            staying: { slots in
                slots.filter {
                    opened.kind == .passphrase ? $0.id != opened.id : $0.kind != .passphrase
                }
            },
            adding: { root, keyEpoch in
                [
                    try KeySlot.make(
                        for: secret, cost: cost, rootKey: root, vaultID: vaultID,
                        keyEpoch: keyEpoch, environment)
                ]
            }, progress)
    }

    /// Adds a passphrase and keeps the others.
    ///
    /// - Throws: `unusable` for a cost outside the limits, `tooManySlots` if the vault has eight slots, `conflict`, `storage`,
    ///   `outOfMemory`.
    public borrowing func addPassphrase(
        _ passphrase: consuming Passphrase, cost: KeyDerivationCost
    ) throws(VaultError) {
        do {
            let slot = try KeySlot.make(
                for: .passphrase(passphrase), cost: cost, rootKey: root,
                vaultID: session.header.vaultID, keyEpoch: session.header.keyEpoch,
                session.environment)
            _ = try changeSlots { $0 + [slot] }
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Creates a recovery code that replaces all earlier ones. The keys stay.
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

    /// Removes all slots of a kind, and rekeys in the same transaction.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - isKeeping: Whether the vault keeps its keys. A removed slot in an older copy of the header then also opens data saved later.
    ///   - progress: As for ``rekey(progress:)``; not called if the keys stay.
    /// - Returns: Whether the bytes of the slots are already erased from the file.
    /// - Throws: `noSuchSlot`, `lastSlot` if no passphrase and no recovery code would remain; otherwise as ``rekey(progress:)``. The vault is then unchanged.
    public consuming func revokeSlots(
        _ kind: KeySlotKind, keepingKeys isKeeping: Bool = false,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(VaultError) -> OldBytes {
        try revoke(keepingKeys: isKeeping, progress) { $0.kind == kind }
    }

    /// Removes one slot, and rekeys in the same transaction; see ``revokeSlots(_:keepingKeys:progress:)``.
    public consuming func revokeSlot(
        id: [UInt8], keepingKeys isKeeping: Bool = false,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(VaultError) -> OldBytes {
        try revoke(keepingKeys: isKeeping, progress) { $0.id == id }
    }

    private consuming func revoke(
        keepingKeys isKeeping: Bool, _ progress: (Int, Int) -> Void,
        _ isRevoked: (KeySlot) -> Bool
    ) throws(VaultError) -> OldBytes {
        try change(
            keepingKeys: isKeeping,
            staying: { slots in
                let kept = slots.filter { !isRevoked($0) }
                guard kept.count < slots.count else { throw VaultError.noSuchSlot }
                // Security keys get lost, and a reset erases them: they must not be the only slots.
                guard kept.contains(where: { $0.kind != .authenticator }) else {
                    throw VaultError.lastSlot
                }
                return kept
            }, adding: { _, _ in [] }, progress)
    }

    private consuming func change(
        keepingKeys isKeeping: Bool, staying: ([KeySlot]) throws -> [KeySlot],
        adding make: (borrowing RootKey, UInt32) throws -> [KeySlot],
        _ progress: (Int, Int) -> Void
    ) throws(VaultError) -> OldBytes {
        do {
            guard isKeeping else {
                return try replaceKeys(staying: staying, adding: make, progress: progress)
            }
            let added = try make(root, session.header.keyEpoch)
            return try changeSlots { try staying($0) + added }
        } catch {
            throw VaultError(translating: error)
        }
    }

    borrowing func changeSlots(
        _ change: ([KeySlot]) throws -> [KeySlot]
    ) throws -> OldBytes {
        let opened = slotID
        try session.write { changes in
            var header = changes.session.header
            guard header.slots.contains(where: { $0.id == opened }) else {
                throw VaultError.conflict
            }
            header.slots = try change(header.slots)
            guard header.slots.count <= KeySlot.maximumCount else { throw VaultError.tooManySlots }
            try changes.put(header)
        }
        return eraseOldBytes()
    }

    borrowing func eraseOldBytes() -> OldBytes {
        // Sync on a best-effort basis: if this fails, the system writes the record later.
        try? session.environment.rollbackRecords.sync()
        // The change itself is durable, so a failure here is no failure of the change.
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

/// Whether overwritten bytes, such as an old slot's, are erased from the vault's files.
public enum OldBytes: Sendable, Hashable {
    /// The bytes are erased.
    case erased
    /// Another process is reading, or the storage failed. The bytes are erased when the last process closes the vault.
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

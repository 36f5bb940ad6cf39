internal import Sealing
internal import SecureStorage

// Slots of security keys and passkeys.
extension AuthenticatedVault {
    /// The slot that the owner's secret opened.
    public var openedSlot: KeySlotDescription { KeySlotDescription(slot) }

    /// Adds a slot for an authenticator. The keys of the vault do not change.
    ///
    /// - Parameters:
    ///   - record: The request to the authenticator.
    ///   - output: Its output for the salt of the record.
    /// - Throws: `duplicateKey` if the credential has a slot; `duplicateLabel` if another slot has the name; `store(.invalidName)` and
    /// `damaged(.slotRecord)` for a record that no header can have; `wrongKey` for a secret of another kind; `tooManySlots`, `conflict`,
    /// `storage`, `outOfMemory`.
    public borrowing func addKey(
        _ record: SlotRecord, with output: borrowing VaultSecret
    ) throws(VaultError) {
        do {
            let slot = try makeSlot(record, output)
            _ = try changeSlots { slots in
                guard !slots.contains(where: { $0.record?.credentialID == record.credentialID })
                else { throw VaultError.duplicateKey }
                return try slots.requiring(freeName: record.name) + [slot]
            }
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Renames the authenticator that verified the owner. The keys of the vault do not change.
    ///
    /// The slot's secret is derived from the name, among others. So this function makes a new slot, which needs the output once more.
    ///
    /// - Parameters:
    ///   - name: The new name.
    ///   - output: The output with which the owner was verified.
    /// - Returns: Whether the old slot's bytes are already erased from the file.
    /// - Throws: `wrongKey` if another secret verified the owner; otherwise as ``addKey(_:with:)``.
    public borrowing func renameKey(
        to name: String, with output: borrowing VaultSecret
    ) throws(VaultError) -> OldBytes {
        do {
            let vaultID = session.header.vaultID
            guard let record = slot.record?.named(name), output.kind == .authenticator,
                slot.isCommitted(
                    to: try slot.derive(output, vaultID: vaultID, session.environment.limits),
                    vaultID: vaultID)
            else { throw VaultError.wrongKey }
            let (old, new) = (slotID, try makeSlot(record, output))
            return try changeSlots { slots in
                _ = try slots.filter { $0.id != old }.requiring(freeName: name)
                return slots.map { $0.id == old ? new : $0 }
            }
        } catch {
            throw VaultError(translating: error)
        }
    }

    private borrowing func makeSlot(
        _ record: SlotRecord, _ output: borrowing VaultSecret
    ) throws -> KeySlot {
        guard output.kind == .authenticator else { throw VaultError.wrongKey }
        try record.check()
        return try KeySlot.make(
            for: output, record: record, cost: .standard, rootKey: root,
            vaultID: session.header.vaultID, keyEpoch: session.header.keyEpoch,
            session.environment)
    }
}

extension [KeySlot] {
    /// Returns the slots if none of them has this name. Several slots may have an empty name.
    fileprivate func requiring(freeName name: String) throws -> [KeySlot] {
        guard
            name.isEmpty
                || !contains(where: { $0.record?.name.utf8.elementsEqual(name.utf8) == true })
        else { throw VaultError.duplicateLabel }
        return self
    }
}

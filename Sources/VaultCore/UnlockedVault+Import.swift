public import SecretMemory
public import SecureStorage
internal import VaultStorage

extension UnlockedVault {
    /// Saves many secrets in one atomic transaction.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether an existing name gets the new value and description, as its next revision, instead of a `duplicate` error.
    ///     A name already saved by this call is always a `duplicate`.
    ///   - body: Calls the given function for each secret. It may catch the errors of that function (`duplicate`, …) and continue.
    ///     It runs inside the transaction: it must not call the vault, and other users of the file wait for it.
    /// - Returns: The result of `body`, after all changes are durable.
    /// - Throws: The error of `body`; no secret was saved.
    public func saveAll<Result>(
        replacing isReplacing: Bool = false,
        _ body: (
            (borrowing SecretBytes, SecretName, SecretAttributes) throws(SecureStoreError) -> Void
        ) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        try run { session in
            try session.write { changes in
                try body { (value, name, attributes) throws(SecureStoreError) in
                    do {
                        try changes.save(value, name, attributes, replacing: isReplacing)
                    } catch {
                        throw SecureStoreError(VaultError(translating: error))
                    }
                }
            }
        }
    }
}

extension VaultChanges {
    fileprivate func save(
        _ value: borrowing SecretBytes, _ name: SecretName, _ attributes: SecretAttributes,
        replacing isReplacing: Bool
    ) throws {
        try value.withBytes { bytes in
            let new = try session.newItem(bytes, name, attributes)
            guard try contains(tag: new.row.tag) else { return try insert(new.row) }
            guard isReplacing, !hasChanged(tag: new.row.tag) else {
                throw SecureStoreError.duplicate
            }
            try replace(name, with: bytes, attributes)
        }
    }

    /// Replaces value and description of an existing secret; its id and creation time are kept.
    private func replace(
        _ name: SecretName, with value: RawSpan, _ attributes: SecretAttributes
    ) throws {
        let row = try existing(name, expecting: nil)
        _ = try session.valueKey(VaultSession.accessClass(of: row))
        var description = try session.open(row)
        description.label = attributes.label
        description.extra = attributes.extra
        description.modified = session.environment.now()
        let new = try session.seal(
            value, description.checked(), attributes.accessClass, itemID: row.itemID,
            revision: session.nextRevision(after: row))
        try replace(row, by: new)
    }
}

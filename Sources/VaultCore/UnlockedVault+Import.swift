public import SecretMemory
public import SecureStorage
internal import VaultStorage

extension UnlockedVault {
    /// Saves many secrets in one transaction: all of them, or none.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether a name that is taken gets the new value and description, as its next revision, instead of being a `duplicate`.
    ///     A name that this call has saved itself always is one.
    ///   - body: Calls the function it gets for each secret; what that throws (a `duplicate`, …) may be caught and passed over.
    ///     It runs inside the transaction: it must not call the vault, and other users of the file wait for it.
    /// - Returns: What `body` returns, after everything is durable.
    /// - Throws: What `body` throws; nothing was saved then.
    public func saveAll<Result>(
        replacing isReplacing: Bool = false,
        _ body: (
            (borrowing SecretBytes, SecretName, SecretAttributes) throws(SecureStoreError) -> Void
        ) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        do throws(VaultError) {
            return try use { (session) throws(VaultError) in
                try session.write { (changes) throws(VaultError) in
                    do throws(SecureStoreError) {
                        return try body {
                            (value, name, attributes) throws(SecureStoreError) in
                            try changes.save(value, name, attributes, replacing: isReplacing)
                        }
                    } catch {
                        throw .store(error)
                    }
                }
            }
        } catch {
            throw SecureStoreError(error)
        }
    }
}

extension VaultChanges {
    fileprivate func save(
        _ value: borrowing SecretBytes, _ name: SecretName, _ attributes: SecretAttributes,
        replacing isReplacing: Bool
    ) throws(SecureStoreError) {
        do throws(VaultError) {
            try value.withBytes { (bytes) throws(VaultError) in
                let new = try session.newItem(bytes, name, attributes)
                guard try contains(tag: new.row.tag) else { return try insert(new.row) }
                guard isReplacing, !hasChanged(tag: new.row.tag) else { throw .store(.duplicate) }
                try replace(name, with: bytes, attributes)
            }
        } catch {
            throw SecureStoreError(error)
        }
    }

    /// Gives an existing secret another value and description; it keeps its id and the time when it was made.
    private func replace(
        _ name: SecretName, with value: RawSpan, _ attributes: SecretAttributes
    ) throws(VaultError) {
        let row = try existing(name, expecting: nil)
        _ = try session.valueKey(VaultSession.accessClass(of: row))
        var description = try session.open(row)
        description.label = attributes.label
        description.extra = attributes.extra
        description.modified = session.environment.now()
        let new = try session.seal(
            value, VaultSession.checked(description), attributes.accessClass, itemID: row.itemID,
            revision: session.nextRevision(after: row))
        try replace(row, by: new)
    }
}

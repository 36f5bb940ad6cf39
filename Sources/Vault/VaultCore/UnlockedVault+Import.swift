public import SecretMemory
public import SecureStorage
internal import VaultStorage

extension UnlockedVault {
    /// Saves new secrets in one transaction; see ``SecureStore/saveEach(_:)``. If it throws, none is saved.
    public func saveEach(
        _ next: () throws(SecureStoreError) -> NewSecret?
    ) throws(SecureStoreError) {
        try saveAll { (save) throws(SecureStoreError) in
            while let secret = try next() {
                try save(secret.value, secret.name, secret.attributes, nil)
            }
        }
    }

    /// Saves many secrets in one atomic transaction.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether an existing name gets the new value and description, as its next revision, instead of a `duplicate` error.
    /// A name that this call saved already is always a `duplicate`.
    ///   - body: Calls the given function for each secret. It may catch that function's errors (`duplicate`, …) and continue. It runs
    ///     inside
    /// the transaction: it must not call the vault, and other users of the file wait for it. A new secret keeps the given times, but none
    /// later than now; a replaced one gets the time of its replacement.
    /// - Returns: The result of `body`, after all changes are durable.
    /// - Throws: The error of `body`; no secret was saved.
    public func saveAll<Result>(
        replacing isReplacing: Bool = false,
        _ body: (
            (borrowing SecretBytes, SecretName, SecretAttributes, SecretTimes?)
                throws(SecureStoreError) -> Void
        ) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        try run { session in
            let random = session.environment.random.buffered()
            return try session.change { changes in
                try body { (value, name, attributes, times) throws(SecureStoreError) in
                    do {
                        try changes.save(
                            value, name, attributes, times, replacing: isReplacing,
                            random: random)
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
        _ times: SecretTimes?, replacing isReplacing: Bool, random: RandomSource
    ) throws {
        let new = try value.withBytes {
            try session.newItem($0, name, attributes, times, random: random)
        }
        guard try contains(tag: new.row.tag) else { return try insertLater(new.row) }
        guard isReplacing, !hasChanged(tag: new.row.tag) else { throw SecureStoreError.duplicate }
        let edit = SecretEdit(
            label: attributes.label, accessClass: attributes.accessClass, extra: attributes.extra)
        _ = try update(existing(name, expecting: nil), to: value, edit)
    }
}

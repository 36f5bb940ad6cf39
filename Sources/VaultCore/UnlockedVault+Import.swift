public import SecretMemory
public import SecureStorage
internal import VaultStorage

extension UnlockedVault {
    /// Saves many secrets in one transaction: all of them, or none.
    ///
    /// - Parameter body: Calls the function it gets for each secret; what that throws (a `duplicate`, …) may be caught and passed over.
    /// - Returns: What `body` returns, after everything is durable.
    /// - Throws: What `body` throws; nothing was saved then.
    public func saveAll<Result>(
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
                            try changes.save(value, name, attributes)
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
        _ value: borrowing SecretBytes, _ name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) {
        do throws(VaultError) {
            try value.withBytes { (bytes) throws(VaultError) in
                let new = try session.newItem(bytes, name, attributes)
                guard try !contains(tag: new.row.tag) else { throw .store(.duplicate) }
                try insert(new.row)
            }
        } catch {
            throw SecureStoreError(error)
        }
    }
}

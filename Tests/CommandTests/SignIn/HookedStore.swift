import SecretMemory
import SecureStorage

/// A store beside which something happens whenever a secret was removed.
struct HookedStore: SecureStore {
    let base: any SecureStore
    /// Gets the name of the secret.
    let afterRemoval: @Sendable (SecretName) -> Void

    func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        try base.read(name, body)
    }

    func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        try base.save(value, as: name, attributes)
    }

    func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try base.update(name, to: value, edit, expecting: revision)
    }

    func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try base.edit(name, edit, expecting: revision)
    }

    func remove(_ name: SecretName, expecting revision: UInt64?) throws(SecureStoreError) {
        try base.remove(name, expecting: revision)
        afterRemoval(name)
    }

    func list() throws(SecureStoreError) -> [SecretItem] { try base.list() }
}

package import SecretMemory
package import SecureStorage

/// A store that forwards each call to another one, unless the type implements the call.
package protocol ForwardingStore: SecureStore {
    var base: any SecureStore { get }
}

extension ForwardingStore {
    package func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        try base.read(name, body)
    }

    package func describe(_ name: SecretName) throws(SecureStoreError) -> SecretItem {
        try base.describe(name)
    }

    package func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        try base.save(value, as: name, attributes)
    }

    package func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try base.update(name, to: value, edit, expecting: revision)
    }

    package func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try base.edit(name, edit, expecting: revision)
    }

    package func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        try base.remove(name, expecting: revision, permanently: isPermanent)
    }

    package func history(of name: SecretName) throws(SecureStoreError) -> [EarlierSecret] {
        try base.history(of: name)
    }

    package func readEarlier<Result: ~Copyable>(
        _ name: SecretName, revision: UInt64,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        try base.readEarlier(name, revision: revision, body)
    }

    package func removed() throws(SecureStoreError) -> [EarlierSecret] { try base.removed() }

    package func restore(
        _ name: SecretName, toRevision revision: UInt64
    ) throws(SecureStoreError) -> SecretItem {
        try base.restore(name, toRevision: revision)
    }

    package func restore(
        removed id: [UInt8], as name: SecretName?
    ) throws(SecureStoreError) -> SecretItem {
        try base.restore(removed: id, as: name)
    }

    package func change(_ changes: [SecretChange]) throws(SecureStoreError) -> [SecretItem] {
        try base.change(changes)
    }

    package func find(
        _ search: SecretSearch, limit: Int
    ) throws(SecureStoreError) -> [SecretItem] {
        try base.find(search, limit: limit)
    }

    package func list() throws(SecureStoreError) -> [SecretItem] { try base.list() }
}

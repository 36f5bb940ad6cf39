// Re-exported because the values of a store are `SecretBytes`.
@_exported public import SecretMemory

/// A keychain: named secrets that can be locked.
///
/// Synchronous and thread-safe. Every operation on a locked store fails with ``SecureStoreError/locked``, for any arguments.
/// Reading, saving, updating and editing secrets of the class ``AccessClass/afterVerification`` requires recent verification
/// (``SecureStoreError/notVerified``); listing and removing them does not. A change is durable when its call returns. If a call throws, the
/// store is unchanged.
///
/// A replaced value and a removed secret stay for some time (``EarlierRetention``) and can be restored, except those of TaskVault's
/// sign-in.
public protocol SecureStore: Sendable {
    /// Reads a secret.
    ///
    /// - Parameters:
    ///   - name: The secret's name.
    ///   - body: Gets the description and, in guarded memory during the call, the value. It must not call the store.
    /// - Returns: The result of `body`.
    /// - Throws: `notFound`, `notVerified`, `damaged`, or the error of `body`.
    func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result

    /// Describes a secret of any class without reading its value.
    ///
    /// - Throws: `notFound`, `damaged`, …
    func describe(_ name: SecretName) throws(SecureStoreError) -> SecretItem

    /// Reads many secrets, possibly faster than one by one; missing secrets are skipped.
    ///
    /// - Parameters:
    ///   - names: The secrets' names. The secrets are read in this order, each in its current revision.
    ///   - body: Gets the index of the name in `names`, and the secret as in ``read(_:_:)``. It must not call the store.
    /// - Throws: As ``read(_:_:)``, at the first unreadable secret; or the error of `body`. `body` has received all secrets before
    ///   it.
    func readEach(
        _ names: [SecretName],
        _ body: (Int, SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Void
    ) throws(SecureStoreError)

    /// Saves a new secret.
    ///
    /// - Parameters:
    ///   - value: 0 bytes to ``SecretLimits/maximumValueSize``.
    ///   - name: An unused name.
    ///   - attributes: The description.
    /// - Returns: Its description, with revision 1.
    /// - Throws: `duplicate`, `notVerified`, `invalidName`, `tooLarge`, …
    @discardableResult
    func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem

    /// Saves new secrets, in one step if the store can do that.
    ///
    /// - Parameter next: Gives the next secret; nil after the last one. It must not call the store.
    /// - Throws: As ``save(_:as:_:)``, or the error of `next`. Some of the secrets may be saved then.
    func saveEach(_ next: () throws(SecureStoreError) -> NewSecret?) throws(SecureStoreError)

    /// Replaces a secret's value, and applies `edit` to its description, atomically.
    ///
    /// - Parameters:
    ///   - name: An existing name.
    ///   - value: The new value.
    ///   - edit: Further changes.
    ///   - revision: The revision that the caller expects; nil to replace any revision.
    /// - Returns: Its description, with the next revision.
    /// - Throws: `notFound`, `conflict`, `duplicate` if a new name exists, `notVerified` if the old or the new class requires it,
    ///   `tooLarge`, …
    @discardableResult
    func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem

    /// Changes a secret's name, label, class or further attributes and keeps its value.
    ///
    /// - Returns: Its description, with the next revision.
    /// - Throws: `notFound`, `duplicate` if the new name exists, `conflict`, `notVerified` if the old or the new class requires it, …
    @discardableResult
    func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem

    /// Removes a secret of any class. It can be restored for some time, unless it is erased with all its earlier values.
    ///
    /// - Parameters:
    ///   - name: An existing name; it is free afterwards.
    ///   - revision: The revision that the caller expects; nil to remove any revision.
    ///   - isPermanent: Whether to erase it.
    /// - Throws: `notFound`, `conflict`.
    func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError)

    /// Describes the earlier values of a secret of any class, the newest first.
    ///
    /// - Throws: `notFound`, `damaged`, …
    func history(of name: SecretName) throws(SecureStoreError) -> [EarlierSecret]

    /// Reads an earlier value of a secret.
    ///
    /// - Parameters:
    ///   - name: An existing name.
    ///   - revision: The revision of the earlier value.
    ///   - body: As in ``read(_:_:)``; the description is that of the earlier value.
    /// - Returns: The result of `body`.
    /// - Throws: `notFound` if the secret or the earlier value is missing; `notVerified` if its class requires it; `damaged`, or the error of
    ///   `body`.
    func readEarlier<Result: ~Copyable>(
        _ name: SecretName, revision: UInt64,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result

    /// Describes the removed secrets of every class that can be restored, the last removed first.
    func removed() throws(SecureStoreError) -> [EarlierSecret]

    /// Restores an earlier value of a secret; name, label, class and further attributes stay. The attribute `url` of a field `url` is
    /// that of its value.
    ///
    /// - Parameters:
    ///   - name: An existing name.
    ///   - revision: The revision of the earlier value.
    /// - Returns: Its description, with the next revision.
    /// - Throws: `notFound` if the secret or the earlier value is missing; `notVerified` if the class requires it; …
    @discardableResult
    func restore(
        _ name: SecretName, toRevision revision: UInt64
    ) throws(SecureStoreError) -> SecretItem

    /// Restores a removed secret with its earlier values.
    ///
    /// - Parameters:
    ///   - id: Its id, 16 bytes.
    ///   - name: A new name, which counts as a change; nil for the old name.
    /// - Returns: Its description. The revision is the old one or, with a new name, the next one.
    /// - Throws: `notFound`; `duplicate` if the name exists; `notVerified` if a new name is given and the class requires it; …
    @discardableResult
    func restore(
        removed id: [UInt8], as name: SecretName?
    ) throws(SecureStoreError) -> SecretItem

    /// Edits and removes secrets atomically, in the given order.
    ///
    /// - Returns: The descriptions of the edited secrets, in the order of the changes.
    /// - Throws: As ``edit(_:_:expecting:)`` and ``remove(_:expecting:permanently:)``; nothing was changed.
    @discardableResult
    func change(_ changes: [SecretChange]) throws(SecureStoreError) -> [SecretItem]

    /// Describes all secrets of every class, ordered by name.
    func list() throws(SecureStoreError) -> [SecretItem]

    /// Describes the entries that a search finds, each with all its secrets of every class, ordered by name.
    ///
    /// - Parameters:
    ///   - search: The search.
    ///   - limit: The maximum number of entries, at least 1. If more match, the choice is undefined.
    /// - Returns: The secrets of these entries.
    /// - Throws: `locked`, `damaged`, …
    func find(_ search: SecretSearch, limit: Int) throws(SecureStoreError) -> [SecretItem]
}

/// A secret to save.
public struct NewSecret: ~Copyable {
    /// The value: 0 bytes to ``SecretLimits/maximumValueSize``.
    public let value: SecretBytes
    /// An unused name.
    public let name: SecretName
    /// The description.
    public let attributes: SecretAttributes

    /// Makes a secret to save.
    public init(
        _ value: consuming SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) {
        self.value = value
        self.name = name
        self.attributes = attributes
    }
}

/// The size limits of every store.
public enum SecretLimits {
    /// The maximum size of a value, in bytes: 1 MiB.
    public static let maximumValueSize = 1_048_576
}

extension SecureStore {
    /// Searches the list of all secrets.
    public func find(
        _ search: SecretSearch, limit: Int
    ) throws(SecureStoreError) -> [SecretItem] {
        let key = search.key
        let entries = SecretEntry.entries(of: try list()).lazy.filter { entry in
            entry.fields.contains { search.finds($0, key) }
        }
        return entries.prefix(limit).flatMap(\.fields).sorted { $0.name < $1.name }
    }

    /// Describes all entries that match a search.
    public func find(_ search: SecretSearch) throws(SecureStoreError) -> [SecretItem] {
        try find(search, limit: .max)
    }

    /// Saves new secrets one by one.
    public func saveEach(
        _ next: () throws(SecureStoreError) -> NewSecret?
    ) throws(SecureStoreError) {
        while let secret = try next() {
            try save(secret.value, as: secret.name, secret.attributes)
        }
    }

    /// Reads many secrets one by one.
    public func readEach(
        _ names: [SecretName],
        _ body: (Int, SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Void
    ) throws(SecureStoreError) {
        for (place, name) in names.enumerated() {
            var isFound = false
            do throws(SecureStoreError) {
                try read(name) { (item, value) throws(SecureStoreError) in
                    isFound = true
                    try body(place, item, value)
                }
            } catch .notFound where !isFound {
                continue
            }
        }
    }

    /// Reads a copy of a secret's value.
    ///
    /// - Throws: As ``read(_:_:)``.
    public func value(of name: SecretName) throws(SecureStoreError) -> SecretBytes {
        try read(name) { (_, value) throws(SecureStoreError) in
            do {
                return try value.copy()
            } catch {
                throw SecureStoreError(translating: error)
            }
        }
    }

    /// Replaces a secret's value and keeps its description.
    @discardableResult
    public func update(
        _ name: SecretName, to value: borrowing SecretBytes, expecting revision: UInt64? = nil
    ) throws(SecureStoreError) -> SecretItem {
        try update(name, to: value, SecretEdit(), expecting: revision)
    }

    /// Removes a secret. It can be restored for some time.
    public func remove(
        _ name: SecretName, expecting revision: UInt64? = nil
    ) throws(SecureStoreError) {
        try remove(name, expecting: revision, permanently: false)
    }
}

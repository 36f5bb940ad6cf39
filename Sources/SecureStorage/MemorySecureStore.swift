public import SecretMemory
internal import Synchronization

/// A store in guarded memory that ends with the process: for tests, and for programs that need the protocol without a file.
///
/// It locks and verifies by flags, because it stores nothing on disk; a vault uses keys instead. Thread-safe.
public final class MemorySecureStore: SecureStore {
    private struct State: ~Copyable {
        var items: [SecretName: Entry] = [:]
        var isLocked = false
        var isVerified = true
    }

    /// An item and its value; a dictionary cannot hold a `SecretBytes` itself.
    private final class Entry: Sendable {
        let item: SecretItem
        let value: SecretBytes

        init(_ item: SecretItem, _ value: consuming SecretBytes) {
            self.item = item
            self.value = value
        }
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Int64

    /// Creates an empty store, unlocked and verified.
    ///
    /// - Parameter now: Milliseconds since 1970-01-01 UTC, for the times of items.
    public init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }

    /// Refuses every operation until ``unlock()``.
    public func lock() { state.withLock { $0.isLocked = true } }
    /// Allows every operation again.
    public func unlock() {
        state.withLock {
            $0.isLocked = false
            $0.isVerified = true
        }
    }
    /// Refuses operations that need verification, until ``unlock()``.
    public func endVerification() { state.withLock { $0.isVerified = false } }

    /// Reads a secret; see ``SecureStore/read(_:_:)``.
    public func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        let entry = try use { state in
            let entry = try Self.entry(name, nil, &state)
            try Self.check(entry.item.attributes.accessClass, state)
            return entry
        }
        return try body(entry.item, entry.value)
    }

    /// Describes a secret; see ``SecureStore/describe(_:)``.
    public func describe(_ name: SecretName) throws(SecureStoreError) -> SecretItem {
        try use { state in try Self.entry(name, nil, &state).item }
    }

    /// Saves a new secret; see ``SecureStore/save(_:as:_:)``.
    @discardableResult
    public func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        let time = now()
        return try use { state in
            try Self.checkSize(value)
            try Self.check(attributes.accessClass, state)
            let item = SecretItem(
                name: name, attributes: try Self.acceptable(attributes, name), revision: 1,
                created: time, modified: time)
            guard state.items[name] == nil else { throw SecureStoreError.duplicate }
            state.items[name] = Entry(item, try value.copy())
            return item
        }
    }

    /// Replaces a value; see ``SecureStore/update(_:to:_:expecting:)``.
    @discardableResult
    public func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        let time = now()
        return try use { state in
            try Self.checkSize(value)
            let item = try Self.revised(name, edit, revision, time, &state)
            let entry = Entry(item, try value.copy())
            state.items[name] = nil
            state.items[item.name] = entry
            return item
        }
    }

    /// Changes a description; see ``SecureStore/edit(_:_:expecting:)``.
    @discardableResult
    public func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        let time = now()
        return try use { state in
            let old = try Self.entry(name, revision, &state)
            let item = try Self.revised(name, edit, revision, time, &state)
            let entry = Entry(item, try old.value.copy())
            state.items[name] = nil
            state.items[item.name] = entry
            return item
        }
    }

    /// Removes a secret; see ``SecureStore/remove(_:expecting:)``.
    public func remove(
        _ name: SecretName, expecting revision: UInt64?
    ) throws(SecureStoreError) {
        try use { state in
            _ = try Self.entry(name, revision, &state)
            state.items[name] = nil
        }
    }

    /// Describes all secrets; see ``SecureStore/list()``.
    public func list() throws(SecureStoreError) -> [SecretItem] {
        try use { state in state.items.values.map(\.item).sorted { $0.name < $1.name } }
    }

    /// Runs `body` with the state of an unlocked store.
    private func use<Result: Sendable>(
        _ body: (inout State) throws -> Result
    ) throws(SecureStoreError) -> Result {
        do {
            return try state.withLock { state in
                guard !state.isLocked else { throw SecureStoreError.locked }
                return try body(&state)
            }
        } catch {
            throw SecureStoreError(translating: error)
        }
    }

    private static func entry(
        _ name: SecretName, _ revision: UInt64?, _ state: inout State
    ) throws -> Entry {
        guard let entry = state.items[name] else { throw SecureStoreError.notFound }
        if let revision, revision != entry.item.revision {
            throw SecureStoreError.conflict(found: entry.item.revision)
        }
        return entry
    }

    /// The next description of a secret; changes nothing yet.
    private static func revised(
        _ name: SecretName, _ edit: SecretEdit, _ revision: UInt64?, _ time: Int64,
        _ state: inout State
    ) throws -> SecretItem {
        let old = try entry(name, revision, &state).item
        var attributes = old.attributes
        attributes.label = edit.label ?? attributes.label
        attributes.accessClass = edit.accessClass ?? attributes.accessClass
        attributes.extra = edit.extra ?? attributes.extra
        try check(old.attributes.accessClass, state)
        try check(attributes.accessClass, state)
        let newName = edit.name ?? name
        let item = SecretItem(
            name: newName, attributes: try acceptable(attributes, newName),
            revision: old.revision + 1, created: old.created, modified: time)
        guard newName == name || state.items[newName] == nil else {
            throw SecureStoreError.duplicate
        }
        return item
    }

    private static func check(_ accessClass: AccessClass, _ state: borrowing State) throws {
        if accessClass == .afterVerification, !state.isVerified {
            throw SecureStoreError.notVerified
        }
    }

    private static func checkSize(_ value: borrowing SecretBytes) throws {
        guard value.count <= SecretLimits.maximumValueSize else {
            throw SecureStoreError.tooLarge(maximum: SecretLimits.maximumValueSize)
        }
    }

    /// The attributes in stored form: checked and sorted.
    private static func acceptable(
        _ attributes: SecretAttributes, _ name: SecretName
    ) throws -> SecretAttributes {
        var kept = attributes
        kept.extra = try attributes.checkedExtra(of: name)
        return kept
    }
}

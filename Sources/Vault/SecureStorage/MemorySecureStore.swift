public import SecretMemory
internal import Synchronization

/// A store in guarded memory that ends with the process: for tests, and for programs that need the protocol without a file.
///
/// Locking and verification are flags here, because nothing is stored on disk; a vault uses keys instead. Thread-safe.
public final class MemorySecureStore: SecureStore {
    private struct State: ~Copyable {
        var items: [SecretName: Entry] = [:]
        /// Earlier versions by id, ascending by revision. If the last one has `isRemoval`, the secret is removed.
        var earlier: [[UInt8]: [Earlier]] = [:]
        var lastID: UInt64 = 0
        var isLocked = false
        var isVerified = true
    }

    /// A reference to a value: a dictionary cannot hold a `SecretBytes` itself.
    private final class Value: Sendable {
        let bytes: SecretBytes

        init(_ bytes: borrowing SecretBytes) throws {
            self.bytes = try bytes.copy()
        }
    }

    private struct Entry: Sendable {
        let id: [UInt8]
        var item: SecretItem
        let value: Value

        mutating func protect() {
            var attributes = item.attributes
            attributes.accessClass = .afterVerification
            item = SecretItem(
                name: item.name, attributes: attributes, revision: item.revision,
                created: item.created, modified: item.modified)
        }
    }

    /// An earlier version of an item.
    private struct Earlier: Sendable {
        var entry: Entry
        let time: Int64
        let isRemoval: Bool

        var description: EarlierSecret {
            EarlierSecret(id: entry.id, item: entry.item, moved: time)
        }
    }

    private let state = Mutex(State())
    private let retention: EarlierRetention
    /// The service of all items; nil for any service.
    private let service: String?
    private let now: @Sendable () -> Int64

    /// Creates an empty store, unlocked and verified.
    ///
    /// - Parameters:
    ///   - retention: How long earlier versions stay.
    ///   - now: Milliseconds since 1970-01-01 UTC, for the times of items.
    public init(retention: EarlierRetention = .standard, now: @escaping @Sendable () -> Int64) {
        self.retention = retention
        self.now = now
        service = nil
    }

    /// As ``init(retention:now:)``, for the secrets of one service.
    package init(
        of service: String, retention: EarlierRetention, now: @escaping @Sendable () -> Int64
    ) {
        self.retention = retention
        self.now = now
        self.service = service
    }

    /// Makes every operation fail until ``unlock()``.
    public func lock() { state.withLock { $0.isLocked = true } }
    /// Allows every operation again.
    public func unlock() {
        state.withLock {
            $0.isLocked = false
            $0.isVerified = true
        }
    }
    /// Makes operations that need verification fail until ``unlock()``.
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
        return try body(entry.item, entry.value.bytes)
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
                name: name, attributes: try acceptable(attributes, name), revision: 1,
                created: time, modified: time)
            guard state.items[name] == nil else { throw SecureStoreError.duplicate }
            state.lastID += 1
            var id = ByteWriter()
            id.integer(state.lastID)
            id.integer(UInt64(0))
            state.items[name] = Entry(id: id.bytes, item: item, value: try Value(value))
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
            let old = try Self.entry(name, revision, &state)
            let item = try revised(name, edit, revision, time, &state)
            let entry = Entry(id: old.id, item: item, value: try Value(value))
            replace(old, by: entry, time, &state)
            return item
        }
    }

    /// Changes a description; see ``SecureStore/edit(_:_:expecting:)``.
    @discardableResult
    public func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        let time = now()
        return try use { state in try self.edit(name, edit, revision, time, &state) }
    }

    private func edit(
        _ name: SecretName, _ edit: SecretEdit, _ revision: UInt64?, _ time: Int64,
        _ state: inout State
    ) throws -> SecretItem {
        let old = try Self.entry(name, revision, &state)
        let item = try revised(name, edit, revision, time, &state)
        replace(old, by: Entry(id: old.id, item: item, value: old.value), time, &state)
        return item
    }

    /// Removes a secret; see ``SecureStore/remove(_:expecting:permanently:)``.
    public func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        let time = now()
        try use { state in try self.remove(name, revision, isPermanent, time, &state) }
    }

    private func remove(
        _ name: SecretName, _ revision: UInt64?, _ isPermanent: Bool, _ time: Int64,
        _ state: inout State
    ) throws {
        let old = try Self.entry(name, revision, &state)
        state.items[name] = nil
        if isPermanent || !name.keepsEarlier {
            state.earlier[old.id] = nil
        } else {
            expire(old.id, time, &state)
            state.earlier[old.id, default: []].append(
                Earlier(entry: old, time: time, isRemoval: true))
        }
        expire(old.id, time, &state)
    }

    /// Edits and removes secrets; see ``SecureStore/change(_:)``.
    @discardableResult
    public func change(_ changes: [SecretChange]) throws(SecureStoreError) -> [SecretItem] {
        let time = now()
        return try use { state in
            let (items, earlier) = (state.items, state.earlier)
            do {
                return try changes.compactMap { change in
                    switch change.action {
                    case .edit(let edit):
                        return try self.edit(change.name, edit, change.revision, time, &state)
                    case .remove(let isPermanent):
                        try self.remove(change.name, change.revision, isPermanent, time, &state)
                        return nil
                    }
                }
            } catch {
                (state.items, state.earlier) = (items, earlier)
                throw error
            }
        }
    }

    /// Describes earlier values; see ``SecureStore/history(of:)``.
    public func history(of name: SecretName) throws(SecureStoreError) -> [EarlierSecret] {
        let time = now()
        return try use { state in
            let entry = try Self.entry(name, nil, &state)
            expire(entry.id, time, &state)
            return (state.earlier[entry.id] ?? []).reversed().map(\.description)
        }
    }

    /// Reads an earlier value; see ``SecureStore/readEarlier(_:revision:_:)``.
    public func readEarlier<Result: ~Copyable>(
        _ name: SecretName, revision: UInt64,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        let time = now()
        let entry = try use { state in
            let current = try Self.entry(name, nil, &state)
            expire(current.id, time, &state)
            let earlier = state.earlier[current.id]?.first {
                $0.entry.item.revision == revision
            }
            guard let entry = earlier?.entry else { throw SecureStoreError.notFound }
            try Self.check(entry.item.attributes.accessClass, state)
            return entry
        }
        return try body(entry.item, entry.value.bytes)
    }

    /// Describes removed secrets; see ``SecureStore/removed()``.
    public func removed() throws(SecureStoreError) -> [EarlierSecret] {
        let time = now()
        return try use { state in
            for id in state.earlier.keys { expire(id, time, &state) }
            let last = state.earlier.values.compactMap(\.last).filter(\.isRemoval)
            return last.map(\.description).sorted(by: EarlierSecret.isRemovedLater)
        }
    }

    /// Restores an earlier value; see ``SecureStore/restore(_:toRevision:)``.
    @discardableResult
    public func restore(
        _ name: SecretName, toRevision revision: UInt64
    ) throws(SecureStoreError) -> SecretItem {
        let time = now()
        return try use { state in
            let old = try Self.entry(name, nil, &state)
            expire(old.id, time, &state)
            let earlier = (state.earlier[old.id] ?? []).first { $0.entry.item.revision == revision }
            guard let earlier else { throw SecureStoreError.notFound }
            try Self.check(earlier.entry.item.attributes.accessClass, state)
            var edit = SecretEdit()
            if name.isAddress {
                var attributes = old.item.attributes
                attributes.addresses = earlier.entry.item.attributes.addresses
                edit.extra = attributes.extra
            }
            let item = try revised(name, edit, nil, time, &state)
            let entry = Entry(id: old.id, item: item, value: earlier.entry.value)
            replace(old, by: entry, time, &state)
            return item
        }
    }

    /// Restores a removed secret; see ``SecureStore/restore(removed:as:)``.
    @discardableResult
    public func restore(
        removed id: [UInt8], as name: SecretName?
    ) throws(SecureStoreError) -> SecretItem {
        let time = now()
        return try use { state in
            expire(id, time, &state)
            guard let last = state.earlier[id]?.last, last.isRemoval else {
                throw SecureStoreError.notFound
            }
            let old = last.entry
            let newName = name ?? old.item.name
            if newName != old.item.name { try Self.check(old.item.attributes.accessClass, state) }
            guard state.items[newName] == nil else { throw SecureStoreError.duplicate }
            var entry = old
            if newName != old.item.name {
                let item = SecretItem(
                    name: newName, attributes: try acceptable(old.item.attributes, newName),
                    revision: old.item.revision + 1, created: old.item.created, modified: time)
                entry = Entry(id: id, item: item, value: old.value)
            }
            state.items[newName] = entry
            state.earlier[id]?.removeLast()
            expire(id, time, &state)
            return entry.item
        }
    }

    /// Describes all secrets; see ``SecureStore/list()``.
    public func list() throws(SecureStoreError) -> [SecretItem] {
        try use { state in state.items.values.map(\.item).sorted { $0.name < $1.name } }
    }

    /// The number of secrets, without their descriptions.
    package func count() throws(SecureStoreError) -> Int { try use { $0.items.count } }

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

    /// The next description of a secret. Changes nothing.
    private func revised(
        _ name: SecretName, _ edit: SecretEdit, _ revision: UInt64?, _ time: Int64,
        _ state: inout State
    ) throws -> SecretItem {
        let old = try Self.entry(name, revision, &state).item
        var attributes = old.attributes
        attributes.label = edit.label ?? attributes.label
        attributes.accessClass = edit.accessClass ?? attributes.accessClass
        attributes.extra = edit.extra ?? attributes.extra
        try Self.check(old.attributes.accessClass, state)
        try Self.check(attributes.accessClass, state)
        let newName = edit.name ?? name
        let item = SecretItem(
            name: newName, attributes: try acceptable(attributes, newName),
            revision: old.revision + 1, created: old.created, modified: time)
        guard newName == name || state.items[newName] == nil else {
            throw SecureStoreError.duplicate
        }
        return item
    }

    /// Replaces an entry by another, and keeps the old value as an earlier one if it differs.
    private func replace(_ old: Entry, by new: Entry, _ time: Int64, _ state: inout State) {
        state.items[old.item.name] = nil
        state.items[new.item.name] = new
        var earlier = state.earlier[new.id] ?? []
        if old.item.name.keepsEarlier, !old.value.bytes.isEqual(to: new.value.bytes) {
            earlier.append(Earlier(entry: old, time: time, isRemoval: false))
        }
        if new.item.attributes.accessClass == .afterVerification {
            // Otherwise a replaced value would be readable without verification.
            for index in earlier.indices { earlier[index].entry.protect() }
        }
        state.earlier[new.id] = earlier
        expire(new.id, time, &state)
    }

    /// Removes the expired earlier versions of an item.
    private func expire(_ id: [UInt8], _ time: Int64, _ state: inout State) {
        guard let earlier = state.earlier[id] else { return }
        let stays = retention.stays(
            earlier.reversed().map { ($0.time, $0.isRemoval) }, now: time)
        state.earlier[id] = zip(earlier, stays.reversed()).compactMap { $1 ? $0 : nil }
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
    private func acceptable(
        _ attributes: SecretAttributes, _ name: SecretName
    ) throws -> SecretAttributes {
        if let service, !name.service.hasSameBytes(as: service) {
            throw SecureStoreError.invalidName(field: "service", .reserved)
        }
        var kept = attributes
        kept.extra = try attributes.checkedExtra(of: name)
        return kept
    }
}

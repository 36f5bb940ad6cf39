internal import Sealing
public import SecretMemory
public import SecureStorage
internal import VaultStorage

extension UnlockedVault {
    /// Reads a secret; see ``SecureStore/read(_:_:)``.
    public func read<Result: ~Copyable>(
        _ name: SecretName,
        _ body: (SecretItem, borrowing SecretBytes) throws(SecureStoreError) -> Result
    ) throws(SecureStoreError) -> Result {
        var found: Result?
        try run { session in
            guard let row = try session.row(of: session.tag(of: name)) else { return }
            _ = try session.valueKey(VaultSession.accessClass(of: row))
            let item = try VaultSession.item(row, session.open(row, expecting: name))
            found = try session.withValue(of: row) { try body(item, $0) }
            session.environment.logRead(name)
        }
        guard let result = found.take() else { throw .notFound }
        return result
    }

    /// Describes a secret; see ``SecureStore/describe(_:)``.
    public func describe(_ name: SecretName) throws(SecureStoreError) -> SecretItem {
        try run { session in
            guard let row = try session.row(of: session.tag(of: name)) else {
                throw SecureStoreError.notFound
            }
            return try VaultSession.item(row, session.open(row, expecting: name))
        }
    }

    /// Saves a new secret; see ``SecureStore/save(_:as:_:)``.
    @discardableResult
    public func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        try run { session in
            try value.withBytes { bytes in
                let new = try session.newItem(
                    bytes, name, attributes, random: session.environment.random)
                return try session.change { changes in
                    guard try !changes.contains(tag: new.row.tag) else {
                        throw SecureStoreError.duplicate
                    }
                    try changes.insert(new.row)
                    return try VaultSession.item(new.row, new.description)
                }
            }
        }
    }

    /// Replaces a value; see ``SecureStore/update(_:to:_:expecting:)``.
    @discardableResult
    public func update(
        _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
        expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try run { session in
            try VaultSession.checkSize(value.count)
            return try session.change { changes in
                try changes.update(changes.existing(name, expecting: revision), to: value, edit)
            }
        }
    }

    /// Changes a description; see ``SecureStore/edit(_:_:expecting:)``.
    @discardableResult
    public func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws(SecureStoreError) -> SecretItem {
        try run { session in
            try session.change { changes in try changes.edit(name, edit, expecting: revision) }
        }
    }

    /// Removes a secret; see ``SecureStore/remove(_:expecting:permanently:)``.
    public func remove(
        _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
    ) throws(SecureStoreError) {
        try change([SecretChange(name, expecting: revision, .remove(permanently: isPermanent))])
    }

    /// Edits and removes secrets; see ``SecureStore/change(_:)``.
    @discardableResult
    public func change(_ changes: [SecretChange]) throws(SecureStoreError) -> [SecretItem] {
        try run { session in
            try session.change { all in
                // Use one time for all, so that secrets removed together can be restored together.
                let time = session.environment.now()
                return try changes.compactMap { change in
                    switch change.action {
                    case .edit(let edit):
                        return try all.edit(change.name, edit, expecting: change.revision)
                    case .remove(let isPermanent):
                        let row = try all.existing(change.name, expecting: change.revision)
                        try all.remove(row, of: change.name, at: time, permanently: isPermanent)
                        return nil
                    }
                }
            }
        }
    }

    /// Reads all secrets of every class in one snapshot, ordered by name.
    ///
    /// Verifies the whole snapshot before reading the first secret; one value is in memory at a time. The storage holds the snapshot during
    /// the call, and other calls of this vault wait.
    ///
    /// - Parameters:
    ///   - isWanted: Whether to read a secret; the value of another one is not opened, and its read not logged.
    ///   - body: Gets each description and, during the call, its value; returns whether to continue. It must not call the vault.
    /// - Throws: As ``read(_:_:)`` and ``list()``.
    public func forEachValue(
        of isWanted: (SecretItem) -> Bool = { _ in true },
        _ body: (SecretItem, borrowing SecretBytes) -> Bool
    ) throws(SecureStoreError) {
        try run { session in
            try session.read { reader in
                var items: [(item: SecretItem, tag: [UInt8])] = []
                try session.verifyAll(ItemRecord.self, reader) { row in
                    items.append((try VaultSession.item(row, session.open(row)), row.tag))
                }
                for (item, tag) in items.sorted(by: { $0.item.name < $1.item.name })
                where isWanted(item) {
                    let found = try session.matched(reader.item(tag: tag), RowKey(tag: tag))
                    guard let row = found else {
                        throw VaultError.damaged(.bucketRows)
                    }
                    let wantsMore = try session.withValue(of: row) { body(item, $0) }
                    session.environment.logRead(item.name)
                    if !wantsMore { return }
                }
            }
        }
    }

    /// Runs `body` with the session and translates its error into one of a store.
    func run<Result: ~Copyable>(
        _ body: (VaultSession) throws -> Result
    ) throws(SecureStoreError) -> Result {
        do {
            return try use(body)
        } catch {
            throw SecureStoreError(error)
        }
    }
}

extension VaultSession {
    /// Reads the verified row with this tag; nil if the vault provably has none.
    func row(of tag: [UInt8]) throws -> ItemRecord? {
        let key = RowKey(tag: tag)
        if index?.buckets[key.bucket] != nil, isRecordUnchanged {
            let (state, item) = try storage.stateAndItem(tag: tag)
            // The state record is unchanged, so earlier verification still holds, and the row belongs to that snapshot.
            if let state, let known = index?.stateRecord, state.count == known.count,
                state.begins(with: known)
            {
                return try matched(item, key)
            }
        }
        return try read { reader in
            try verifyBucket(key.bucket, reader)
            return try matched(reader.item(tag: tag), key)
        }
    }

    /// Creates the row of a new item, with a random id.
    func newItem(
        _ value: RawSpan, _ name: SecretName, _ attributes: SecretAttributes,
        _ times: SecretTimes? = nil, random: RandomSource
    ) throws -> (row: ItemRecord, description: ItemDescription) {
        try Self.checkSize(value.byteCount)
        let now = environment.now()
        let description = try ItemDescription(
            name: name, label: attributes.label,
            // A time in the future would count as evidence for a wrong clock.
            created: min(times?.created ?? now, now), modified: min(times?.modified ?? now, now),
            extra: attributes.extra
        ).checked()
        let row = try seal(
            value, description, attributes.accessClass, itemID: random.bytes(count: 16),
            revision: 1, random: random)
        return (row, description)
    }

    static func checkSize(_ size: Int) throws {
        guard size <= SecretLimits.maximumValueSize else {
            throw SecureStoreError.tooLarge(maximum: SecretLimits.maximumValueSize)
        }
    }

    func nextRevision(after row: some SealedRow) throws -> UInt64 {
        guard row.revision < UInt64(Int64.max) else { throw VaultError.counterExhausted }
        return row.revision + 1
    }
}

extension VaultChanges {
    /// The row of an existing name, in the revision that the caller expects.
    func existing(_ name: SecretName, expecting revision: UInt64?) throws -> ItemRecord {
        guard let row = try item(tag: session.tag(of: name)) else {
            throw SecureStoreError.notFound
        }
        if let revision, revision != row.revision {
            throw SecureStoreError.conflict(found: row.revision)
        }
        return row
    }

    /// Changes the description of a secret.
    func edit(
        _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
    ) throws -> SecretItem {
        let row = try existing(name, expecting: revision)
        return try session.withValue(of: row) { value in
            try revise(row, edit, to: value, isNewValue: false)
        }
    }

    /// Replaces the value of a secret; the old value becomes an earlier one if it differs.
    func update(
        _ row: ItemRecord, to value: borrowing SecretBytes, _ edit: SecretEdit
    ) throws -> SecretItem {
        let isNewValue = try session.withValue(of: row) { !$0.isEqual(to: value) }
        return try revise(row, edit, to: value, isNewValue: isNewValue)
    }

    /// Stores the next revision of a secret.
    func revise(
        _ row: ItemRecord, _ edit: SecretEdit, to value: borrowing SecretBytes, isNewValue: Bool
    ) throws -> SecretItem {
        let oldClass = try VaultSession.accessClass(of: row)
        let newClass = edit.accessClass ?? oldClass
        _ = try (session.valueKey(oldClass), session.valueKey(newClass))
        var description = try session.open(row)
        let keepsEarlier = description.name.keepsEarlier
        description.name = edit.name ?? description.name
        description.label = edit.label ?? description.label
        description.extra = edit.extra ?? description.extra
        description.modified = session.environment.now()
        description = try description.checked()
        let next = try session.nextRevision(after: row)
        let new = try value.withBytes { bytes in
            try session.seal(bytes, description, newClass, itemID: row.itemID, revision: next)
        }
        try move(row, to: new)
        if !isNewValue, newClass == oldClass { keepsValue(of: row) }
        try keepEarlier(row, newClass, isKept: isNewValue && keepsEarlier)
        return try VaultSession.item(new, description)
    }

    /// Replaces a row by one that may have another tag.
    func move(_ old: ItemRecord, to new: ItemRecord) throws {
        if old.tag == new.tag {
            try replace(old, by: new)
        } else {
            guard try !contains(tag: new.tag) else { throw SecureStoreError.duplicate }
            try remove(old)
            try insert(new)
        }
    }
}

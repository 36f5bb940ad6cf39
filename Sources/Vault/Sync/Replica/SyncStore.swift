package import SecretMemory

/// A part that waits for its key, with the place in the order in which parts came.
package struct KeptPart: Hashable, Sendable {
    package let sequence: UInt64
    package let part: SealedPart

    package init(sequence: UInt64, part: SealedPart) {
        self.sequence = sequence
        self.part = part
    }
}

/// The store of one device: its records, and the state of sync with them.
package protocol SyncStore {
    /// Runs `body` in one transaction, durable when this returns. If `body` or the commit throws, nothing is changed.
    func transaction<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result
}

/// The operations in a transaction of a ``SyncStore``.
package protocol SyncTransaction: AnyObject {
    /// The state beside the rows below.
    var ledger: SyncLedger { get set }

    // MARK: Segments

    /// The hash of an applied segment; nil if it was not applied. Hashes are kept for ever.
    func hash(of dot: Dot) throws -> [UInt8]?
    func setHash(_ hash: [UInt8], of dot: Dot) throws
    /// The numbers of this device's own segments that it still has, ascending.
    func outbox() throws -> [UInt64]
    /// The exact bytes of one of them.
    func outboxSegment(_ number: UInt64) throws -> [UInt8]?
    func addToOutbox(_ segment: [UInt8], number: UInt64) throws
    func removeFromOutbox(_ number: UInt64) throws

    // MARK: Snapshots

    /// The newest snapshot that each device has announced in an applied segment, by ascending device.
    func snapshots() throws -> [Snapshot]
    /// Adds a snapshot, or replaces that of the same device.
    func set(_ snapshot: Snapshot) throws
    func removeSnapshot(of device: DeviceID) throws

    // MARK: Records

    /// All objects with records, ascending.
    func objects() throws -> [ObjectID]
    /// About the size that all records have in segments, in bytes.
    func recordsSize() throws -> Int
    func contains(_ key: RecordKey) throws -> Bool
    /// All kept records of an object, without those of others that are joined with it.
    func versions(of object: ObjectID) throws -> [Version]
    /// Objects with a record that gives them this name, now or earlier.
    func objects(named name: [UInt8]) throws -> [ObjectID]
    /// Adds a record with an open content.
    func insert(_ version: Version) throws
    /// Adds a record with a secret content, which the store seals under its own key of the level.
    func insert(_ version: Version, secret: RawSpan) throws
    /// Calls `body` with the bytes of a secret content.
    func withSecret(of key: RecordKey, _ body: (RawSpan) -> Void) throws
    /// A hash of a secret under a key that needs the level, equal for equal secrets of this store: with the key of *after verification* at
    /// all levels.
    func fingerprint(of secret: RawSpan, _ level: SyncLevel) throws -> [UInt8]
    func erase(_ keys: [RecordKey]) throws

    // MARK: Parts without their key

    /// In the order in which they came.
    func keptParts(_ level: SyncLevel) throws -> [KeptPart]
    /// Adds a part, after all others.
    func keep(_ part: SealedPart) throws
    /// Replaces a part, whose records became known.
    func replaceKept(_ part: KeptPart) throws
    func removeKept(_ part: KeptPart) throws
}

extension SyncTransaction {
    /// All objects that aliases join with this one, itself included.
    func joined(with object: ObjectID) throws -> Set<ObjectID> {
        var found: Set<ObjectID> = [object]
        var waiting = [object]
        while let next = waiting.popLast() {
            for version in try versions(of: next) {
                if let other = version.field.aliased, found.insert(other).inserted {
                    waiting.append(other)
                }
            }
        }
        return found
    }

    /// All records of an object and of those joined with it.
    func joinedVersions(of object: ObjectID) throws -> [Version] {
        try joined(with: object).sorted().flatMap { try versions(of: $0) }
    }

    /// The state of an object, with those joined with it; nil if the record that made it is missing.
    package func state(
        of object: ObjectID, rules: SyncRules = .all
    ) throws -> ObjectState? {
        ObjectState(
            try joinedVersions(of: object), rules: rules, fingerprint: fingerprintOfOpen)
    }

    /// The fingerprint that a content in the open would have as a secret; nil without the key V.
    package func fingerprintOfOpen(_ content: [UInt8]) -> [UInt8]? {
        try? fingerprint(of: unsafe content.span.bytes, .afterVerification)
    }

    /// The fields of an object whose newest content is still sealed in a kept part.
    package func sealedFields(of object: ObjectID) throws -> Set<RecordField> {
        let kept = try keptParts(.afterVerification)
        if kept.isEmpty { return [] }
        let joined = try joined(with: object)
        return Set(
            kept.flatMap(\.part.announced).filter { joined.contains($0.object) }.map(\.field))
    }

    /// A copy of a secret of the records.
    package func secret(of key: RecordKey) throws -> SecretBytes {
        var result: SecretBytes?
        var failure: (any Error)?
        try withSecret(of: key) { bytes in
            do { result = try SecretBytes(copying: bytes) } catch { failure = error }
        }
        if let failure { throw failure }
        guard let secret = result.take() else { throw SyncError.storeDamaged }
        return secret
    }
}

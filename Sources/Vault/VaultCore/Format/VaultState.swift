internal import Sealing
internal import SecretMemory
internal import VaultStorage

/// The state: the sums over the whole vault (`Docs/Format.md`, section 6).
struct VaultState: Sendable, Hashable {
    /// The size of the record with the settings of a new vault, in bytes; each other value of a setting adds ``VaultSettings/valueSize``.
    static let smallestRecord = 4 + Sealing.overhead + 153
    static let largestRecord = smallestRecord + Int(UInt8.max) * VaultSettings.valueSize

    var bucketsSum = MultisetSum()
    var itemCount: UInt64 = 0
    var earlierCount: UInt64 = 0
    /// The number of the last commit; 0 before the first one.
    var counter: UInt64 = 0
    var lineage: [UInt8]
    /// The hash over the links of all commits.
    var history = [UInt8](repeating: 0, count: 32)
    /// The time of the last restored backup, in milliseconds since 1970-01-01 UTC; 0 if none.
    var restoredFrom: Int64 = 0
    /// The counter of the commit that restored it; 0 if none.
    var restoredAt: UInt64 = 0
    var settings: VaultSettings

    /// The state of a new vault, and of one that was restored, before its first change. `lineage` names its history from here on.
    init(lineage: [UInt8], settings: VaultSettings) {
        self.lineage = lineage
        self.settings = settings
    }

    private static func context(_ header: HeaderIdentity) -> SealContext {
        SealContext(.state, vaultID: header.vaultID, headerHash: header.hash)
    }

    /// Opens a state record under its header.
    static func open(
        _ record: [UInt8]?, under key: borrowing StateKey, _ header: HeaderIdentity
    ) throws -> VaultState {
        guard let record else { throw VaultError.damaged(.stateMissing) }
        guard (smallestRecord...largestRecord).contains(record.count),
            (record.count - smallestRecord).isMultiple(of: VaultSettings.valueSize)
        else { throw VaultError.damaged(.stateLength) }
        guard SealedRecord.hasKnownFormat(record) else { throw VaultError.damaged(.stateFormat) }
        return try SealedRecord.withOpened(
            record, under: key, context(header), failure: .stateSeal
        ) { reader in
            guard let state = read(from: &reader) else { throw VaultError.damaged(.stateContent) }
            return state
        }
    }

    private static func read(from reader: inout ByteReader) -> VaultState? {
        guard let sum = reader.raw(MultisetSum.size).flatMap({ MultisetSum(bytes: $0) }),
            let items = reader.integer(UInt64.self), let earlier = reader.integer(UInt64.self),
            let counter = reader.integer(UInt64.self),
            let lineage = reader.raw(16), let history = reader.raw(32),
            let restoredFrom = reader.integer(Int64.self),
            let restoredAt = reader.integer(UInt64.self),
            let settings = VaultSettings(from: &reader), reader.isAtEnd,
            (1...LinkRecord.largestCounter).contains(counter), restoredAt <= counter,
            (restoredFrom == 0) == (restoredAt == 0)
        else { return nil }
        var state = VaultState(lineage: lineage, settings: settings)
        state.bucketsSum = sum
        state.itemCount = items
        state.earlierCount = earlier
        state.counter = counter
        state.history = history
        state.restoredFrom = restoredFrom
        state.restoredAt = restoredAt
        return state
    }

    /// The number of rows of a table.
    subscript(countOf table: RecordTable) -> UInt64 {
        get { table == .items ? itemCount : earlierCount }
        set { if table == .items { itemCount = newValue } else { earlierCount = newValue } }
    }

    /// The encoding, with the history or without it.
    func bytes(withHistory isWithHistory: Bool) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(bucketsSum.bytes)
        writer.integer(itemCount)
        writer.integer(earlierCount)
        writer.integer(counter)
        writer.raw(lineage)
        if isWithHistory { writer.raw(history) }
        writer.integer(restoredFrom)
        writer.integer(restoredAt)
        settings.write(to: &writer)
        return writer.bytes
    }

    /// The record to store.
    func sealed(
        under key: borrowing StateKey, _ header: HeaderIdentity, random: RandomSource
    ) -> [UInt8] {
        SealedRecord.seal(
            bytes(withHistory: true), under: key, Self.context(header), random: random)
    }
}

/// The header properties to which the state is bound.
struct HeaderIdentity: Sendable, Hashable {
    let vaultID: [UInt8]
    let hash: [UInt8]

    init(_ header: VaultHeader) {
        vaultID = header.vaultID
        hash = VaultHeader.hash(of: header.bytes)
    }
}

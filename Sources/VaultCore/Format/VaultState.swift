internal import Sealing
internal import SecretMemory

/// The state: the sums over the whole vault (`Docs/Format.md`, section 6).
struct VaultState: Sendable, Hashable {
    static let plainSize = 109
    static let recordSize = 4 + Sealing.overhead + plainSize

    var bucketsSum = MultisetSum()
    var itemCount: UInt64 = 0
    var counter: UInt64 = 1
    var lineage: [UInt8]
    var settings: VaultSettings

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
        guard record.count == recordSize else { throw VaultError.damaged(.stateLength) }
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
            let items = reader.integer(UInt64.self), let counter = reader.integer(UInt64.self),
            let lineage = reader.raw(16), let window = reader.integer(UInt32.self),
            let idle = reader.integer(UInt32.self), let absolute = reader.integer(UInt32.self),
            let locked = reader.integer(UInt8.self), reader.isAtEnd
        else { return nil }
        let settings = VaultSettings(
            verificationWindow: window, idleLimit: idle, absoluteLimit: absolute,
            requiresLockedMemory: locked == 1)
        guard settings.areAcceptable, locked <= 1, counter > 0 else { return nil }
        var state = VaultState(lineage: lineage, settings: settings)
        state.bucketsSum = sum
        state.itemCount = items
        state.counter = counter
        return state
    }

    /// The record to store.
    func sealed(
        under key: borrowing StateKey, _ header: HeaderIdentity, random: RandomSource
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(bucketsSum.bytes)
        writer.integer(itemCount)
        writer.integer(counter)
        writer.raw(lineage)
        writer.integer(settings.verificationWindow)
        writer.integer(settings.idleLimit)
        writer.integer(settings.absoluteLimit)
        writer.integer(UInt8(settings.requiresLockedMemory ? 1 : 0))
        return SealedRecord.seal(writer.bytes, under: key, Self.context(header), random: random)
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

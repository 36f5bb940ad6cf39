internal import Sealing
internal import SecureStorage

/// A rollback record: the newest commit that this machine saw at a place (`Docs/Format.md`, section 8).
public struct RollbackRecord: Sendable, Hashable {
    /// Whether the vault was destroyed here.
    public internal(set) var isRetired = false
    /// The vault's id, 16 bytes.
    public let vaultID: [UInt8]
    /// The vault's lineage, 16 bytes.
    public let lineage: [UInt8]
    /// The key epoch of the header.
    public let keyEpoch: UInt32
    /// The state's counter.
    public let counter: UInt64
    /// The state's history, 32 bytes.
    public let history: [UInt8]
    /// The hash of the state record, 32 bytes.
    public let digest: [UInt8]
    /// The header's public key for backups, 32 bytes.
    public let backupPublicKey: [UInt8]

    init(_ header: VaultHeader, _ state: VaultState, record: [UInt8]) {
        self.init(
            vaultID: header.vaultID, lineage: state.lineage, keyEpoch: header.keyEpoch,
            counter: state.counter, history: state.history,
            digest: Blake2b.hash(size: 32) { $0.feed(record) },
            backupPublicKey: header.keys.backupPublicKey)
    }

    init(
        vaultID: [UInt8], lineage: [UInt8], keyEpoch: UInt32, counter: UInt64, history: [UInt8],
        digest: [UInt8], backupPublicKey: [UInt8]
    ) {
        self.vaultID = vaultID
        self.lineage = lineage
        self.keyEpoch = keyEpoch
        self.counter = counter
        self.history = history
        self.digest = digest
        self.backupPublicKey = backupPublicKey
    }

    /// The record of a place where a vault was destroyed that this machine had no record of.
    static let unknownRetired: RollbackRecord = {
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        var record = RollbackRecord(
            vaultID: zeros(16), lineage: zeros(16), keyEpoch: 0, counter: 0, history: zeros(32),
            digest: zeros(32), backupPublicKey: zeros(32))
        record.isRetired = true
        return record
    }()
}

/// The encoding of a record file: two slots, of which at least one is complete after a crash.
struct RollbackRecordFile {
    static let slotSize = 512
    static let size = 2 * slotSize
    private static let format: UInt32 = 2

    /// A valid slot.
    struct Slot {
        let record: RollbackRecord
        let sequence: UInt64
        let number: Int
    }

    /// The valid slot with the highest sequence number; nil for an empty file. For a longer file, `bytes` may be cut after ``size`` + 1
    /// bytes.
    static func slot(_ bytes: [UInt8]) throws(FormatFailure) -> Slot? {
        if bytes.isEmpty { return nil }
        guard bytes.count <= size else { throw .rollbackRecordDamaged }
        let slots = (0..<2).compactMap { number -> Slot? in
            let bytes = bytes.dropFirst(number * slotSize).prefix(slotSize)
            guard bytes.count == slotSize else { return nil }
            return ByteReader.reading(Array(bytes)) { Self.slot(&$0, number, Array(bytes)) }
        }
        // If both have the same sequence number, the first slot counts.
        guard let first = slots.first else { throw .rollbackRecordDamaged }
        return slots.dropFirst().reduce(first) { $1.sequence > $0.sequence ? $1 : $0 }
    }

    private static func slot(
        _ reader: inout ByteReader, _ number: Int, _ bytes: [UInt8]
    ) -> Slot? {
        guard reader.magic("TVMK") == true, reader.integer(UInt32.self) == format,
            let sequence = reader.integer(UInt64.self),
            let status = reader.integer(UInt8.self).flatMap(Status.init),
            let vaultID = reader.raw(16), let lineage = reader.raw(16),
            let keyEpoch = reader.integer(UInt32.self),
            let counter = reader.integer(UInt64.self), let history = reader.raw(32),
            let digest = reader.raw(32), let backupPublicKey = reader.raw(32)
        else { return nil }
        let checksum = checksum(Array(bytes.prefix(reader.offset)))
        guard reader.raw(16) == checksum, bytes.dropFirst(reader.offset).allSatisfy({ $0 == 0 })
        else { return nil }
        var record = RollbackRecord(
            vaultID: vaultID, lineage: lineage, keyEpoch: keyEpoch, counter: counter,
            history: history, digest: digest, backupPublicKey: backupPublicKey)
        record.isRetired = status == .retired
        return Slot(record: record, sequence: sequence, number: number)
    }

    /// The bytes of a slot.
    static func bytes(_ record: RollbackRecord, sequence: UInt64) -> [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVMK")
        writer.integer(format)
        writer.integer(sequence)
        writer.integer((record.isRetired ? Status.retired : .inUse).rawValue)
        writer.raw(record.vaultID)
        writer.raw(record.lineage)
        writer.integer(record.keyEpoch)
        writer.integer(record.counter)
        writer.raw(record.history)
        writer.raw(record.digest)
        writer.raw(record.backupPublicKey)
        writer.raw(checksum(writer.bytes))
        writer.raw([UInt8](repeating: 0, count: slotSize - writer.bytes.count))
        return writer.bytes
    }

    private enum Status: UInt8 {
        case inUse = 1
        case retired = 2
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Blake2b.hash(size: 16) { $0.feed(bytes) }
    }
}

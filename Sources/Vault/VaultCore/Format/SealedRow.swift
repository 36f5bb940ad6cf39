internal import Sealing
internal import SecureStorage
internal import VaultStorage

/// A row of one of the two tables: the sealed blobs of one revision of an item.
protocol SealedRow: Sendable {
    /// The numbers of the buckets of the table.
    static var buckets: Range<Int> { get }
    static var table: RecordTable { get }

    var itemID: [UInt8] { get }
    var accessClass: UInt8 { get }
    var revision: UInt64 { get }
    var format: UInt32 { get }
    var attributes: [UInt8] { get }
    var value: [UInt8] { get set }

    /// Whether the columns that only this table has are of the right size.
    var hasOwnShape: Bool { get }
    /// The primary key of a row of valid shape.
    var key: RowKey { get }

    /// The element over every stored column.
    func element(under key: borrowing RowHashKey) -> [UInt8]

    /// Calls `body` for each row of the bucket with this number.
    static func forEach(
        inBucket number: Int, _ reader: any RecordReader, _ body: (Self) throws -> Void
    ) throws
}

extension ItemRecord: SealedRow {
    static var buckets: Range<Int> { 0..<256 }
    static var table: RecordTable { .items }

    var hasOwnShape: Bool { tag.count == 32 }
    var key: RowKey { RowKey(tag: tag) }

    func element(under key: borrowing RowHashKey) -> [UInt8] {
        IntegrityElement.row(self, under: key)
    }

    static func forEach(
        inBucket number: Int, _ reader: any RecordReader, _ body: (ItemRecord) throws -> Void
    ) throws {
        try reader.forEachItem(inBucket: UInt8(number), body)
    }
}

extension EarlierRecord: SealedRow {
    static var buckets: Range<Int> { 256..<512 }
    static var table: RecordTable { .earlier }

    var hasOwnShape: Bool { moved.count == EarlierMove.sealedSize }
    var key: RowKey { RowKey(itemID: itemID, revision: revision) }

    func element(under key: borrowing RowHashKey) -> [UInt8] {
        IntegrityElement.row(self, under: key)
    }

    static func forEach(
        inBucket number: Int, _ reader: any RecordReader, _ body: (EarlierRecord) throws -> Void
    ) throws {
        try reader.forEachEarlier(inBucket: UInt8(number - 256), body)
    }
}

extension EarlierRecord {
    /// Creates the earlier row of an item's row.
    init(_ row: ItemRecord, moved: [UInt8]) {
        self.init(
            itemID: row.itemID, accessClass: row.accessClass, revision: row.revision,
            format: row.format, attributes: row.attributes, value: row.value, moved: moved)
    }
}

extension ItemRecord {
    /// Creates an item's row of an earlier row.
    init(_ row: EarlierRecord, tag: [UInt8]) {
        self.init(
            tag: tag, itemID: row.itemID, accessClass: row.accessClass, revision: row.revision,
            format: row.format, attributes: row.attributes, value: row.value)
    }
}

/// When and why a row became an earlier row.
struct EarlierMove: Sendable, Hashable {
    static let plainSize = 9
    static let sealedSize = Sealing.overhead + plainSize

    /// In milliseconds since 1970-01-01 UTC.
    var time: Int64
    /// Whether the item was removed; otherwise its value was replaced.
    var isRemoval: Bool

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.integer(time)
        writer.integer(UInt8(isRemoval ? 1 : 0))
        return writer.bytes
    }

    /// Parses ``plainSize`` bytes; nil for any other content.
    init?(_ bytes: RawSpan) {
        let parts = ByteReader.reading(bytes) { reader in
            (time: reader.integer(Int64.self), flag: reader.integer(UInt8.self))
        }
        guard let time = parts.time, let flag = parts.flag, flag <= 1 else { return nil }
        self.init(time: time, isRemoval: flag == 1)
    }

    init(time: Int64, isRemoval: Bool) {
        self.time = time
        self.isRemoval = isRemoval
    }
}

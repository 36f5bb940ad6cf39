internal import Database
internal import SecureStorage
internal import Sync

/// The row of a record, as it is stored.
struct RecordRow {
    let object: ObjectID
    let field: UInt32
    /// The detail of the field, or its hash if it is sealed.
    let detail: [UInt8]
    let stamp: Stamp
    let level: SyncLevel
    let written: SyncLevel
    let dot: Dot
    let seen: [UInt8]
    let applied: Int64
    /// The hash of an item's name.
    var name: [UInt8]?
    var sealedDetail: [UInt8]?
    /// Of a secret: a hash that is equal for equal secrets of one object. Nil for an open content.
    var fingerprint: [UInt8]?
    var content: [UInt8] = []

    /// The columns, in the order of ``init(_:)``.
    static let columns = """
        object, field, detail, clock, device, level, author, number, seen, applied, \
        sealed_detail, fingerprint, content, written
        """

    init(_ version: Version, detail: [UInt8], seen: [UInt8]) {
        object = version.object
        field = version.field.number
        self.detail = detail
        stamp = version.stamp
        level = version.level
        written = version.written
        dot = version.origin.dot
        self.seen = seen
        applied = version.applied
    }

    init(_ row: any Row) throws {
        object = try row.id(0)
        guard let field = UInt32(exactly: try row.integer(1)),
            let level = UInt8(exactly: try row.integer(5)).flatMap(SyncLevel.init),
            let written = UInt8(exactly: try row.integer(13)).flatMap(SyncLevel.init)
        else { throw SyncError.storeDamaged }
        self.field = field
        self.level = level
        self.written = written
        detail = try row.bytes(2)
        stamp = Stamp(clock: try row.number(3), device: try row.id(4))
        dot = Dot(try row.id(6), try row.number(7))
        seen = try row.bytes(8)
        applied = try row.integer(9)
        sealedDetail = try row.optionalBytes(10)
        fingerprint = try row.optionalBytes(11)
        content = try row.bytes(12)
    }

    /// Whether the content is sealed: all of the list's that is not secret lies in the clear.
    var isSealed: Bool { level > .list || fingerprint != nil }

    /// The place of the row's seals: they open only together with the other columns.
    func place(_ device: DeviceID) -> SealPlace {
        var writer = ByteWriter()
        writer.id(object)
        writer.field(RecordField(field, detail))
        writer.stamp(stamp)
        writer.dot(dot)
        writer.raw(seen)
        writer.integer(applied)
        writer.integer(written.rawValue)
        return SealPlace(device: device, object: object, level: level, columns: writer.bytes)
    }
}

extension RecordField {
    /// The fields whose detail is the id of an object or a subtask.
    private static let withID: [ClosedRange<UInt32>] = [4...4, 48...56]

    /// Whether a store must not have the detail in the clear: above the level of the list it may be a word. Ids tell nothing.
    func hidesDetail(at level: SyncLevel) -> Bool {
        let isID = detail.count == ObjectID.size && Self.withID.contains { $0.contains(number) }
        return level > .list && !detail.isEmpty && !isID
    }
}

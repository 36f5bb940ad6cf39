internal import SecureStorage
internal import TextCoding

/// A record on its way in or out.
struct TravellingRecord {
    let key: RecordKey
    let level: SyncLevel
    /// The level at which its author wrote it.
    let written: SyncLevel
    let origin: Origin
    /// The content, unless it is secret.
    let content: [UInt8]
    /// Where the content stands in the bytes of the part.
    let range: Range<Int>
}

/// The encoding of the records of one level in a segment (`Docs/Sync.md`, section 5): the names of all records, then all contents.
enum RecordList {
    /// The size of an empty list.
    static let emptySize = 4
    private static let own: UInt8 = 0
    private static let repeated: UInt8 = 1
    /// Repeated at a higher level than that at which they were written; the number of that level is added.
    private static let raised: UInt8 = 2

    /// The size of a record, without its group.
    static func size(_ key: RecordKey, _ content: RecordContent) -> Int {
        ObjectID.size + 4 + 4 + key.field.detail.count + 8 + 4 + content.size
    }

    /// The size of a record's name in part U, if the record is in part V.
    static func nameSize(_ key: RecordKey) -> Int {
        ObjectID.size + 4 + 4 + key.field.detail.count + 24
    }

    /// The size of the beginning of a group: of the segment's own records, or of those of an earlier segment.
    static func groupSize(_ origin: Origin?) -> Int {
        1 + 4 + (origin.map { 24 + 4 + 24 * $0.seen.numbers.count } ?? 0)
    }

    /// Writes the names of all records.
    ///
    /// - Parameters:
    ///   - versions: The records.
    ///   - dot: The segment.
    /// - Returns: The bytes, and the records in the order of the contents, which must follow.
    static func names(_ versions: [Version], at dot: Dot) -> (bytes: [UInt8], order: [Version]) {
        let groups = Dictionary(grouping: versions) { version in
            Group(
                dot: version.origin.dot,
                kind: version.origin.dot == dot
                    ? own
                    : version.written == version.level
                        ? repeated : raised + version.written.rawValue)
        }.sorted { $0.key < $1.key }
        var writer = ByteWriter()
        var order: [Version] = []
        writer.integer(UInt32(groups.count))
        for (group, versions) in groups {
            writer.integer(group.kind)
            if group.kind != own {
                writer.dot(group.dot)
                writer.vector(versions[0].origin.seen)
            }
            writer.integer(UInt32(versions.count))
            for version in versions.sorted(by: { $0.key < $1.key }) {
                writer.id(version.object)
                writer.field(version.field)
                writer.integer(version.stamp.clock)
                writer.integer(UInt32(version.content.size))
                order.append(version)
            }
        }
        return (writer.bytes, order)
    }

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - reader: The reader of the body or of the part.
    ///   - level: The level of the part.
    ///   - origin: The segment and what its author had seen.
    /// - Returns: The records; nil if the list is malformed.
    static func read(
        _ reader: inout ByteReader, _ level: SyncLevel, in origin: Origin
    ) -> [TravellingRecord]? {
        let limit = Stamp.limit(in: origin)
        let groups = reader.list(by: { $0.group }) { readGroup(&$0, level, in: origin, limit) }
        guard let groups else { return nil }
        var records: [TravellingRecord] = []
        for read in groups {
            for (key, size) in read.names {
                let start = reader.offset
                let isOpen = level == .list || level < .afterVerification && !key.field.isSecret
                let content = isOpen ? reader.raw(size) : reader.skip(size) ? [] : nil
                guard let content, !isOpen || key.field.accepts(content) else { return nil }
                records.append(
                    TravellingRecord(
                        key: key, level: level, written: read.written, origin: read.origin,
                        content: content, range: start..<reader.offset))
            }
        }
        return records
    }

    /// The records of one segment in a list. The segment's own come first, then those of others in the order of their dots.
    private struct Group: Hashable, Comparable {
        let dot: Dot
        let kind: UInt8

        static func < (left: Group, right: Group) -> Bool {
            let (first, second) = (left.kind == own ? 0 : 1, right.kind == own ? 0 : 1)
            return (first, left.dot, left.kind) < (second, right.dot, right.kind)
        }
    }

    private struct ReadGroup {
        let group: Group
        let written: SyncLevel
        let origin: Origin
        let names: [(key: RecordKey, size: Int)]
    }

    private static func readGroup(
        _ reader: inout ByteReader, _ level: SyncLevel, in own: Origin, _ limit: UInt64
    ) -> ReadGroup? {
        guard let kind = reader.integer(UInt8.self) else { return nil }
        var (origin, written) = (own, level)
        if kind != Self.own {
            guard let dot = reader.dot(), let seen = reader.vector(), own.covers(dot) else {
                return nil
            }
            origin = Origin(dot: dot, seen: seen)
        }
        if kind >= raised {
            guard let lower = SyncLevel(rawValue: kind - raised), lower < level else { return nil }
            written = lower
        }
        let names = reader.list(by: { $0.key }) { reader -> (key: RecordKey, size: Int)? in
            guard let object = reader.id(of: SyncSubject.Object.self), let field = reader.field(),
                let clock = reader.clock(), clock < limit,
                let size = reader.integer(UInt32.self)
            else { return nil }
            let stamp = Stamp(clock: clock, device: origin.dot.device)
            return (RecordKey(object, field, stamp), Int(size))
        }
        guard let names, !names.isEmpty else { return nil }
        return ReadGroup(
            group: Group(dot: origin.dot, kind: kind), written: written, origin: origin,
            names: names)
    }
}

extension Origin {
    /// Whether the author had seen a segment, and could repeat its records.
    fileprivate func covers(_ other: Dot) -> Bool {
        other.device == dot.device ? other.number < dot.number : seen.reaches(other)
    }
}

internal import SecureStorage
internal import TextCoding

/// A record on its way in or out.
struct TravellingRecord {
    let key: RecordKey
    let level: SyncLevel
    let origin: Origin
    /// Where the content stands in the list's bytes.
    let range: Range<Int>
}

/// The encoding of the records of one level in a segment (`Docs/Sync.md`, section 5): the names of all records, then all contents.
enum RecordList {
    /// The size of an empty list.
    static let emptySize = 4
    private static let own: UInt8 = 0
    private static let repeated: UInt8 = 1

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
        // The segment's own records come first, then those of others in the order of their dots.
        let groups = Dictionary(grouping: versions, by: \.origin.dot)
            .sorted { ($0.key == dot ? 0 : 1, $0.key) < ($1.key == dot ? 0 : 1, $1.key) }
        var writer = ByteWriter()
        var order: [Version] = []
        writer.integer(UInt32(groups.count))
        for (origin, versions) in groups {
            writer.integer(origin == dot ? own : repeated)
            if origin != dot {
                writer.dot(origin)
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
    ///   - bytes: The bytes of the body or of the part.
    ///   - start: Where the list begins.
    ///   - level: The level of the part.
    ///   - origin: The segment and what its author had seen.
    /// - Returns: The records and where the list ends; nil if it is malformed.
    static func read(
        _ bytes: RawSpan, from start: Int, _ level: SyncLevel, in origin: Origin
    ) -> (records: [TravellingRecord], end: Int)? {
        var sizes: [Int] = []
        var names: [(RecordKey, Origin)] = []
        let contents = ByteReader.reading(bytes) { reader -> Int? in
            guard reader.skip(start), readNames(&reader, in: origin, &names, &sizes) else {
                return nil
            }
            return reader.offset
        }
        guard var end = contents else { return nil }
        var records: [TravellingRecord] = []
        records.reserveCapacity(names.count)
        for ((key, origin), size) in zip(names, sizes) {
            guard size <= bytes.byteCount - end else { return nil }
            let range = end..<(end + size)
            end += size
            if level < .afterVerification, !key.field.isSecret,
                !key.field.accepts(bytes.extracting(range).array)
            {
                return nil
            }
            records.append(TravellingRecord(key: key, level: level, origin: origin, range: range))
        }
        return (records, end)
    }

    private static func readNames(
        _ reader: inout ByteReader, in origin: Origin, _ names: inout [(RecordKey, Origin)],
        _ sizes: inout [Int]
    ) -> Bool {
        guard let groups = reader.integer(UInt32.self) else { return false }
        var last: Dot?
        for group in 0..<groups {
            guard let kind = reader.integer(UInt8.self) else { return false }
            var from = origin
            if kind == repeated {
                guard let dot = reader.dot(), let seen = reader.vector(),
                    last.map({ $0 < dot }) ?? true, origin.covers(dot)
                else { return false }
                from = Origin(dot: dot, seen: seen)
                last = dot
            } else if kind != own || group != 0 {
                return false
            }
            guard readGroup(&reader, from, &names, &sizes) else { return false }
        }
        return true
    }

    private static func readGroup(
        _ reader: inout ByteReader, _ origin: Origin, _ names: inout [(RecordKey, Origin)],
        _ sizes: inout [Int]
    ) -> Bool {
        guard let count = reader.integer(UInt32.self), count > 0 else { return false }
        var last: RecordKey?
        for _ in 0..<count {
            guard let object = reader.id(of: SyncSubject.Object.self),
                let field = reader.field(), let clock = reader.clock(),
                let size = reader.integer(UInt32.self)
            else { return false }
            let key = RecordKey(object, field, Stamp(clock: clock, device: origin.dot.device))
            guard last.map({ $0 < key }) ?? true else { return false }
            names.append((key, origin))
            sizes.append(Int(size))
            last = key
        }
        return true
    }
}

extension Origin {
    /// Whether the author had seen a segment, and could repeat its records.
    fileprivate func covers(_ other: Dot) -> Bool {
        other.device == dot.device ? other.number < dot.number : seen.reaches(other)
    }
}
